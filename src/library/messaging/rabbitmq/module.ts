// RabbitMQ, through rabbitmqctl and rabbitmq-plugins: users, virtual hosts, permissions, policies, plugins, clusters.
import { randomInt } from 'node:crypto'
import { type Dict, dumpJson, isDict, isList, loadJson, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import {
  type Arg,
  arg,
  defineModule,
  type FunctionContext,
  type FunctionDeclaration,
  fn,
  type Result,
  type Returns,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import { call, contentLines, contentWords, type Given, output, table } from './module/control.ts'

const runas = arg.any('The system user that the program runs as', { optional: true })
const name = arg.any('The name')
const vhost = arg.any('The virtual host')
const secret = arg.any('The password', { secret: true })

function declare(effect: FunctionDeclaration['effect']) {
  return <R extends Result = Result>(
    doc: string,
    args: Record<string, Arg<Value>>,
    example: string,
    run: (ctx: FunctionContext, given: Given) => Promise<NoInfer<R>>,
    returns?: Returns<R>,
  ): FunctionDeclaration =>
    fn({
      doc,
      args,
      returns: returns ?? ret.any('What RabbitMQ tells'),
      examples: [`salt '*' rabbitmq.${example}`],
      effect,
      run: (ctx, given) => run(ctx, given as Given),
    })
}

const asking = declare('read')
const changing = declare('change')

const word = (given: Given, key: string): Value => given[key] ?? null

/** `[administrator, monitoring]` as a list. */
const tagsOf = (text: string): Value => {
  const inner = text.slice(1, -1)
  return inner.includes(',') ? inner.split(',').map((tag) => tag.trim()) : inner.split(' ')
}

const listUsers = async (ctx: FunctionContext, given: Given): Promise<Dict> =>
  table(await output(ctx, given, ['list_users', '-q']), tagsOf)

const listVhosts = async (ctx: FunctionContext, given: Given): Promise<string[]> =>
  contentWords(await output(ctx, given, ['list_vhosts', '-q']))

async function listUpstreams(ctx: FunctionContext, given: Given): Promise<Dict> {
  const answer = await call(ctx, given, ['list_parameters', '-q'])
  const lines = contentLines(str(answer.get('stdout') ?? '')).map((line) => line.split('\t'))
  return new Map(lines.filter((parts) => parts.length === 3).map(([, key, definition]) => [key!, definition!]))
}

/** Rows of JSON by the value of one column, which is taken out of them. */
async function permissions(ctx: FunctionContext, given: Given, words: Value[], column: string): Promise<Dict> {
  const answer = await call(ctx, given, words)
  const rows = loadJson(str(answer.get('stdout') ?? '')) as Dict[]
  return new Map(rows.map((row) => [row.get(column)!, new Map([...row].filter(([key]) => key !== column))]))
}

/** The heading of the answer, and what was printed. */
async function told(ctx: FunctionContext, given: Given, title: string, words: Value[], quiet = false): Promise<Dict> {
  return new Map([[title, await output(ctx, given, words, { quiet })]])
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

async function addUser(ctx: FunctionContext, given: Given): Promise<Dict> {
  const password = given['password'] ?? null
  // a user without a password cannot be made, but the password can be taken away
  const first = password ?? Array.from({ length: 15 }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  const answer = await told(ctx, given, 'Added', ['add_user', word(given, 'name'), first], true)
  if (password !== null) return answer
  try {
    await told(ctx, given, 'Password Cleared', ['clear_password', word(given, 'name')])
  } catch (error) {
    await told(ctx, given, 'Deleted', ['delete_user', word(given, 'name')])
    throw error
  }
  return answer
}

async function checkPassword(ctx: FunctionContext, given: Given): Promise<boolean> {
  const words = ['authenticate_user', word(given, 'name'), word(given, 'password')]
  const answer = await call(ctx, given, words, { quiet: true })
  return answer.get('retcode') === 0 && str(answer.get('stderr') ?? '') === ''
}

async function listPolicies(ctx: FunctionContext, given: Given): Promise<Dict> {
  const found: Dict = new Map()
  const text = await output(ctx, given, ['list_policies', '-q', '-p', word(given, 'vhost') ?? '/'])
  for (const line of contentLines(text)) {
    const parts = line.trim().split('\t')
    if (parts.length !== 5 && parts.length !== 6) continue
    const [host, key, ...facts] = parts
    // before 3.7 the kind of objects stood before the pattern, or nowhere
    const isKind = (text: string | undefined): boolean => /^(all|queues|exchanges)$/.test(text ?? '')
    const isOld = facts.length === 3 || (isKind(facts[0]) && !isKind(facts[1]))
    const [pattern, apply_to] = isOld ? [facts.at(-3), facts.length === 4 ? facts[0] : undefined] : facts
    const policy: Dict = new Map<Value, Value>([['pattern', pattern!]])
    if (apply_to !== undefined) policy.set('apply_to', apply_to)
    policy.set('definition', facts.at(-2)!).set('priority', facts.at(-1)!)
    const hosts = (found.get(host!) as Dict | undefined) ?? new Map()
    found.set(host!, hosts.set(key!, policy))
  }
  return found
}

async function setPolicy(ctx: FunctionContext, given: Given): Promise<Dict> {
  const definition = word(given, 'definition')
  const text = isDict(definition) ? dumpJson(definition) : definition
  if (typeof text !== 'string') {
    throw new SaltError('SaltInvocationError', "The 'definition' argument must be a dictionary or JSON string")
  }
  const words: Value[] = ['set_policy', '-p', word(given, 'vhost')]
  if (truthy(word(given, 'priority'))) words.push('--priority', word(given, 'priority'))
  if (truthy(word(given, 'apply_to'))) words.push('--apply-to', word(given, 'apply_to'))
  return told(ctx, given, 'Set', [...words, word(given, 'name'), word(given, 'pattern'), text])
}

const plugins = (ctx: FunctionContext, given: Given, words: Value[]): Promise<string> =>
  output(ctx, given, words, { program: 'rabbitmq-plugins' })

const enabledPlugins = async (ctx: FunctionContext, given: Given): Promise<string[]> =>
  contentWords(await plugins(ctx, given, ['list', '-m', '-e']))

const users = {
  list_users: asking('All users and their tags.', { runas }, 'list_users', listUsers, ret.dict('The tags, by user')),
  user_exists: asking('Whether there is a user.', { name, runas }, 'user_exists joe', async (ctx, given) =>
    (await listUsers(ctx, given)).has(str(word(given, 'name'))),
  ),
  add_user: changing(
    'Make a user.',
    { name, password: arg.any('The password', { optional: true, secret: true }), runas },
    'add_user joe secret',
    addUser,
  ),
  delete_user: changing('Remove a user.', { name, runas }, 'delete_user joe', (ctx, given) =>
    told(ctx, given, 'Deleted', ['delete_user', word(given, 'name')]),
  ),
  change_password: changing(
    'Change a password.',
    { name, password: secret, runas },
    'change_password joe new',
    (ctx, given) =>
      told(ctx, given, 'Password Changed', ['change_password', word(given, 'name'), word(given, 'password')], true),
  ),
  clear_password: changing('Take a password away.', { name, runas }, 'clear_password joe', (ctx, given) =>
    told(ctx, given, 'Password Cleared', ['clear_password', word(given, 'name')]),
  ),
  check_password: asking(
    'Whether a password is right.',
    { name, password: secret, runas },
    'check_password joe secret',
    checkPassword,
  ),
  set_user_tags: changing(
    'Give tags to a user.',
    { name, tags: arg.any('A tag, or a list of them'), runas },
    'set_user_tags joe administrator',
    (ctx, given) => {
      const tags = word(given, 'tags')
      const words = isList(tags) ? [...(tags as Value[])] : [tags]
      return told(ctx, given, 'Tag(s) set', ['set_user_tags', word(given, 'name'), ...words])
    },
  ),
  list_user_permissions: asking(
    'What a user may do, by virtual host.',
    { name, runas },
    'list_user_permissions joe',
    (ctx, given) =>
      permissions(ctx, given, ['list_user_permissions', word(given, 'name'), '--formatter=json'], 'vhost'),
    ret.dict('The permissions, by host'),
  ),
}

const any = arg.any('Names that it may do so with, as a regular expression', { default: '.*' })

const vhosts = {
  list_vhosts: asking('All virtual hosts.', { runas }, 'list_vhosts', listVhosts),
  vhost_exists: asking('Whether there is a virtual host.', { name, runas }, 'vhost_exists app', async (ctx, given) =>
    (await listVhosts(ctx, given)).includes(str(word(given, 'name'))),
  ),
  add_vhost: changing(
    'Make a virtual host.',
    { vhost, runas },
    'add_vhost app',
    (ctx, given) => told(ctx, given, 'Added', ['add_vhost', word(given, 'vhost')]),
    ret.dict('What RabbitMQ says'),
  ),
  delete_vhost: changing(
    'Remove a virtual host.',
    { vhost, runas },
    'delete_vhost app',
    (ctx, given) => told(ctx, given, 'Deleted', ['delete_vhost', word(given, 'vhost')]),
    ret.dict('What RabbitMQ says'),
  ),
  set_permissions: changing(
    'Say what a user may configure, write and read.',
    { vhost, user: arg.any('The user'), conf: any, write: any, read: any, runas },
    'set_permissions app joe',
    (ctx, given) => {
      const rights = ['vhost', 'user', 'conf', 'write', 'read'].map((key) => word(given, key))
      return told(ctx, given, 'Permissions Set', ['set_permissions', '-p', ...rights])
    },
  ),
  list_permissions: asking(
    'What users may do in a virtual host.',
    { vhost, runas },
    'list_permissions /',
    (ctx, given) =>
      permissions(ctx, given, ['list_permissions', '--formatter=json', '-p', word(given, 'vhost')], 'user'),
  ),
  list_policies: asking(
    'Policies, by virtual host.',
    { vhost: arg.any('The virtual host', { default: '/' }), runas },
    'list_policies',
    listPolicies,
    ret.dict('The policies, by host and name'),
  ),
  policy_exists: asking(
    'Whether there is a policy.',
    { vhost, name, runas },
    'policy_exists / HA',
    async (ctx, given) => {
      const found = (await listPolicies(ctx, given)).get(str(word(given, 'vhost'))) as Dict | undefined
      return found?.has(str(word(given, 'name'))) ?? false
    },
  ),
  set_policy: changing(
    'Set a policy.',
    {
      vhost,
      name,
      pattern: arg.any('Which objects it is for, as a regular expression'),
      definition: arg.any('What it says, as a mapping or JSON'),
      priority: arg.any('Its priority', { optional: true }),
      runas,
      apply_to: arg.any('queues, exchanges or all', { optional: true }),
    },
    `set_policy / HA '.*' '{"ha-mode":"all"}'`,
    setPolicy,
    ret.dict('What RabbitMQ says'),
  ),
  delete_policy: changing('Remove a policy.', { vhost, name, runas }, 'delete_policy / HA', (ctx, given) =>
    told(ctx, given, 'Deleted', ['clear_policy', '-p', word(given, 'vhost'), word(given, 'name')]),
  ),
}

const told1 = (verb: string, doc: string, effect: typeof asking) =>
  effect(doc, { runas }, verb, (ctx, given) => output(ctx, given, [verb]))

function queues(doc: string, own: Record<string, Arg<Value>>, example: string, place: (given: Given) => Value[]) {
  return reads({
    doc,
    args: { ...own, runas, columns: arg.rest('Further columns') },
    returns: ret.dict('Queues by name'),
    example: `rabbitmq.${example}`,
    run: async (ctx, given) => {
      const { columns, ...named } = given as unknown as Given & { columns: Value[] }
      return table(await output(ctx, named as Given, ['list_queues', '-q', ...place(named as Given), ...columns]))
    },
  })
}

const server = {
  status: told1('status', 'How the server is doing.', asking),
  cluster_status: told1('cluster_status', 'How the cluster is doing.', asking),
  stop_app: told1('stop_app', 'Stop the application, but not the node.', changing),
  start_app: told1('start_app', 'Start the application.', changing),
  reset: told1('reset', 'Make a node new again.', changing),
  force_reset: told1('force_reset', 'Make a node new again, whatever the cluster says.', changing),
  join_cluster: changing(
    'Join a cluster.',
    {
      host: arg.any('The host of a node'),
      user: arg.any('The first part of its name', { default: 'rabbit' }),
      ram_node: arg.any('Whether the node keeps nothing on disk', { optional: true }),
      runas,
    },
    'join_cluster rabbit.example.com rabbit',
    async (ctx, given) => {
      const ram = truthy(word(given, 'ram_node')) ? ['--ram'] : []
      await output(ctx, given, ['stop_app'])
      const node = `${str(word(given, 'user'))}@${str(word(given, 'host'))}`
      const answer = await call(ctx, given, ['join_cluster', ...ram, node])
      await output(ctx, given, ['start_app'])
      const said = str(answer.get('stderr') ?? '')
      if (answer.get('retcode') !== 0 || said !== '') {
        throw new SaltError('CommandExecutionError', `RabbitMQ command failed: ${said}`)
      }
      return new Map([['Join', answer.get('stdout') ?? '']])
    },
    ret.dict('What RabbitMQ says'),
  ),
  list_queues: queues('Queues.', {}, 'list_queues messages consumers', () => []),
  list_queues_vhost: queues('Queues of a virtual host.', { vhost }, 'list_queues_vhost app', (given) => [
    '-p',
    given['vhost']!,
  ]),
}

const extensions = {
  list_available_plugins: asking('All plugins.', { runas }, 'list_available_plugins', async (ctx, given) =>
    contentWords(await plugins(ctx, given, ['list', '-m'])),
  ),
  list_enabled_plugins: asking('Plugins that are on.', { runas }, 'list_enabled_plugins', enabledPlugins),
  plugin_is_enabled: asking(
    'Whether a plugin is on.',
    { name, runas },
    'plugin_is_enabled rabbitmq_shovel',
    async (ctx, given) => (await enabledPlugins(ctx, given)).includes(str(word(given, 'name'))),
  ),
  enable_plugin: changing(
    'Switch a plugin on.',
    { name, runas },
    'enable_plugin rabbitmq_shovel',
    async (ctx, given) => ({
      Enabled: await plugins(ctx, given, ['enable', word(given, 'name')]),
    }),
  ),
  disable_plugin: changing(
    'Switch a plugin off.',
    { name, runas },
    'disable_plugin rabbitmq_shovel',
    async (ctx, given) => ({
      Disabled: await plugins(ctx, given, ['disable', word(given, 'name')]),
    }),
  ),
}

const FEDERATION = `prefetch_count reconnect_delay ack_mode trust_user_id exchange max_hops expires message_ttl ha_policy queue`
const federation = Object.fromEntries(
  FEDERATION.split(' ').map((key) => [key, arg.any(`The option ${key.replaceAll('_', '-')}`, { optional: true })]),
)

const upstreams = {
  list_upstreams: asking(
    'Upstreams of federations.',
    { runas },
    'list_upstreams',
    listUpstreams,
    ret.dict('The definitions, by name'),
  ),
  upstream_exists: asking('Whether there is an upstream.', { name, runas }, 'upstream_exists up', async (ctx, given) =>
    (await listUpstreams(ctx, given)).has(str(word(given, 'name'))),
  ),
  set_upstream: changing(
    'Set an upstream of a federation.',
    { name, uri: arg.any('Its address'), ...federation, runas },
    'set_upstream up amqp://example.com',
    async (ctx, given) => {
      const options = ['uri', ...FEDERATION.split(' ')].map(
        (key) => [key.replaceAll('_', '-'), word(given, key)] as const,
      )
      const definition: Dict = new Map(options.filter(([, value]) => truthy(value)))
      await output(ctx, given, ['set_parameter', 'federation-upstream', word(given, 'name'), dumpJson(definition)])
      return true
    },
  ),
  delete_upstream: changing(
    'Remove an upstream of a federation.',
    { name, runas },
    'delete_upstream up',
    async (ctx, given) => {
      await output(ctx, given, ['clear_parameter', 'federation-upstream', word(given, 'name')])
      return true
    },
  ),
}

export default defineModule({
  name: 'rabbitmq',
  doc: 'Work with RabbitMQ.',
  when: async ({ host }) =>
    (await host.which('rabbitmqctl')) !== undefined || 'Module rabbitmq: module only works when RabbitMQ is installed',
  functions: { ...users, ...vhosts, ...server, ...extensions, ...upstreams },
})
