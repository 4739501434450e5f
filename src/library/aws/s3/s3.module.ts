// Objects and buckets of S3, and of services with its protocol.
import { type Dict, decodeBytes, failure, type Value } from '../../../data/mod.ts'
import {
  arg,
  awsEscaped,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import { AwsAnswer } from '../common/answer.ts'
import { AwsCaller, type RestAnswer } from '../common/caller.ts'
import { AwsError } from '../common/errors.ts'
import { optionOf } from '../common/login.ts'

const ACCESS = {
  key: arg.text('Secret access key; the option `s3.key` unless given', { optional: true, secret: true }),
  keyid: arg.text('Id of the access key; the option `s3.keyid` unless given', { optional: true }),
  service_url: arg.text('Host of the service', { optional: true }),
  verify_ssl: arg.any('Whether the certificate of the service is checked', { optional: true }),
  kms_keyid: arg.text('Key of KMS that uploads are encrypted by', { optional: true }),
  location: arg.text('Region', { optional: true }),
  role_arn: arg.text('Role to take on', { optional: true }),
  path_style: arg.any('Whether the bucket is in the path and not in the host name', { optional: true }),
  https_enable: arg.any('Whether requests are encrypted', { optional: true }),
}

const BUCKET = arg.text('Name of the bucket')
const ACTION = arg.text('Sub-resource, such as `location`', { optional: true })

type Access = Bound<typeof ACCESS>

interface Request {
  action: string
  method: string
  bucket: string
  path: string
  /** Sub-resource of the object or bucket. */
  part?: string | null
  body?: Uint8Array
}

const isOn = (value: Value): boolean => value !== null && value !== false && value !== 'False' && value !== 0

async function ask(
  ctx: FunctionContext,
  given: Access,
  { action, method, bucket, path, part, body }: Request,
): Promise<RestAnswer> {
  const option = (name: string): Value => optionOf(ctx, `s3.${name}`) ?? null
  const service = given.service_url ?? (option('service_url') as string | null) ?? 's3.amazonaws.com'
  const isPlain = !isOn(given.https_enable ?? option('https_enable') ?? true)
  const byPath = isOn(given.path_style ?? option('path_style') ?? false)
  const profile = new Map<Value, Value>([
    ['region', given.location ?? option('location')],
    ['key', given.key ?? option('key')],
    ['keyid', given.keyid ?? option('keyid')],
    ['role_arn', given.role_arn ?? option('role_arn')],
    ['verify_ssl', given.verify_ssl ?? option('verify_ssl') ?? true],
    ['endpoint_url', `${isPlain ? 'http' : 'https'}://${service}`],
  ])
  if (bucket !== '' && !/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/.test(bucket))
    throw failure(`'${bucket}' is no name of a bucket`)
  const kms = given.kms_keyid ?? (optionOf(ctx, 'aws.kms.keyid') as string | undefined)
  const encryption = {
    'x-amz-server-side-encryption': 'aws:kms',
    'x-amz-server-side-encryption-aws-kms-key-id': kms ?? '',
  }
  const place = path.split('/').map(awsEscaped).join('/')
  return AwsCaller.of(ctx, 's3', { profile }).rest({
    action,
    method,
    path: byPath && bucket !== '' ? `/${bucket}/${place}` : `/${place}`,
    ...(!byPath && bucket !== '' && { subdomain: bucket }),
    ...(part && { query: { [part]: '' } }),
    ...(body && { body }),
    headers: kms && method === 'PUT' ? encryption : {},
  })
}

/** Throw Salt's error for a refusal. */
async function orFail<T>(call: Promise<T>, what: string): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof AwsError)) throw error
    throw failure(`${what}. ${error.fault.code}: ${error.fault.text}`)
  }
}

export default defineModule({
  name: 's3',
  doc: 'Get, put, list and delete objects and buckets of S3.',
  functions: {
    delete: changes({
      doc: 'Delete an object, or a bucket that is empty.',
      example: 's3.delete mybucket remoteobject',
      args: { bucket: BUCKET, path: arg.text('Path of the object', { optional: true }), action: ACTION, ...ACCESS },
      returns: ret.none('Nothing'),
      run: async (ctx, { bucket, path, action, ...given }) => {
        const what = path ? `Failed to delete ${path} from bucket ${bucket}` : `Failed to delete bucket ${bucket}`
        const request = { action: 'Delete', method: 'DELETE', bucket, path: path ?? '', part: action }
        await orFail(ask(ctx, given, request), what)
      },
    }),
    get: reads({
      doc: 'Return all buckets, the objects of a bucket, or an object, which can be saved as a file.',
      example: 's3.get mybucket myfile.png local_file=/tmp/myfile.png',
      args: {
        bucket: arg.text('Name of the bucket', { default: '' }),
        path: arg.text('Path of the object', { default: '' }),
        return_bin: arg.flag('Whether the content is returned', { default: false }),
        action: ACTION,
        local_file: arg.text('File in which the object is saved', { optional: true }),
        ...ACCESS,
      },
      returns: ret.any('A list of dicts, the content, or where the object is saved'),
      run: async (ctx, { bucket, path, return_bin, action, local_file, ...given }) => {
        const what = local_file ? 'Failed to get file' : 'Failed s3 operation'
        const answer = await orFail(ask(ctx, given, { action: 'Get', method: 'GET', bucket, path, part: action }), what)
        if (local_file) {
          await ctx.host.write(local_file, answer.body)
          return `Saved to local file: ${local_file}`
        }
        if (return_bin) return answer.body
        if (answer.body.length === 0) return { headers: [...answer.headers.keys()] }
        return AwsAnswer.parse(decodeBytes(answer.body))
          .children()
          .map((child): Value => {
            const shaped = child.shaped()
            return shaped instanceof Map ? shaped : new Map<Value, Value>([[child.name, shaped]])
          })
      },
    }),
    head: reads({
      doc: 'Return the headers of a bucket or an object.',
      example: 's3.head mybucket myfile.png',
      args: { bucket: BUCKET, path: arg.text('Path of the object', { default: '' }), ...ACCESS },
      returns: ret.dict('`headers`'),
      run: async (ctx, { bucket, path, ...given }) => {
        const answer = await orFail(
          ask(ctx, given, { action: 'Head', method: 'HEAD', bucket, path }),
          'Failed s3 operation',
        )
        const headers: Dict = new Map(answer.headers)
        return { headers }
      },
    }),
    put: changes({
      doc: 'Create a bucket, or upload a file as an object.',
      example: 's3.put mybucket remotepath local_file=/path/to/file',
      args: {
        bucket: BUCKET,
        path: arg.text('Path of the object', { optional: true }),
        return_bin: arg.flag('Accepted and ignored', { default: false }),
        action: ACTION,
        local_file: arg.text('File to upload', { optional: true }),
        ...ACCESS,
      },
      returns: ret.none('Nothing'),
      run: async (ctx, { bucket, path, action, local_file, ...given }) => {
        const what = local_file
          ? `Failed to upload from ${local_file} to ${path ?? ''}`
          : `Failed to create bucket ${bucket}`
        const body = local_file ? { body: await ctx.host.read(local_file) } : {}
        await orFail(
          ask(ctx, given, { action: 'Put', method: 'PUT', bucket, path: path ?? '', part: action, ...body }),
          what,
        )
      },
    }),
  },
})
