// Parameters that the functions and states of Lambda share.
import { arg, type Bound } from '../../../sdk/mod.ts'

/** The location of a function's code. */
export const CODE = {
  ZipFile: arg.text('Zip file with the code: a path, or an address such as `salt://function.zip`', { optional: true }),
  S3Bucket: arg.text('Bucket that has the zip file, in place of `ZipFile`', { optional: true }),
  S3Key: arg.text('Key of the zip file in the bucket', { optional: true }),
  S3ObjectVersion: arg.text('Version of the zip file in the bucket', { optional: true }),
}

/** A new function, as far as Salt's function and state have the same order. */
export const NEW_FUNCTION = {
  FunctionName: arg.text('Name of the function'),
  Runtime: arg.text('Runtime, such as `python3.12`'),
  Role: arg.text('Name or ARN of the role that the function takes on'),
  Handler: arg.text('What is called in the code, such as `index.handler`'),
  ...CODE,
  Description: arg.text('What it is for', { default: '' }),
  Timeout: arg.count('Seconds that a call may take', { default: 3 }),
  MemorySize: arg.count('Megabytes of memory', { default: 128 }),
}

export const VPC_CONFIG = arg.any(
  'Dict, or JSON of one: `SubnetIds`, `SubnetNames`, `SecurityGroupIds`, `SecurityGroupNames`',
  { optional: true },
)
export const ENVIRONMENT = arg.any('Dict, or JSON of one: `Variables`, a dict; left as it is unless given', {
  optional: true,
})

export type Code = Bound<typeof CODE>
