// HAProxy through its admin socket: one command per connection, statistics as CSV under a `#` line of column names.
import { type Dict, failure, PyError, str } from '../../../data/mod.ts'
import { arg, type Bound, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

/** Send a command. A name that holds a `;`, a blank or a control character would make it another one, and is refused. */
async function send(ctx: FunctionContext, path: string, ...words: string[]): Promise<string> {
  const hostile = words.find((word) => !/^[^\s;\p{Cc}]+$/u.test(word))
  if (hostile !== undefined) throw failure(`HAProxy knows no ${JSON.stringify(hostile)}`)
  const stat = await ctx.host.stat(path)
  if (!stat) throw new PyError('AssertionError', `${path} does not exist.`)
  if (stat.type !== 'socket') throw new PyError('AssertionError', `${path} is not a socket.`)
  const connection = await ctx.host.connect({ path })
  try {
    await connection.write(`${words.join(' ')}\r\n`)
    const decoder = new TextDecoder()
    let answer = ''
    for (let piece = await connection.read(); piece !== undefined; piece = await connection.read()) {
      answer += decoder.decode(piece, { stream: true })
    }
    return answer.trim()
  } finally {
    connection.close()
  }
}

type Statistics = Map<string, string>[]

async function statistics(ctx: FunctionContext, socket: string): Promise<Statistics> {
  const [head = '', ...lines] = (await send(ctx, socket, 'show', 'stat')).split('\n')
  if (!head.startsWith('#')) throw new PyError('Exception', 'Could not parse columns from HAProxy output')
  const columns = head.replace(/^#\s*/, '').split(',')
  return lines.map((line) => {
    const cells = line.split(',')
    return new Map(columns.map((column, i) => [column, cells[i] ?? '']))
  })
}

/** Return the names of frontends or backends. */
async function proxies(ctx: FunctionContext, socket: string, kind: 'FRONTEND' | 'BACKEND'): Promise<string[]> {
  const found = (await statistics(ctx, socket)).filter((row) => row.get('svname') === kind)
  return found.map((row) => row.get('pxname') ?? '')
}

async function serversOf(ctx: FunctionContext, backend: string, socket: string): Promise<Statistics> {
  const rows = await statistics(ctx, socket)
  return rows.filter((row) => row.get('pxname') === backend && row.get('svname') !== 'BACKEND')
}

const FACTS: readonly (readonly [title: string, column: string])[] = [
  ['Name', 'svname'],
  ['Status', 'status'],
  ['Weight', 'weight'],
  ['bIn', 'bin'],
  ['bOut', 'bout'],
]

async function serverLines(ctx: FunctionContext, backend: string, socket: string): Promise<string[]> {
  const rows = await serversOf(ctx, backend, socket)
  return rows.map((row) => FACTS.map(([title, column]) => `${title}: ${row.get(column)}`).join(' '))
}

const NUMBERS = ['weight', 'bin', 'bout']

/** Return the servers of a backend by name, with their facts. */
async function backendOf(ctx: FunctionContext, backend: string, socket: string): Promise<Map<string, Dict>> {
  const found = new Map<string, Dict>()
  for (const row of await serversOf(ctx, backend, socket)) {
    const facts: Dict = new Map()
    for (const [title, column] of FACTS.slice(1)) {
      const text = row.get(column) ?? ''
      const isNumber = NUMBERS.includes(column) && /^-?\d*$/.test(text)
      facts.set(title.toLowerCase(), isNumber ? Number(text) : text)
    }
    found.set(row.get('svname') ?? '', facts)
  }
  return found
}

const socket = arg.text('Path of the admin socket', { default: '/var/run/haproxy.sock' })
const backend = arg.text('Name of the backend')
const name = arg.text('Name of the server')
const server = { name, backend, socket }
const toggled = { name, backend: arg.text('Name of the backend, or * for all backends'), socket }

type Server = Bound<typeof server>

/** Swap the names of server and backend if only that order names a server, since users confuse the two. */
async function inOrder(ctx: FunctionContext, given: Server): Promise<Server> {
  const { name, backend, socket } = given
  if (backend === '*') return given
  const rows = await statistics(ctx, socket)
  const isServer = (of: string, server: string): boolean =>
    rows.some((row) => row.get('pxname') === of && row.get('svname') === server)
  return !isServer(backend, name) && isServer(name, backend) ? { name: backend, backend: name, socket } : given
}

/** Send a command about a server of one or all backends, and return the servers of each backend after it. */
async function toggle(ctx: FunctionContext, verb: string, given: Server): Promise<Record<string, string>> {
  const { name, backend, socket } = await inOrder(ctx, given)
  const backends = backend === '*' ? await proxies(ctx, socket, 'BACKEND') : [backend]
  const results: Record<string, string> = {}
  for (const each of backends) {
    const refusal = await send(ctx, socket, verb, 'server', `${each}/${name}`)
    if (refusal !== '') ctx.log('error', `HAProxy did not ${verb} server '${name}' of backend '${each}': ${refusal}`)
    results[each] = (await serverLines(ctx, each, socket)).join('\n')
  }
  return results
}

const waited = {
  backend,
  server: name,
  value: arg.text('State, in any case', { default: 'up' }),
  timeout: arg.count('Seconds to wait', { default: 300 }),
  socket,
}

async function waitFor(ctx: FunctionContext, given: Bound<typeof waited>): Promise<boolean> {
  const { backend, server, value, timeout, socket } = given
  const deadline = ctx.host.now() + timeout
  while (ctx.host.now() < deadline) {
    const facts = (await backendOf(ctx, backend, socket)).get(server)
    if (!facts) throw new PyError('KeyError', `'${server}'`)
    if (str(facts.get('status') ?? '').toLowerCase() === value.toLowerCase()) return true
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  return false
}

const serverFunctions = {
  list_servers: reads({
    doc: 'Return the servers of a backend with their status.',
    args: { backend, socket, objectify: arg.flag('Whether a list is returned', { default: false }) },
    returns: ret.any('One line for each server, as text or list'),
    example: 'haproxy.list_servers mysql',
    run: async (ctx, { backend, socket, objectify }) => {
      const lines = await serverLines(ctx, backend, socket)
      return objectify ? lines : lines.join('\n')
    },
  }),
  wait_state: reads({
    doc: 'Wait until a server is in a state.',
    args: waited,
    returns: ret.boolean('Whether the server was in the state in time'),
    example: 'haproxy.wait_state mysql server01 up 60',
    run: waitFor,
  }),
  enable_server: changes({
    doc: 'Enable a server.',
    args: toggled,
    returns: ret.dict('Servers with their status by backend'),
    example: 'haproxy.enable_server web1.example.com www',
    run: (ctx, given) => toggle(ctx, 'enable', given),
  }),
  disable_server: changes({
    doc: 'Disable a server.',
    args: toggled,
    returns: ret.dict('Servers with their status by backend'),
    example: 'haproxy.disable_server db1.example.com mysql',
    run: (ctx, given) => toggle(ctx, 'disable', given),
  }),
  get_weight: reads({
    doc: 'Return the weight of a server.',
    args: server,
    returns: ret.string('Answer of HAProxy'),
    example: 'haproxy.get_weight web1 www',
    run: (ctx, { name, backend, socket }) => send(ctx, socket, 'get', 'weight', `${backend}/${name}`),
  }),
  set_weight: changes({
    doc: 'Set the weight of a server.',
    args: { name, backend, weight: arg.any('Weight: a number, or a text with %', { default: 0 }), socket },
    returns: ret.string('New weight, in the answer of HAProxy'),
    example: 'haproxy.set_weight web1 www 13',
    run: async (ctx, { name, backend, weight, socket }) => {
      await send(ctx, socket, 'set', 'weight', `${backend}/${name}`, str(weight))
      return send(ctx, socket, 'get', 'weight', `${backend}/${name}`)
    },
  }),
  set_state: changes({
    doc: 'Set the administrative state of a server.',
    args: { name, backend, state: arg.text('State: ready, drain or maint'), socket },
    returns: ret.string('Answer of HAProxy'),
    example: 'haproxy.set_state my_server www ready',
    run: (ctx, { name, backend, state, socket }) =>
      send(ctx, socket, 'set', 'server', `${backend}/${name}`, 'state', state),
  }),
  get_sessions: reads({
    doc: 'Return the number of current sessions of a server.',
    args: server,
    returns: ret.optional(ret.string('Number as text; None without such a server')),
    example: 'haproxy.get_sessions web1 www',
    run: async (ctx, { name, backend, socket }) => {
      const rows = await statistics(ctx, socket)
      return rows.find((row) => row.get('pxname') === backend && row.get('svname') === name)?.get('scur')
    },
  }),
}

export default defineModule({
  name: 'haproxyconn',
  virtual: 'haproxy',
  doc: 'Manage a running HAProxy.',
  functions: {
    ...serverFunctions,
    get_backend: reads({
      doc: 'Return the servers of a backend.',
      args: { backend, socket },
      returns: ret.dict('Facts by server'),
      example: 'haproxy.get_backend mysql',
      run: async (ctx, { backend, socket }) => new Map(await backendOf(ctx, backend, socket)),
    }),
    show_frontends: reads({
      doc: 'Return the names of the frontends as text.',
      args: { socket },
      returns: ret.string('One name on each line'),
      run: async (ctx, { socket }) => (await proxies(ctx, socket, 'FRONTEND')).join('\n'),
    }),
    list_frontends: reads({
      doc: 'Return the names of the frontends.',
      args: { socket },
      returns: ret.texts('Names of the frontends'),
      run: (ctx, { socket }) => proxies(ctx, socket, 'FRONTEND'),
    }),
    show_backends: reads({
      doc: 'Return the names of the backends as text.',
      args: { socket },
      returns: ret.string('One name on each line'),
      run: async (ctx, { socket }) => (await proxies(ctx, socket, 'BACKEND')).join('\n'),
    }),
    list_backends: reads({
      doc: 'Return the backends with their servers.',
      args: { servers: arg.flag('Whether the servers are returned too', { default: true }), socket },
      returns: ret.any('Servers by backend, or a list of names'),
      example: 'haproxy.list_backends servers=False',
      run: async (ctx, { servers, socket }) => {
        const names = await proxies(ctx, socket, 'BACKEND')
        if (!servers) return names
        const found: Dict = new Map()
        for (const each of names) found.set(each, new Map(await backendOf(ctx, each, socket)))
        return found
      },
    }),
  },
})
