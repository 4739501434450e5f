// Functions of Lambda: their code and configuration.
import { type Dict, isDict, isList, loadJson, misuse, str, type Value } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { orError } from '../common/errors.ts'
import { type AwsLogin, LOGIN, loginOf } from '../common/login.ts'
import { zipBytes } from './code.ts'
import { fieldsOf, functionPath, lambdaOf, listed, patiently, type Reply, send } from './lambda.ts'
import { CODE, type Code, ENVIRONMENT, NEW_FUNCTION, VPC_CONFIG } from './parameters.ts'

const NAME = NEW_FUNCTION.FunctionName

const FIELDS = [
  'FunctionName',
  'Runtime',
  'Role',
  'Handler',
  'CodeSha256',
  'CodeSize',
  'Description',
  'Timeout',
  'MemorySize',
  'FunctionArn',
  'LastModified',
  'VpcConfig',
  'Environment',
]

const listFunctions = (ctx: FunctionContext, login: AwsLogin): Promise<Dict[]> =>
  listed(lambdaOf(ctx, login), { action: 'ListFunctions', path: '/functions', list: 'Functions' })

async function findFunction(ctx: FunctionContext, login: AwsLogin, name: string): Promise<Dict | undefined> {
  return (await listFunctions(ctx, login)).find((one) => one.get('FunctionName') === name)
}

/** Return the ARN of a role. A name is one of the account of the key. */
async function roleArn(ctx: FunctionContext, login: AwsLogin, role: string): Promise<string> {
  if (role.startsWith('arn:')) return role
  const account = await ctx.call('boto_iam.get_account_id', [], loginOf(login))
  return `arn:aws:iam::${account}:role/${role}`
}

const parsed = (value: Value): Value => (typeof value === 'string' ? loadJson(value) : value)

function namesIn(config: Dict, field: string): string[] {
  const names = config.get(field) ?? []
  if (!isList(names)) throw misuse(`${field} of VpcConfig must be a list.`)
  return names.map(str)
}

/** Return the networks of a function by ids; null where none are given. */
async function networks(ctx: FunctionContext, login: AwsLogin, given: Value): Promise<Dict | null> {
  const config = parsed(given)
  if (config === null || (isDict(config) && config.size === 0)) return null
  if (!isDict(config)) throw misuse('VpcConfig must be a dict.')
  const subnets = namesIn(config, 'SubnetIds')
  for (const name of namesIn(config, 'SubnetNames')) {
    const found = await ctx.call('boto_vpc.get_resource_id', [], { resource: 'subnet', name, ...loginOf(login) })
    const id = found.get('id') ?? null
    if (id === null) throw misuse(`The subnet '${name}' of VpcConfig does not exist`)
    subnets.push(str(id))
  }
  const groups = namesIn(config, 'SecurityGroupIds')
  for (const name of namesIn(config, 'SecurityGroupNames')) {
    const id: Value = await ctx.call('boto_secgroup.get_group_id', [], { name, ...loginOf(login) })
    if (typeof id !== 'string') throw misuse(`The security group '${name}' of VpcConfig does not exist`)
    groups.push(id)
  }
  const rest = [...config].filter(([key]) => !/^(Subnet|SecurityGroup)(Ids|Names)$/.test(str(key)))
  return new Map<Value, Value>([...rest, ['SubnetIds', subnets], ['SecurityGroupIds', groups]])
}

/** Return the variables of a function; values are texts. */
function environmentOf(given: Value): Dict | null {
  const environment = parsed(given)
  if (environment === null) return null
  const variables = isDict(environment) ? (environment.get('Variables') ?? new Map()) : null
  if (!isDict(environment) || !isDict(variables)) throw misuse("Environment must be a dict with 'Variables', a dict.")
  const texts = [...variables].map(([name, value]): [Value, Value] => [str(name), str(value)])
  return new Map<Value, Value>([...environment, ['Variables', new Map(texts)]])
}

/** Return where the code of a function is, as parameters. */
async function codeOf(ctx: FunctionContext, { ZipFile, S3Bucket, S3Key, S3ObjectVersion }: Code): Promise<Reply> {
  const isStored = Boolean(S3Bucket || S3Key || S3ObjectVersion)
  if (ZipFile ? isStored : !S3Bucket || !S3Key)
    throw misuse('Either ZipFile must be specified, or S3Bucket and S3Key must be provided.')
  if (ZipFile) return { ZipFile: Buffer.from(await zipBytes(ctx, ZipFile)).toString('base64') }
  return { S3Bucket, S3Key, S3ObjectVersion: S3ObjectVersion || null }
}

const asDict = (reply: Reply): Dict =>
  new Map<Value, Value>(Object.entries(reply).filter(([, value]) => value !== null))

const WAIT_FOR_ROLE = arg.flag('Whether to try again while the role is not known everywhere', { default: false })
const ROLE_RETRIES = arg.count('How many times to try, with `WaitForRole`', { default: 5 })
const UPDATED = ret.dict('`updated` and `function`, or `updated` and `error`')

const create_function = changes({
  doc: 'Create a function.',
  example: 'boto_lambda.create_function myfunction python3.12 myrole index.handler function.zip',
  args: {
    ...NEW_FUNCTION,
    Publish: arg.flag('Whether to publish a version', { default: false }),
    WaitForRole: WAIT_FOR_ROLE,
    RoleRetries: ROLE_RETRIES,
    ...LOGIN,
    VpcConfig: VPC_CONFIG,
    Environment: ENVIRONMENT,
  },
  returns: ret.dict('`created` and `name`, or `created` and `error`'),
  run: async (ctx, given) => {
    const lambda = lambdaOf(ctx, given)
    const { FunctionName, Runtime, Handler, Description, Timeout, MemorySize, Publish } = given
    const made = async (): Promise<Reply> => {
      const Role = await roleArn(ctx, given, given.Role)
      const content = {
        ...{ FunctionName, Runtime, Handler, Description, Timeout, MemorySize, Publish, Role },
        Code: asDict(await codeOf(ctx, given)),
        VpcConfig: await networks(ctx, given, given.VpcConfig),
        Environment: environmentOf(given.Environment),
      }
      const request = { action: 'CreateFunction', method: 'POST', path: '/functions', content } as const
      const attempts = given.WaitForRole ? given.RoleRetries : 1
      const answer = await patiently(ctx, attempts, () => send(lambda, request))
      return { created: true, name: answer.get('FunctionName') ?? FunctionName }
    }
    return orError(made(), { created: false })
  },
})

const update_function_config = changes({
  doc: 'Change the configuration of a function. What is not given stays.',
  example: 'boto_lambda.update_function_config myfunction myrole index.handler',
  args: {
    FunctionName: NAME,
    Role: arg.text('Name or ARN of the role that the function takes on', { optional: true }),
    Handler: arg.text('What is called in the code', { optional: true }),
    Description: arg.text('What it is for', { optional: true }),
    Timeout: arg.count('Seconds that a call may take', { optional: true }),
    MemorySize: arg.count('Megabytes of memory', { optional: true }),
    ...LOGIN,
    VpcConfig: VPC_CONFIG,
    WaitForRole: WAIT_FOR_ROLE,
    RoleRetries: ROLE_RETRIES,
    Environment: ENVIRONMENT,
  },
  returns: UPDATED,
  run: (ctx, given) => {
    const lambda = lambdaOf(ctx, given)
    const { FunctionName, Handler, Description, Timeout, MemorySize } = given
    const done = async (): Promise<Reply> => {
      const content = {
        ...{ Handler, Description, Timeout, MemorySize },
        Role: given.Role ? await roleArn(ctx, given, given.Role) : null,
        VpcConfig: await networks(ctx, given, given.VpcConfig),
        Environment: environmentOf(given.Environment),
      }
      const path = functionPath(FunctionName, 'configuration')
      const request = { action: 'UpdateFunctionConfiguration', method: 'PUT', path, content } as const
      const attempts = given.WaitForRole ? given.RoleRetries : 1
      const answer = await patiently(ctx, attempts, () => send(lambda, request))
      return { updated: true, function: fieldsOf(answer, FIELDS) }
    }
    return orError(done(), { updated: false })
  },
})

const update_function_code = changes({
  doc: 'Give a function other code.',
  example: 'boto_lambda.update_function_code myfunction ZipFile=function.zip',
  args: {
    FunctionName: NAME,
    ...CODE,
    Publish: arg.flag('Whether to publish a version', { default: false }),
    ...LOGIN,
  },
  returns: UPDATED,
  run: (ctx, given) => {
    const { FunctionName, Publish } = given
    const done = async (): Promise<Reply> => {
      const content = { ...(await codeOf(ctx, given)), Publish }
      const path = functionPath(FunctionName, 'code')
      const request = { action: 'UpdateFunctionCode', method: 'PUT', path, content } as const
      const answer = await patiently(ctx, 1, () => send(lambdaOf(ctx, given), request))
      return { updated: true, function: fieldsOf(answer, FIELDS) }
    }
    return orError(done(), { updated: false })
  },
})

export const FUNCTIONS = {
  function_exists: reads({
    doc: 'Return whether a function exists.',
    example: 'boto_lambda.function_exists myfunction',
    args: { FunctionName: NAME, ...LOGIN },
    returns: ret.dict('`exists`, or `error`'),
    run: (ctx, { FunctionName, ...login }) =>
      orError(findFunction(ctx, login, FunctionName).then((found): Reply => ({ exists: found !== undefined }))),
  }),
  create_function,
  delete_function: changes({
    doc: 'Delete a function, or one version of it.',
    example: 'boto_lambda.delete_function myfunction',
    args: { FunctionName: NAME, Qualifier: arg.text('Version; all unless given', { optional: true }), ...LOGIN },
    returns: ret.dict('`deleted`, and `error` where AWS refuses'),
    run: (ctx, { FunctionName, Qualifier, ...login }) => {
      const query = Qualifier ? { Qualifier } : {}
      const request = { action: 'DeleteFunction', method: 'DELETE', path: functionPath(FunctionName), query } as const
      const gone = send(lambdaOf(ctx, login), request).then((): Reply => ({ deleted: true }))
      return orError(gone, { deleted: false })
    },
  }),
  describe_function: reads({
    doc: 'Return the configuration of a function.',
    example: 'boto_lambda.describe_function myfunction',
    args: { FunctionName: NAME, ...LOGIN },
    returns: ret.dict('`function`, which is None where there is none, or `error`'),
    run: (ctx, { FunctionName, ...login }) =>
      orError(
        findFunction(ctx, login, FunctionName).then(
          (found): Reply => ({ function: found === undefined ? null : fieldsOf(found, FIELDS) }),
        ),
      ),
  }),
  update_function_config,
  update_function_code,
  list_functions: reads({
    doc: 'Return the configurations of all functions.',
    example: 'boto_lambda.list_functions',
    args: LOGIN,
    returns: ret.dicts('The configurations'),
    run: listFunctions,
  }),
  list_function_versions: reads({
    doc: 'Return all versions of a function.',
    example: 'boto_lambda.list_function_versions myfunction',
    args: { FunctionName: NAME, ...LOGIN },
    returns: ret.dict('`Versions`, or `error`'),
    run: (ctx, { FunctionName, ...login }) => {
      const request = {
        action: 'ListVersionsByFunction',
        path: functionPath(FunctionName, 'versions'),
        list: 'Versions',
      }
      return orError(listed(lambdaOf(ctx, login), request).then((Versions): Reply => ({ Versions })))
    },
  }),
}
