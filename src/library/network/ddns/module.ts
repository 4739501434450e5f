// Changes of DNS records at their server: dig queries the server, nsupdate sends the changes. The TSIG key comes from a
// JSON file of secrets by name, and goes to the standard input of nsupdate, where process lists do not show it.
import { failure, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, ret, runAll } from '../../../sdk/mod.ts'
import {
  type DnsRecord,
  digWords,
  keyLine,
  keysIn,
  recordsIn,
  reverseNames,
  rooted,
  type Server,
  type UpdateLine,
  updateScript,
} from './dns.ts'

interface Host extends Server {
  zone: string
  name: string
  kwargs: ReadonlyMap<string, Value>
}

const nameOf = ({ zone, name }: Host): string => (name.endsWith('.') ? name : rooted(`${name}.${zone}`))

async function setting(ctx: FunctionContext, name: string, given: ReadonlyMap<string, Value>): Promise<Value> {
  const value = given.get(name) ?? (given.has(name) ? null : await ctx.call('config.option', [`ddns.${name}`]))
  return truthy(value) ? value : null
}

/** Return the line that gives nsupdate its key; none without a key file. */
async function keyLines(ctx: FunctionContext, given: ReadonlyMap<string, Value>): Promise<UpdateLine[]> {
  const path = await setting(ctx, 'keyfile', given)
  if (path === null) return []
  const file = str(path)
  const keys = keysIn(Buffer.from(await ctx.host.read(file)).toString())
  const [first] = keys.keys()
  if (first === undefined) throw failure(`${file} has no keys`)
  const name = (await setting(ctx, 'keyname', given)) ?? first
  return [keyLine(file, keys, name, str((await setting(ctx, 'keyalgorithm', given)) ?? 'hmac-md5'))]
}

/** Return the records that the server has for a name. */
async function records(ctx: FunctionContext, name: string, type: string, server: Server): Promise<DnsRecord[]> {
  const { retcode, stdout, stderr } = await runAll(ctx, digWords(server, name, type))
  if (retcode === 0) return recordsIn(stdout)
  throw failure(stderr || stdout || `${server.nameserver} does not answer`)
}

async function send(ctx: FunctionContext, host: Host, lines: readonly UpdateLine[]): Promise<boolean> {
  const stdin = updateScript(host, host.zone, [...(await keyLines(ctx, host.kwargs)), ...lines])
  const { retcode, stderr } = await runAll(ctx, ['nsupdate', '-t', `${host.timeout}`], {
    stdin,
    stdin_raw_newlines: true,
  })
  if (retcode !== 0) ctx.log('error', stderr)
  return retcode === 0
}

interface Update extends Host {
  ttl: string
  rdtype: string
  data: string
  replace: boolean
}

/** Return None when the record exists already, else whether the server accepted it. */
async function update(ctx: FunctionContext, { ttl, rdtype, data, replace, ...host }: Update): Promise<boolean | null> {
  const name = nameOf(host)
  const type = rdtype.toUpperCase()
  if (!replace) {
    const known = await records(ctx, name, type, host)
    if (known.some((record) => record.ttl === ttl && record.type === type && record.value === data)) return null
  }
  const clear: UpdateLine[] = replace ? [['update delete', name, type]] : []
  return send(ctx, host, [...clear, ['update add', name, ttl, type, data]])
}

interface Removal extends Host {
  rdtype: string | null
  data: string | null
}

async function remove(ctx: FunctionContext, { rdtype, data, ...host }: Removal): Promise<boolean | null> {
  const name = nameOf(host)
  const type = rdtype?.toUpperCase() ?? ''
  if ((await records(ctx, name, type || 'ANY', host)).length === 0) return null
  return send(ctx, host, [['update delete', name, ...(type ? [type, ...(data ? [data] : [])] : [])]])
}

async function addHost(
  ctx: FunctionContext,
  { ip, ...host }: Omit<Update, 'rdtype' | 'data'> & { ip: string },
): Promise<boolean | null> {
  const added = await update(ctx, { ...host, rdtype: 'A', data: ip })
  if (added === false) return false
  for (const place of reverseNames(ip)) {
    if (await update(ctx, { ...host, ...place, rdtype: 'PTR', data: nameOf(host) })) return true
  }
  return added
}

async function deleteHost(ctx: FunctionContext, host: Host): Promise<boolean | null> {
  const name = nameOf(host)
  const addresses = await records(ctx, name, 'A', host)
  let result = await remove(ctx, { ...host, rdtype: null, data: null })
  for (const { value } of addresses) {
    for (const place of reverseNames(value)) {
      if (await remove(ctx, { ...host, ...place, rdtype: 'PTR', data: name })) result = true
    }
  }
  return result
}

const returns = ret.optional(ret.boolean('True; False when the server refuses; None when there is nothing to change'))
const record = { zone: arg.text('DNS zone'), name: arg.text('Record name in the zone') }
const nameserver = arg.text('DNS server', { default: '127.0.0.1' })
const timeout = arg.count('Timeout in seconds', { default: 5 })
const port = arg.count('Port of the DNS server', { default: 53 })
const kwargs = arg.open('keyfile, keyname and keyalgorithm; the default of each is the option `ddns.<name>`')
const ttl = arg.text('Time to live of the record, in seconds')

export default defineModule({
  name: 'ddns',
  doc: 'Change DNS records at their server.',
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
      doc: 'Add the A record of a host, and its PTR record.',
      example: 'ddns.add_host example.com host1 60 10.1.1.1',
      args: {
        ...record,
        ttl,
        ip: arg.text('IPv4 address'),
        nameserver,
        replace: arg.flag('Whether to replace other addresses of the host', { default: true }),
        timeout,
        port,
        kwargs,
      },
      returns,
      run: addHost,
    }),
    delete_host: changes({
      doc: 'Remove all records of a host, and the PTR records of its addresses.',
      example: 'ddns.delete_host example.com host1',
      args: { ...record, nameserver, timeout, port, kwargs },
      returns,
      run: deleteHost,
    }),
    update: changes({
      doc: 'Add or change a record. Return False when the server refuses it, None when the record exists already.',
      example: 'ddns.update example.com host1 60 A 10.0.0.1',
      args: {
        ...record,
        ttl,
        rdtype: arg.text('Record type, such as A'),
        data: arg.text('Record value'),
        nameserver,
        timeout,
        replace: arg.flag('Whether to replace other records of this type', { default: false }),
        port,
        kwargs,
      },
      returns,
      run: update,
    }),
    delete: changes({
      doc: 'Remove records. Return False when the server refuses it, None when there are no such records.',
      example: 'ddns.delete example.com host1 A',
      args: {
        ...record,
        rdtype: arg.text('Record type; all types by default', { optional: true }),
        data: arg.text('Record value; all values by default', { optional: true }),
        nameserver,
        timeout,
        port,
        kwargs,
      },
      returns,
      run: remove,
    }),
  },
})
