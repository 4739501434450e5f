// Records of the DNS, changed at the server that keeps them: dig asks it, nsupdate tells it. The key comes from a JSON
// file of secrets by name, and reaches nsupdate by its input, where no list of processes shows it.
import { isDict, loadJson, SaltError, splitLines, splitWords, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, type Result, runAll } from '../../../sdk/mod.ts'

interface Server {
  nameserver: Value
  timeout: Value
  port: Value
  kwargs: ReadonlyMap<string, Value>
}

interface RecordName {
  zone: Value
  name: Value
}

const nameOf = ({ zone, name }: RecordName): string => {
  const text = str(name)
  return text.endsWith('.') ? text : `${text}.${str(zone)}`
}

const rooted = (name: string): string => (name.endsWith('.') ? name : `${name}.`)

async function setting(ctx: FunctionContext, name: string, given: ReadonlyMap<string, Value>): Promise<Value> {
  if (given.has(name)) return given.get(name)!
  const value = await ctx.call('config.option', [`ddns.${name}`])
  return truthy(value) ? value : null
}

/** The line that gives nsupdate its key; none without a file of keys. */
async function keyLines(ctx: FunctionContext, given: ReadonlyMap<string, Value>): Promise<string[]> {
  const file = await setting(ctx, 'keyfile', given)
  if (!truthy(file)) return []
  const keys = loadJson(Buffer.from(await ctx.host.read(str(file))).toString())
  if (!isDict(keys) || keys.size === 0) throw new SaltError('CommandExecutionError', `${str(file)} has no keys`)
  const name = (await setting(ctx, 'keyname', given)) ?? [...keys.keys()][0]!
  const secret = keys.get(name)
  if (secret === undefined) throw new SaltError('CommandExecutionError', `${str(file)} has no key ${str(name)}`)
  const algorithm = str((await setting(ctx, 'keyalgorithm', given)) ?? 'hmac-md5').toLowerCase()
  return [`key ${algorithm.replace(/\.sig-alg\.reg\.int\.?$/, '').replaceAll('_', '-')}:${str(name)} ${str(secret)}`]
}

/** What the server has of a name: lifetime, type and value of each record. */
async function records(
  ctx: FunctionContext,
  name: string,
  type: string,
  server: Server,
): Promise<[string, string, string][]> {
  const where = [`@${str(server.nameserver)}`, '-p', str(server.port), `+time=${str(server.timeout)}`, '+tries=1']
  const { retcode, stdout, stderr } = await runAll(ctx, ['dig', ...where, '+noall', '+answer', name, type])
  if (retcode !== 0)
    throw new SaltError('CommandExecutionError', stderr || stdout || `${str(server.nameserver)} does not answer`)
  return splitLines(stdout).flatMap((line): [string, string, string][] => {
    const [, ttl = '', , kind = '', ...value] = splitWords(line)
    return line.startsWith(';') || kind === '' ? [] : [[ttl, kind, value.join(' ')]]
  })
}

async function send(ctx: FunctionContext, zone: Value, lines: readonly string[], server: Server): Promise<boolean> {
  const head = [`server ${str(server.nameserver)} ${str(server.port)}`, `zone ${rooted(str(zone))}`]
  const script = [...head, ...(await keyLines(ctx, server.kwargs)), ...lines, 'send', '']
  const words = ['nsupdate', '-t', str(server.timeout)]
  const { retcode, stderr } = await runAll(ctx, words, { stdin: script.join('\n') })
  if (retcode !== 0) ctx.log('error', stderr)
  return retcode === 0
}

interface Update extends RecordName, Server {
  ttl: Value
  rdtype: Value
  data: Value
  replace: Value
}

/** None when the record is there already, else whether the server took it. */
async function update(ctx: FunctionContext, wish: Update): Promise<boolean | null> {
  const name = rooted(nameOf(wish))
  const type = str(wish.rdtype).toUpperCase()
  if (!truthy(wish.replace)) {
    const known = await records(ctx, name, type, wish)
    if (known.some(([ttl, kind, value]) => ttl === str(wish.ttl) && kind === type && value === str(wish.data)))
      return null
  }
  const clear = truthy(wish.replace) ? [`update delete ${name} ${type}`] : []
  return send(ctx, wish.zone, [...clear, `update add ${name} ${str(wish.ttl)} ${type} ${str(wish.data)}`], wish)
}

interface Removal extends RecordName, Server {
  rdtype: Value
  data: Value
}

async function remove(ctx: FunctionContext, wish: Removal): Promise<boolean | null> {
  const name = rooted(nameOf(wish))
  const type = truthy(wish.rdtype) ? str(wish.rdtype).toUpperCase() : ''
  if ((await records(ctx, name, type || 'ANY', wish)).length === 0) return null
  const value = type !== '' && truthy(wish.data) ? ` ${str(wish.data)}` : ''
  return send(ctx, wish.zone, [`update delete ${name} ${type}${value}`.trimEnd()], wish)
}

/** The reverse zones that may hold an address, from the longest on: what stands in the zone, and its name. */
function reverseNames(address: string): [name: string, zone: string][] {
  const parts = address.split('.').reverse()
  return parts
    .slice(1)
    .map((_, at) => [parts.slice(0, at + 1).join('.'), `${parts.slice(at + 1).join('.')}.in-addr.arpa.`])
}

type Host = RecordName & Server

async function addHost(ctx: FunctionContext, host: Host & { ttl: Value; ip: Value; replace: Value }): Promise<Result> {
  const added = await update(ctx, { ...host, rdtype: 'A', data: host.ip })
  if (added === false) return false
  const full = rooted(nameOf(host))
  for (const [name, zone] of reverseNames(str(host.ip))) {
    if (await update(ctx, { ...host, name, zone, rdtype: 'PTR', data: full })) return true
  }
  return added
}

async function deleteHost(ctx: FunctionContext, host: Host): Promise<Result> {
  const full = rooted(nameOf(host))
  const addresses = (await records(ctx, full, 'A', host)).map(([, , value]) => value)
  let result: boolean | null = await remove(ctx, { ...host, rdtype: null, data: null })
  for (const address of addresses) {
    for (const [name, zone] of reverseNames(address)) {
      if (await remove(ctx, { ...host, name, zone, rdtype: 'PTR', data: full })) result = true
    }
  }
  return result
}

const record = { zone: arg.text('The zone'), name: arg.text('The name in it') }
const nameserver = arg.text('The server', { default: '127.0.0.1' })
const timeout = arg.any('Seconds to wait', { default: 5 })
const port = arg.any('The port of the server', { default: 53 })
const kwargs = arg.open('keyfile, keyname and keyalgorithm')
const ttl = arg.text('The lifetime of the record, in seconds')

export default defineModule({
  name: 'ddns',
  doc: 'Records of the DNS, changed at their server.',
  when: async ({ host }) => {
    for (const program of ['dig', 'nsupdate']) {
      if ((await host.which(program)) === undefined) {
        return `The ddns execution module cannot be loaded: ${program} is not in the path.`
      }
    }
    return true
  },
  functions: {
    add_host: changes({
      doc: 'Add the address of a host, and its name by the address.',
      example: 'ddns.add_host example.com host1 60 10.1.1.1',
      args: {
        ...record,
        ttl,
        ip: arg.text('The address'),
        nameserver,
        replace: arg.flag('Whether other addresses go', { default: true }),
        timeout,
        port,
        kwargs,
      },
      run: addHost,
    }),
    delete_host: changes({
      doc: 'Remove a host, and its name by its addresses.',
      example: 'ddns.delete_host example.com host1',
      args: { ...record, nameserver, timeout, port, kwargs },
      run: deleteHost,
    }),
    update: changes({
      doc: 'Have a record: true, false when the server refuses, None when it is there already.',
      example: 'ddns.update example.com host1 60 A 10.0.0.1',
      args: {
        ...record,
        ttl,
        rdtype: arg.text('Its type'),
        data: arg.any('Its value'),
        nameserver,
        timeout,
        replace: arg.flag('Whether other records of this type go', { default: false }),
        port,
        kwargs,
      },
      run: update,
    }),
    delete: changes({
      doc: 'Remove records: true, false when the server refuses, None when there are none.',
      example: 'ddns.delete example.com host1 A',
      args: {
        ...record,
        rdtype: arg.text('Only this type', { optional: true }),
        data: arg.any('Only this value', { optional: true }),
        nameserver,
        timeout,
        port,
        kwargs,
      },
      run: remove,
    }),
  },
})
