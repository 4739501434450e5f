// RabbitMQ, through rabbitmqctl and rabbitmq-plugins: users, virtual hosts, permissions, policies, plugins, clusters.
import { randomInt } from 'node:crypto'
import {
  type Dict,
  dumpJson,
  failure,
  isDict,
  isList,
  loadJson,
  misuse,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import { arg, type Bound, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { call, contentLines, contentWords, output, type RunAs, table } from './module/control.ts'
import { definition } from './upstream-arguments.ts'

const runas = arg.text('System user that runs the program. Default: the user of the minion', { optional: true })
const user = { name: arg.text('Name of the user'), runas }
const vhost = arg.text('Name of the virtual host')
const password = arg.text('Password', { secret: true })

/** Parse `[administrator, monitoring]`. */
function tagsOf(text: string): string[] {
  const inner = text.slice(1, -1)
  return inner.includes(',') ? inner.split(',').map((tag) => tag.trim()) : inner.split(' ')
}

const listUsers = async (ctx: FunctionContext, runas: RunAs): Promise<Dict> =>
  table(await output(ctx, runas, ['list_users', '-q']), tagsOf)

/** Return rows of JSON by the value of one column, without that column. */
async function permissions(ctx: FunctionContext, runas: RunAs, words: Value[], column: string): Promise<Dict> {
  const answer = await call(ctx, runas, words)
  const found = loadJson(str(answer.get('stdout') ?? ''))
  const rows = isList(found) ? found.filter(isDict) : []
  return new Map(rows.map((row) => [row.get(column) ?? null, new Map([...row].filter(([key]) => key !== column))]))
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

async function addUser(ctx: FunctionContext, name: string, password: string | null, runas: RunAs) {
  // rabbitmqctl cannot create a user without a password, but it can clear the password
  const first = password ?? Array.from({ length: 15 }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  const Added = await output(ctx, runas, ['add_user', name], { password: first })
  if (password !== null) return { Added }
  try {
    await output(ctx, runas, ['clear_password', name])
  } catch (error) {
    await output(ctx, runas, ['delete_user', name])
    throw error
  }
  return { Added }
}

const printed = ret.dict('What the program printed')

const users = {
  list_users: reads({
    doc: 'Return all users and their tags.',
    args: { runas },
    returns: ret.dict('Tags by user'),
    run: (ctx, { runas }) => listUsers(ctx, runas),
  }),
  user_exists: reads({
    doc: 'Return whether a user exists.',
    args: user,
    returns: ret.boolean('Whether the user exists'),
    example: 'rabbitmq.user_exists joe',
    run: async (ctx, { name, runas }) => (await listUsers(ctx, runas)).has(name),
  }),
  add_user: changes({
    doc: 'Create a user.',
    args: {
      name: user.name,
      password: arg.text('Password. Default: no password', { optional: true, secret: true }),
      runas,
    },
    returns: printed,
    example: 'rabbitmq.add_user joe secret',
    run: (ctx, { name, password, runas }) => addUser(ctx, name, password, runas),
  }),
  delete_user: changes({
    doc: 'Remove a user.',
    args: user,
    returns: printed,
    example: 'rabbitmq.delete_user joe',
    run: async (ctx, { name, runas }) => ({ Deleted: await output(ctx, runas, ['delete_user', name]) }),
  }),
  change_password: changes({
    doc: 'Change the password of a user.',
    args: { name: user.name, password, runas },
    returns: printed,
    example: 'rabbitmq.change_password joe new',
    run: async (ctx, { name, password, runas }) => ({
      'Password Changed': await output(ctx, runas, ['change_password', name], { password }),
    }),
  }),
  clear_password: changes({
    doc: 'Remove the password of a user, who can then not log in by password.',
    args: user,
    returns: printed,
    example: 'rabbitmq.clear_password joe',
    run: async (ctx, { name, runas }) => ({ 'Password Cleared': await output(ctx, runas, ['clear_password', name]) }),
  }),
  check_password: reads({
    doc: 'Return whether a password is correct.',
    args: { name: user.name, password, runas },
    returns: ret.boolean('Whether the password is correct'),
    example: 'rabbitmq.check_password joe secret',
    run: async (ctx, { name, password, runas }) => {
      const answer = await call(ctx, runas, ['authenticate_user', name], { password })
      return answer.get('retcode') === 0 && str(answer.get('stderr') ?? '') === ''
    },
  }),
  set_user_tags: changes({
    doc: 'Set the tags of a user.',
    args: { name: user.name, tags: arg.textOrList('Tag, or a list of tags'), runas },
    returns: printed,
    example: 'rabbitmq.set_user_tags joe administrator',
    run: async (ctx, { name, tags, runas }) => ({
      'Tag(s) set': await output(ctx, runas, ['set_user_tags', name, ...(typeof tags === 'string' ? [tags] : tags)]),
    }),
  }),
  list_user_permissions: reads({
    doc: 'Return the permissions of a user.',
    args: user,
    returns: ret.dict('`configure`, `write` and `read` by virtual host'),
    example: 'rabbitmq.list_user_permissions joe',
    run: (ctx, { name, runas }) =>
      permissions(ctx, runas, ['list_user_permissions', name, '--formatter=json'], 'vhost'),
  }),
}

const listVhosts = async (ctx: FunctionContext, runas: RunAs): Promise<string[]> =>
  contentWords(await output(ctx, runas, ['list_vhosts', '-q']))

const allowed = arg.text('Regular expression of the names that the user may use so', { default: '.*' })

const vhosts = {
  list_vhosts: reads({
    doc: 'Return all virtual hosts.',
    args: { runas },
    returns: ret.texts('Names of the virtual hosts'),
    run: (ctx, { runas }) => listVhosts(ctx, runas),
  }),
  vhost_exists: reads({
    doc: 'Return whether a virtual host exists.',
    args: { name: vhost, runas },
    returns: ret.boolean('Whether the virtual host exists'),
    example: 'rabbitmq.vhost_exists app',
    run: async (ctx, { name, runas }) => (await listVhosts(ctx, runas)).includes(name),
  }),
  add_vhost: changes({
    doc: 'Create a virtual host.',
    args: { vhost, runas },
    returns: printed,
    example: 'rabbitmq.add_vhost app',
    run: async (ctx, { vhost, runas }) => ({ Added: await output(ctx, runas, ['add_vhost', vhost]) }),
  }),
  delete_vhost: changes({
    doc: 'Remove a virtual host.',
    args: { vhost, runas },
    returns: printed,
    example: 'rabbitmq.delete_vhost app',
    run: async (ctx, { vhost, runas }) => ({ Deleted: await output(ctx, runas, ['delete_vhost', vhost]) }),
  }),
  set_permissions: changes({
    doc: 'Set what a user may configure, write and read.',
    args: { vhost, user: user.name, conf: allowed, write: allowed, read: allowed, runas },
    returns: printed,
    example: 'rabbitmq.set_permissions app joe',
    run: async (ctx, { vhost, user, conf, write, read, runas }) => ({
      'Permissions Set': await output(ctx, runas, ['set_permissions', '-p', vhost, user, conf, write, read]),
    }),
  }),
  list_permissions: reads({
    doc: 'Return the permissions of users in a virtual host.',
    args: { vhost, runas },
    returns: ret.dict('`configure`, `write` and `read` by user'),
    example: 'rabbitmq.list_permissions /',
    run: (ctx, { vhost, runas }) =>
      permissions(ctx, runas, ['list_permissions', '--formatter=json', '-p', vhost], 'user'),
  }),
}

const isTarget = (text = ''): boolean => /^(all|queues|exchanges)$/.test(text)

async function listPolicies(ctx: FunctionContext, vhost: string, runas: RunAs): Promise<Dict> {
  const found = new Map<Value, Dict>()
  const text = await output(ctx, runas, ['list_policies', '-q', '-p', vhost])
  for (const line of contentLines(text)) {
    const parts = line.trim().split('\t')
    if (parts.length !== 5 && parts.length !== 6) continue
    const [host = '', key = '', ...facts] = parts
    // before 3.7 the type of the objects was before the pattern, or missing
    const isOld = facts.length === 3 || (isTarget(facts[0]) && !isTarget(facts[1]))
    const [pattern = null, apply_to] = isOld ? [facts.at(-3), facts.length === 4 ? facts[0] : undefined] : facts
    const policy: Dict = new Map<Value, Value>([['pattern', pattern]])
    if (apply_to !== undefined) policy.set('apply_to', apply_to)
    policy.set('definition', facts.at(-2) ?? null).set('priority', facts.at(-1) ?? null)
    found.set(host, (found.get(host) ?? new Map<Value, Value>()).set(key, policy))
  }
  return new Map(found)
}

const policyName = arg.text('Name of the policy')
const policy = {
  vhost,
  name: policyName,
  pattern: arg.text('Regular expression of the names of the objects'),
  definition: arg.any('Definition: a dict or JSON; anything else is an error'),
  priority: arg.text('Priority', { optional: true }),
  runas,
  apply_to: arg.text('Type of the objects: queues, exchanges or all', { optional: true }),
}

async function setPolicy(ctx: FunctionContext, given: Bound<typeof policy>) {
  const { vhost, name, pattern, definition, priority, runas, apply_to } = given
  const text = isDict(definition) ? dumpJson(definition) : definition
  if (typeof text !== 'string') {
    throw misuse("The 'definition' argument must be a dictionary or JSON string")
  }
  const flags = [
    ...(priority && priority !== '0' ? ['--priority', priority] : []),
    ...(apply_to ? ['--apply-to', apply_to] : []),
  ]
  return { Set: await output(ctx, runas, ['set_policy', '-p', vhost, ...flags, name, pattern, text]) }
}

const policies = {
  list_policies: reads({
    doc: 'Return the policies of a virtual host.',
    args: { vhost: arg.text('Name of the virtual host', { default: '/' }), runas },
    returns: ret.dict('Policies by virtual host and name'),
    run: (ctx, { vhost, runas }) => listPolicies(ctx, vhost || '/', runas),
  }),
  policy_exists: reads({
    doc: 'Return whether a policy exists.',
    args: { vhost, name: policyName, runas },
    returns: ret.boolean('Whether the policy exists'),
    example: 'rabbitmq.policy_exists / HA',
    run: async (ctx, { vhost, name, runas }) => {
      const found = (await listPolicies(ctx, vhost, runas)).get(vhost) ?? null
      return isDict(found) && found.has(name)
    },
  }),
  set_policy: changes({
    doc: 'Set a policy.',
    args: policy,
    returns: printed,
    example: `rabbitmq.set_policy / HA '.*' '{"ha-mode":"all"}'`,
    run: setPolicy,
  }),
  delete_policy: changes({
    doc: 'Remove a policy.',
    args: { vhost, name: policyName, runas },
    returns: printed,
    example: 'rabbitmq.delete_policy / HA',
    run: async (ctx, { vhost, name, runas }) => ({
      Deleted: await output(ctx, runas, ['clear_policy', '-p', vhost, name]),
    }),
  }),
}

/** Declare a function that runs one command of rabbitmqctl without arguments. */
const plain = (verb: string, doc: string, declare: typeof reads) =>
  declare({
    doc,
    args: { runas },
    returns: ret.string('Output of the command'),
    example: `rabbitmq.${verb}`,
    run: (ctx, { runas }) => output(ctx, runas, [verb]),
  })

const columns = arg.rest('Columns, such as messages and consumers')

const server = {
  status: plain('status', 'Return the status of the server.', reads),
  cluster_status: plain('cluster_status', 'Return the status of the cluster.', reads),
  stop_app: plain('stop_app', 'Stop the application, but not the node.', changes),
  start_app: plain('start_app', 'Start the application.', changes),
  reset: plain('reset', 'Remove a node from its cluster, and delete all its data.', changes),
  force_reset: plain('force_reset', 'Delete all data of a node without regard to its cluster.', changes),
  join_cluster: changes({
    doc: 'Join a cluster.',
    args: {
      host: arg.text('Host of a node of the cluster'),
      user: arg.text('First part of the name of that node', { default: 'rabbit' }),
      ram_node: arg.flag('Whether the node keeps its data in memory only', { optional: true }),
      runas,
    },
    returns: printed,
    example: 'rabbitmq.join_cluster rabbit.example.com rabbit',
    run: async (ctx, { host, user, ram_node, runas }) => {
      await output(ctx, runas, ['stop_app'])
      const answer = await call(ctx, runas, ['join_cluster', ...(ram_node ? ['--ram'] : []), `${user}@${host}`])
      await output(ctx, runas, ['start_app'])
      const errors = str(answer.get('stderr') ?? '')
      if (answer.get('retcode') !== 0 || errors !== '') {
        throw failure(`RabbitMQ command failed: ${errors}`)
      }
      return { Join: answer.get('stdout') ?? '' }
    },
  }),
  list_queues: reads({
    doc: 'Return the queues of the default virtual host.',
    args: { runas, columns },
    returns: ret.dict('Columns by queue'),
    example: 'rabbitmq.list_queues messages consumers',
    run: async (ctx, { runas, columns }) => table(await output(ctx, runas, ['list_queues', '-q', ...columns])),
  }),
  list_queues_vhost: reads({
    doc: 'Return the queues of a virtual host.',
    args: { vhost, runas, columns },
    returns: ret.dict('Columns by queue'),
    example: 'rabbitmq.list_queues_vhost app',
    run: async (ctx, { vhost, runas, columns }) =>
      table(await output(ctx, runas, ['list_queues', '-q', '-p', vhost, ...columns])),
  }),
}

const plugin = { name: arg.text('Name of the plugin'), runas }

const runPlugins = (ctx: FunctionContext, runas: RunAs, ...words: string[]): Promise<string> =>
  output(ctx, runas, words, { program: 'rabbitmq-plugins' })

const enabledPlugins = async (ctx: FunctionContext, runas: RunAs): Promise<string[]> =>
  contentWords(await runPlugins(ctx, runas, 'list', '-m', '-e'))

const plugins = {
  list_available_plugins: reads({
    doc: 'Return all plugins.',
    args: { runas },
    returns: ret.texts('Names of the plugins'),
    run: async (ctx, { runas }) => contentWords(await runPlugins(ctx, runas, 'list', '-m')),
  }),
  list_enabled_plugins: reads({
    doc: 'Return the enabled plugins.',
    args: { runas },
    returns: ret.texts('Names of the plugins'),
    run: (ctx, { runas }) => enabledPlugins(ctx, runas),
  }),
  plugin_is_enabled: reads({
    doc: 'Return whether a plugin is enabled.',
    args: plugin,
    returns: ret.boolean('Whether the plugin is enabled'),
    example: 'rabbitmq.plugin_is_enabled rabbitmq_shovel',
    run: async (ctx, { name, runas }) => (await enabledPlugins(ctx, runas)).includes(name),
  }),
  enable_plugin: changes({
    doc: 'Enable a plugin.',
    args: plugin,
    returns: printed,
    example: 'rabbitmq.enable_plugin rabbitmq_shovel',
    run: async (ctx, { name, runas }) => ({ Enabled: await runPlugins(ctx, runas, 'enable', name) }),
  }),
  disable_plugin: changes({
    doc: 'Disable a plugin.',
    args: plugin,
    returns: printed,
    example: 'rabbitmq.disable_plugin rabbitmq_shovel',
    run: async (ctx, { name, runas }) => ({ Disabled: await runPlugins(ctx, runas, 'disable', name) }),
  }),
}

const upstream = { name: arg.text('Name of the upstream'), runas }

async function listUpstreams(ctx: FunctionContext, runas: RunAs): Promise<Dict> {
  const answer = await call(ctx, runas, ['list_parameters', '-q'])
  const lines = contentLines(str(answer.get('stdout') ?? '')).map((line) => line.split('\t'))
  return new Map(lines.filter((parts) => parts.length === 3).map(([, key = '', definition = '']) => [key, definition]))
}

const upstreams = {
  list_upstreams: reads({
    doc: 'Return the upstreams of federations.',
    args: { runas },
    returns: ret.dict('Definitions in JSON by name'),
    run: (ctx, { runas }) => listUpstreams(ctx, runas),
  }),
  upstream_exists: reads({
    doc: 'Return whether an upstream exists.',
    args: upstream,
    returns: ret.boolean('Whether the upstream exists'),
    example: 'rabbitmq.upstream_exists up',
    run: async (ctx, { name, runas }) => (await listUpstreams(ctx, runas)).has(name),
  }),
  set_upstream: changes({
    doc: 'Set an upstream of a federation.',
    args: { name: upstream.name, ...definition, runas },
    returns: ret.boolean('True; a failure is an error'),
    example: 'rabbitmq.set_upstream up amqp://example.com',
    run: async (ctx, { name, runas, ...options }) => {
      const chosen = Object.entries(options).filter(([, value]) => truthy(value))
      const json = dumpJson(new Map(chosen.map(([key, value]) => [key.replaceAll('_', '-'), value])))
      await output(ctx, runas, ['set_parameter', 'federation-upstream', name, json])
      return true
    },
  }),
  delete_upstream: changes({
    doc: 'Remove an upstream of a federation.',
    args: upstream,
    returns: ret.boolean('True; a failure is an error'),
    example: 'rabbitmq.delete_upstream up',
    run: async (ctx, { name, runas }) => {
      await output(ctx, runas, ['clear_parameter', 'federation-upstream', name])
      return true
    },
  }),
}

export default defineModule({
  name: 'rabbitmq',
  doc: 'Manage RabbitMQ.',
  when: async ({ host }) =>
    (await host.which('rabbitmqctl')) !== undefined || 'Module rabbitmq: module only works when RabbitMQ is installed',
  functions: { ...users, ...vhosts, ...policies, ...server, ...plugins, ...upstreams },
})
