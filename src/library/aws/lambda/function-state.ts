// Functions of Lambda as states.
import { createHash } from 'node:crypto'
import { type Dict, dictFrom, isDict, isList, loadJson, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, changed, ensure, failed, type StateContext, settled, state } from '../../../sdk/mod.ts'
import { type AwsLogin, LOGIN, loginOf } from '../common/login.ts'
import { oldNew, type Part, Parts } from '../common/part.ts'
import { errorOf } from '../common/state-calls.ts'
import { unordered } from '../common/unordered.ts'
import { zipBytes } from './code.ts'
import { ENVIRONMENT, NEW_FUNCTION, VPC_CONFIG } from './parameters.ts'
import { permissionsPart, wantedPermissions } from './permission-state.ts'
import { ask, difference } from './state-calls.ts'

const WANTED = {
  name: arg.text('Name of the state'),
  ...NEW_FUNCTION,
  Permissions: arg.any('Dict by ids of statements, or JSON of one: dicts with `Action`, `Principal`, `SourceArn`, …', {
    optional: true,
  }),
  RoleRetries: arg.count('How many times to try while a new role is not known everywhere', { default: 5 }),
  ...LOGIN,
  VpcConfig: VPC_CONFIG,
  Environment: ENVIRONMENT,
}

type Wanted = Bound<typeof WANTED>

const parsed = (value: Value): Value => (typeof value === 'string' && value !== '' ? loadJson(value) : value)

async function describe(ctx: StateContext, wanted: Wanted): Promise<Dict> {
  const found = await ask(ctx, 'describe_function', wanted, { FunctionName: wanted.FunctionName })
  const configuration = found.get('function') ?? null
  return isDict(configuration) ? configuration : new Map()
}

async function roleArn(ctx: StateContext, login: AwsLogin, role: string): Promise<string> {
  if (role.startsWith('arn:')) return role
  return `arn:aws:iam::${await ctx.call('boto_iam.get_account_id', [], loginOf(login))}:role/${role}`
}

/** Return the networks of a function by ids. Without networks, both lists are empty: that takes a function out of its network. */
async function networksOf(ctx: StateContext, { VpcConfig, ...login }: Wanted): Promise<Dict> {
  const config = parsed(VpcConfig)
  const given: Dict = isDict(config) ? config : new Map()
  const list = (name: string): Value[] => {
    const value = given.get(name) ?? []
    return isList(value) ? [...value] : [value]
  }
  const [subnets, groups] = [list('SubnetIds'), list('SecurityGroupIds')]
  for (const name of list('SubnetNames')) {
    const one = { resource: 'subnet', name, ...loginOf(login) }
    subnets.push((await ctx.call('boto_vpc.get_resource_id', [], one)).get('id') ?? name)
  }
  for (const name of list('SecurityGroupNames'))
    groups.push((await ctx.call('boto_secgroup.get_group_id', [], { name, ...loginOf(login) })) ?? name)
  return dictFrom({ SubnetIds: subnets, SecurityGroupIds: groups })
}

const presentNetworks = (configuration: Dict): Dict => {
  const config = configuration.get('VpcConfig') ?? null
  const list = (name: string): Value => (isDict(config) ? (config.get(name) ?? []) : [])
  return new Map(['SubnetIds', 'SecurityGroupIds'].map((name): [Value, Value] => [name, list(name)]))
}

/** Return the variables as texts, as AWS stores them. */
function variablesOf(environment: Value): Dict {
  const variables = isDict(environment) ? (environment.get('Variables') ?? null) : null
  return new Map(isDict(variables) ? [...variables].map(([name, value]) => [str(name), str(value)]) : [])
}

const asEnvironment = (variables: Dict): Dict => new Map([['Variables', variables]])

/** Change one thing of a function, unless this is a dry run. */
async function change(
  ctx: StateContext,
  wanted: Wanted,
  step: { fun: string; given: Record<string, Value>; done: string; changes: Dict },
): Promise<Part> {
  const { fun, given, done, changes } = step
  if (ctx.test) return { result: null, comment: done, changes }
  const answer = await ask(ctx, fun, wanted, { FunctionName: wanted.FunctionName, ...given })
  if (!truthy(answer.get('updated') ?? false))
    return { result: false, comment: `Failed to update function: ${errorOf(answer)}.` }
  return { result: true, comment: done, changes }
}

const NOTHING: Part = { result: true, comment: '' }

async function configurationPart(ctx: StateContext, wanted: Wanted): Promise<Part> {
  const present = await describe(ctx, wanted)
  const { Handler, Description, Timeout, MemorySize, RoleRetries } = wanted
  const Role = await roleArn(ctx, wanted, wanted.Role)
  const plain = difference(present, { Role, Handler, Description, Timeout, MemorySize })
  const [before, after]: [Dict, Dict] = [new Map(plain?.old), new Map(plain?.new)]
  const VpcConfig = await networksOf(ctx, wanted)
  const networks = presentNetworks(present)
  if (unordered(networks) !== unordered(VpcConfig)) {
    before.set('VpcConfig', networks)
    after.set('VpcConfig', VpcConfig)
  }
  const environment = parsed(wanted.Environment)
  const [variables, known] = [variablesOf(environment), variablesOf(present.get('Environment') ?? null)]
  if (environment !== null && unordered(variables) !== unordered(known)) {
    before.set('Environment', asEnvironment(known))
    after.set('Environment', asEnvironment(variables))
  }
  if (after.size === 0) return NOTHING
  const networkChange = after.has('VpcConfig') ? { VpcConfig } : {}
  return change(ctx, wanted, {
    fun: 'update_function_config',
    given: {
      ...{ Role, Handler, Description, Timeout, MemorySize, RoleRetries, WaitForRole: true },
      ...networkChange,
      Environment: environment === null ? null : asEnvironment(variables),
    },
    done: '\nFunction config to be modified',
    changes: oldNew(before, after),
  })
}

const CODE_FIELDS = ['CodeSha256', 'CodeSize']

const codeIn = (configuration: Dict): Dict =>
  new Map(CODE_FIELDS.map((name): [Value, Value] => [name, configuration.get(name) ?? null]))

/**
 * Compare the code by its hash. Code in a bucket is not read: AWS compares it, and a dry run cannot predict the result.
 */
async function codePart(ctx: StateContext, wanted: Wanted): Promise<Part> {
  const { FunctionName, ZipFile, S3Bucket, S3Key, S3ObjectVersion } = wanted
  const before = codeIn(await describe(ctx, wanted))
  const done = '\nFunction code to be modified'
  if (ZipFile) {
    const bytes = await zipBytes(ctx, ZipFile)
    const hash = createHash('sha256').update(bytes).digest('base64')
    if (hash === before.get('CodeSha256')) return NOTHING
    const after = dictFrom({ CodeSha256: hash, CodeSize: bytes.length })
    return change(ctx, wanted, {
      fun: 'update_function_code',
      given: { ZipFile },
      done,
      changes: oldNew(before, after),
    })
  }
  if (ctx.test) return { result: null, comment: done }
  const given = { FunctionName, S3Bucket, S3Key, S3ObjectVersion }
  const answer = await ask(ctx, 'update_function_code', wanted, given)
  const configuration = answer.get('function') ?? null
  if (!isDict(configuration)) return { result: false, comment: `Failed to update function: ${errorOf(answer)}.` }
  const after = codeIn(configuration)
  if (unordered(before) === unordered(after)) return NOTHING
  return { result: true, comment: done, changes: oldNew(before, after) }
}

/** Make a function and its permissions. */
async function create(ctx: StateContext, wanted: Wanted, permissions: Dict) {
  const { name: _name, Permissions: _permissions, region, key, keyid, profile, ...given } = wanted
  const { FunctionName } = given
  const made = await ask(ctx, 'create_function', wanted, { ...given, WaitForRole: true })
  if (!truthy(made.get('created') ?? false)) return failed(`Failed to create function: ${errorOf(made)}.`)
  const part = await permissionsPart(ctx, wanted, permissions)
  const configuration = new Map(await describe(ctx, wanted))
  const found = await ask(ctx, 'get_permissions', wanted, { FunctionName })
  configuration.set('Permissions', found.get('permissions') ?? null)
  const changes = { old: { function: null }, new: { function: configuration } }
  if (part.result === false) return failed(part.comment.replace('update', 'create'), changes)
  return changed(`Function ${FunctionName} created.`, changes)
}

export const function_present = state({
  doc: 'Ensure that a function exists, with the given code, configuration and permissions.',
  args: WANTED,
  run: async (ctx, wanted) => {
    const { FunctionName } = wanted
    const permissions = wantedPermissions(wanted.Permissions)
    const found = await ask(ctx, 'function_exists', wanted, { FunctionName })
    if (!found.has('error') && truthy(found.get('exists') ?? false)) return update(ctx, wanted, permissions)
    return ensure(ctx, {
      name: FunctionName,
      look: () => (found.has('error') ? failed(`Failed to create function: ${errorOf(found)}.`) : 'missing'),
      foresee: () => `Function ${FunctionName} is set to be created.`,
      act: () => create(ctx, wanted, permissions),
    })
  },
})

async function update(ctx: StateContext, wanted: Wanted, permissions: Dict) {
  const { FunctionName } = wanted
  const parts = new Parts()
  parts.add({ result: true, comment: `\nFunction ${FunctionName} is present.` })
  const steps = [
    () => configurationPart(ctx, wanted),
    () => codePart(ctx, wanted),
    () => permissionsPart(ctx, wanted, permissions),
  ]
  for (const step of steps) {
    const part = await step()
    parts.add(part)
    if (part.result === false) return { ...parts.report(FunctionName), comment: part.comment }
  }
  const report = parts.report(FunctionName)
  const comment = report.result === null ? `Function ${FunctionName} set to be modified.` : report.comment.slice(1)
  return { ...report, comment }
}

export const function_absent = state({
  doc: 'Ensure that a function does not exist.',
  args: { name: WANTED.name, FunctionName: WANTED.FunctionName, ...LOGIN },
  run: (ctx, { name: _name, FunctionName, ...login }) =>
    ensure(ctx, {
      name: FunctionName,
      look: async () => {
        const found = await ask(ctx, 'function_exists', login, { FunctionName })
        if (found.has('error')) return failed(`Failed to delete function: ${errorOf(found)}.`)
        return truthy(found.get('exists') ?? false) ? 'there' : settled(`Function ${FunctionName} does not exist.`)
      },
      foresee: () => `Function ${FunctionName} is set to be removed.`,
      act: async () => {
        const gone = await ask(ctx, 'delete_function', login, { FunctionName })
        return truthy(gone.get('deleted') ?? false)
          ? changed(`Function ${FunctionName} deleted.`, { old: { function: FunctionName }, new: { function: null } })
          : failed(`Failed to delete function: ${errorOf(gone)}.`)
      },
    }),
})
