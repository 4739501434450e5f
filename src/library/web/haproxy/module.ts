// HAProxy through its admin socket: one command per connection, statistics as CSV under a `#` line of column names.
import { type Dict, PyError, str, truthy, type Value } from '../../../data/mod.ts'
import {
  type Arg,
  arg,
  defineModule,
  type FunctionContext,
  type FunctionDeclaration,
  fn,
  type Result,
  ret,
} from '../../../sdk/mod.ts'

const SOCKET = '/var/run/haproxy.sock'

async function send(ctx: FunctionContext, socket: Value, command: string): Promise<string> {
  const path = str(socket)
  const stat = await ctx.host.stat(path)
  if (!stat) throw new PyError('AssertionError', `${path} does not exist.`)
  if (stat.type !== 'socket') throw new PyError('AssertionError', `${path} is not a socket.`)
  const connection = await ctx.host.connect({ path })
  try {
    await connection.write(`${command}\r\n`)
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

async function statistics(ctx: FunctionContext, socket: Value): Promise<Statistics> {
  const [head = '', ...lines] = (await send(ctx, socket, 'show stat')).split('\n')
  if (!head.startsWith('#')) throw new PyError('Exception', 'Could not parse columns from HAProxy output')
  const columns = head.replace(/^#\s*/, '').split(',')
  return lines.map((line) => {
    const cells = line.split(',')
    return new Map(columns.map((column, i) => [column, cells[i] ?? '']))
  })
}

/** The names of frontends or backends, one per line. */
async function ends(ctx: FunctionContext, socket: Value, kind: 'FRONTEND' | 'BACKEND'): Promise<string[]> {
  const found = (await statistics(ctx, socket)).filter((row) => row.get('svname') === kind)
  return found.map((row) => row.get('pxname')!)
}

async function serversOf(ctx: FunctionContext, backend: Value, socket: Value): Promise<Statistics> {
  const rows = await statistics(ctx, socket)
  return rows.filter((row) => row.get('pxname') === str(backend) && row.get('svname') !== 'BACKEND')
}

const FACTS: readonly (readonly [title: string, column: string])[] = [
  ['Name', 'svname'],
  ['Status', 'status'],
  ['Weight', 'weight'],
  ['bIn', 'bin'],
  ['bOut', 'bout'],
]

async function serverLines(ctx: FunctionContext, backend: Value, socket: Value): Promise<string[]> {
  const rows = await serversOf(ctx, backend, socket)
  return rows.map((row) => FACTS.map(([title, column]) => `${title}: ${row.get(column)}`).join(' '))
}

const NUMBERS = ['weight', 'bin', 'bout']

/** Servers by name with what is known of them. */
async function backendOf(ctx: FunctionContext, backend: Value, socket: Value): Promise<Dict> {
  const found: Dict = new Map()
  for (const row of await serversOf(ctx, backend, socket)) {
    const facts: Dict = new Map()
    for (const [title, column] of FACTS.slice(1)) {
      const text = row.get(column) ?? ''
      const isNumber = NUMBERS.includes(column) && /^-?\d*$/.test(text)
      facts.set(title.toLowerCase(), isNumber ? Number(text) : text)
    }
    found.set(row.get('svname')!, facts)
  }
  return found
}

/** People write backend and server either way round; what only the other way is a server is taken as that. */
async function inOrder(ctx: FunctionContext, given: Record<string, Value>): Promise<Record<string, Value>> {
  const { name = null, backend = null, socket = null } = given
  if (backend === '*') return given
  const rows = await statistics(ctx, socket)
  const isServer = (of: Value, server: Value): boolean =>
    rows.some((row) => row.get('pxname') === str(of) && row.get('svname') === str(server))
  return !isServer(backend, name) && isServer(name, backend) ? { ...given, name: backend, backend: name } : given
}

/** Sends a command about a server of one backend, or of all, and tells how the servers are then. */
async function toggle(ctx: FunctionContext, verb: string, given: Record<string, Value>): Promise<Result> {
  const { name = null, backend = null, socket = null } = await inOrder(ctx, given)
  const backends = backend === '*' ? await ends(ctx, socket, 'BACKEND') : [str(backend)]
  const results: Dict = new Map()
  for (const each of backends) {
    const refusal = await send(ctx, socket, `${verb} server ${each}/${str(name)}`)
    if (refusal !== '')
      ctx.log('error', `HAProxy did not ${verb} server '${str(name)}' of backend '${each}': ${refusal}`)
    results.set(each, (await serverLines(ctx, each, socket)).join('\n'))
  }
  return results
}

async function waitFor(ctx: FunctionContext, given: Record<string, Value>): Promise<boolean> {
  const { backend = null, server = null, value = null, timeout = null, socket = null } = given
  const deadline = ctx.host.now() + Number(str(timeout))
  while (ctx.host.now() < deadline) {
    const facts = (await backendOf(ctx, backend, socket)).get(str(server)) as Dict | undefined
    if (!facts) throw new PyError('KeyError', `'${str(server)}'`)
    if (str(facts.get('status')!).toLowerCase() === str(value).toLowerCase()) return true
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  return false
}

const socket = arg.any('The admin socket', { default: SOCKET })
const backend = arg.any('The backend')
const name = arg.any('The server')

function declared(
  effect: FunctionDeclaration['effect'],
  doc: string,
  args: Record<string, Arg<Value>>,
  example: string,
  run: (ctx: FunctionContext, given: Record<string, Value>) => Promise<Result>,
): FunctionDeclaration {
  const examples = [`salt '*' haproxy.${example}`]
  return fn({
    doc,
    args,
    returns: ret.any('What HAProxy tells'),
    examples,
    effect,
    run: (ctx, given) => run(ctx, given),
  })
}

export default defineModule({
  name: 'haproxyconn',
  virtual: 'haproxy',
  doc: 'Work with a running HAProxy.',
  functions: {
    list_servers: declared(
      'read',
      'The servers of a backend, one per line.',
      { backend, socket, objectify: arg.any('Whether they come as a list', { default: false }) },
      'list_servers mysql',
      async (ctx, given) => {
        const lines = await serverLines(ctx, given['backend']!, given['socket']!)
        return truthy(given['objectify']!) ? lines : lines.join('\n')
      },
    ),
    wait_state: declared(
      'read',
      'Wait until a server is in a state.',
      {
        backend,
        server: name,
        value: arg.any('The state', { default: 'up' }),
        timeout: arg.any('For how many seconds', { default: 300 }),
        socket,
      },
      'wait_state mysql server01 up 60',
      waitFor,
    ),
    get_backend: declared(
      'read',
      'The servers of a backend by name.',
      { backend, socket },
      'get_backend mysql',
      (ctx, given) => backendOf(ctx, given['backend']!, given['socket']!),
    ),
    enable_server: declared(
      'change',
      'Let a server take part again.',
      { name, backend: arg.any('The backend, or * for all'), socket },
      'enable_server web1.example.com www',
      (ctx, given) => toggle(ctx, 'enable', given),
    ),
    disable_server: declared(
      'change',
      'Take a server out.',
      { name, backend: arg.any('The backend, or * for all'), socket },
      'disable_server db1.example.com mysql',
      (ctx, given) => toggle(ctx, 'disable', given),
    ),
    get_weight: declared(
      'read',
      'The weight of a server.',
      { name, backend, socket },
      'get_weight web1 www',
      (ctx, given) => send(ctx, given['socket']!, `get weight ${str(given['backend']!)}/${str(given['name']!)}`),
    ),
    set_weight: declared(
      'change',
      'Set the weight of a server.',
      { name, backend, weight: arg.any('The weight, or a percentage', { default: 0 }), socket },
      'set_weight web1 www 13',
      async (ctx, given) => {
        const server = `${str(given['backend']!)}/${str(given['name']!)}`
        await send(ctx, given['socket']!, `set weight ${server} ${str(given['weight']!)}`)
        return send(ctx, given['socket']!, `get weight ${server}`)
      },
    ),
    set_state: declared(
      'change',
      'Force a server into a state.',
      { name, backend, state: arg.any('ready, drain or maint'), socket },
      'set_state my_server www ready',
      (ctx, given) => {
        const server = `${str(given['backend']!)}/${str(given['name']!)}`
        return send(ctx, given['socket']!, `set server ${server} state ${str(given['state']!)}`)
      },
    ),
    show_frontends: declared('read', 'The frontends, one per line.', { socket }, 'show_frontends', async (ctx, given) =>
      (await ends(ctx, given['socket']!, 'FRONTEND')).join('\n'),
    ),
    list_frontends: declared('read', 'The frontends.', { socket }, 'list_frontends', (ctx, given) =>
      ends(ctx, given['socket']!, 'FRONTEND'),
    ),
    show_backends: declared('read', 'The backends, one per line.', { socket }, 'show_backends', async (ctx, given) =>
      (await ends(ctx, given['socket']!, 'BACKEND')).join('\n'),
    ),
    list_backends: declared(
      'read',
      'The backends, with their servers.',
      { servers: arg.any('Whether the servers are told as well', { default: true }), socket },
      'list_backends servers=False',
      async (ctx, given) => {
        const names = await ends(ctx, given['socket']!, 'BACKEND')
        if (!truthy(given['servers']!)) return names
        const found: Dict = new Map()
        for (const each of names) found.set(each, await backendOf(ctx, each, given['socket']!))
        return found
      },
    ),
    get_sessions: declared(
      'read',
      'How many sessions a server has.',
      { name, backend, socket },
      'get_sessions web1 www',
      async (ctx, given) => {
        const rows = await statistics(ctx, given['socket']!)
        const own = rows.find(
          (row) => row.get('pxname') === str(given['backend']!) && row.get('svname') === str(given['name']!),
        )
        return own?.get('scur') ?? null
      },
    ),
  },
})
