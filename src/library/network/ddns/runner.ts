// Changes of DNS records from the master: dig queries the server, nsupdate sends the changes. The TSIG key goes to the
// standard input of nsupdate, where process lists do not show it.
import { type Dict, failure, str } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn } from '../../../sdk/mod.ts'
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
  keyname: string
  keyfile: string
  keyalgorithm: string
  zone: string
  name: string
}

/** Return the fully qualified name; `name` may include the zone. */
function fullName({ zone, name }: Host): string {
  const own = name.includes(zone) ? name.replaceAll(zone, '').replace(/\.+$/, '') : name
  return `${own}.${zone}`
}

async function command(ctx: MasterContext, words: string[], stdin?: string): Promise<{ ok: boolean; text: string }> {
  const options = {
    python_shell: false,
    ignore_retcode: true,
    ...(stdin !== undefined && { stdin, stdin_raw_newlines: true }),
  }
  const outcome = (await ctx.function('cmd.run_all', [words], options)) as Dict
  const [stdout, stderr] = ['stdout', 'stderr'].map((stream) => str(outcome.get(stream) ?? ''))
  const ok = outcome.get('retcode') === 0
  return { ok, text: (ok ? stdout : stderr || stdout) ?? '' }
}

async function lookUp(ctx: MasterContext, name: string, type: string, server: Server): Promise<DnsRecord[]> {
  const { ok, text } = await command(ctx, digWords(server, name, type))
  if (!ok) throw failure(text || `${server.nameserver} does not answer`)
  return recordsIn(text)
}

async function keyLines(ctx: MasterContext, { keyfile, keyname, keyalgorithm }: Host): Promise<UpdateLine[]> {
  if (keyfile === '' || (await ctx.host.stat(keyfile))?.type !== 'file') return []
  const keys = keysIn(Buffer.from(await ctx.host.read(keyfile)).toString())
  return [keyLine(keyfile, keys, keyname, keyalgorithm)]
}

async function send(ctx: MasterContext, host: Host, lines: readonly UpdateLine[]): Promise<boolean> {
  const script = updateScript(host, host.zone, [...(await keyLines(ctx, host)), ...lines])
  const { ok, text } = await command(ctx, ['nsupdate', '-t', `${host.timeout}`], script)
  if (!ok) ctx.log('error', text)
  return ok
}

interface NewRecord extends Host {
  ttl: string
  rdtype: string
  data: string
}

async function create(ctx: MasterContext, { ttl, rdtype, data, ...host }: NewRecord): Promise<string> {
  const name = fullName(host)
  const known = (await lookUp(ctx, name, rdtype, host)).find(({ value }) => value === data)
  if (known) return `Record of type '${rdtype}' already exists with ttl of ${known.ttl}`
  const accepted = await send(ctx, host, [['update add', rooted(name), ttl, rdtype, data]])
  return accepted
    ? `Created record of type '${rdtype}': ${name} -> ${data}`
    : `Failed to create record of type '${rdtype}'`
}

async function update(
  ctx: MasterContext,
  { ttl, rdtype, data, replace, ...host }: NewRecord & { replace: boolean },
): Promise<string> {
  const name = fullName(host)
  const known = await lookUp(ctx, name, rdtype, host)
  if (known.length === 0) return 'No matching DNS record(s) found'
  const exists = known.some((record) => record.value === data && record.ttl === ttl)
  if (exists && !(replace && known.length > 1)) return `Record of type '${rdtype}' already present with ttl of ${ttl}`
  const lines: UpdateLine[] = [
    ['update delete', rooted(name), rdtype],
    ['update add', rooted(name), ttl, rdtype, data],
  ]
  const accepted = await send(ctx, host, lines)
  return accepted ? `Updated record of type '${rdtype}'` : `Failed to update record of type '${rdtype}'`
}

async function remove(
  ctx: MasterContext,
  { rdtype, data, ...host }: Host & { rdtype: string | null; data: string | null },
): Promise<string> {
  const name = fullName(host)
  if ((await lookUp(ctx, name, rdtype || 'ANY', host)).length === 0) return 'No matching DNS record(s) found'
  const words = rdtype ? [rdtype, ...(data ? [data] : [])] : []
  return (await send(ctx, host, [['update delete', rooted(name), ...words]]))
    ? 'Deleted DNS record(s)'
    : 'Failed to delete DNS record(s)'
}

/** Try the reverse zones in turn until an answer contains a word. */
async function inReverseZone(
  address: string,
  word: string,
  work: (place: { name: string; zone: string }) => Promise<string>,
): Promise<string> {
  let answer = ''
  for (const place of reverseNames(address)) {
    answer = await work(place)
    if (answer.includes(word)) break
  }
  return answer
}

async function addHost(
  ctx: MasterContext,
  { ip, ...host }: Omit<NewRecord, 'rdtype' | 'data'> & { ip: string },
): Promise<Dict> {
  const name = fullName(host)
  const forward = await create(ctx, { ...host, rdtype: 'A', data: ip })
  const reverse = await inReverseZone(ip, 'Created', (place) =>
    create(ctx, { ...host, ...place, rdtype: 'PTR', data: `${name}.` }),
  )
  return new Map([[name, [forward, reverse]]])
}

async function deleteHost(ctx: MasterContext, host: Host): Promise<Dict> {
  const name = fullName(host)
  const addresses = await lookUp(ctx, name, 'A', host)
  const outcomes = [`${await remove(ctx, { ...host, rdtype: null, data: null })} of type 'A'`]
  for (const { value } of addresses) {
    const reverse = await inReverseZone(value, 'Deleted', (place) =>
      remove(ctx, { ...host, ...place, rdtype: 'PTR', data: `${name}.` }),
    )
    outcomes.push(reverse.includes('Deleted') ? `${reverse} of type 'PTR'` : reverse)
  }
  return new Map([[name, outcomes]])
}

const byName = async (host: Host, answer: Promise<string>): Promise<Dict> => new Map([[fullName(host), await answer]])

const place = { zone: arg.text('DNS zone'), name: arg.text('Record name in the zone') }
const ttl = arg.text('Time to live of the record, in seconds')
const record = { ttl, rdtype: arg.text('Record type, such as A'), data: arg.text('Record value') }
const server = {
  keyname: arg.text('Name of the TSIG key'),
  keyfile: arg.text('JSON file of TSIG keys; no key is used when the file does not exist'),
  nameserver: arg.text('Address of the DNS server'),
  timeout: arg.count('Timeout in seconds', { default: 5 }),
}
const last = {
  port: arg.count('Port of the DNS server', { default: 53 }),
  keyalgorithm: arg.text('Algorithm of the TSIG key', { default: 'hmac-md5' }),
}

export default defineRunner({
  name: 'ddns',
  doc: 'Change DNS records at their server.',
  functions: {
    create: masterFn({
      doc: 'Create a record.',
      args: { ...place, ...record, ...server, ...last },
      examples: [
        'salt-run ddns.create domain.com my-test-vm 3600 A 10.20.30.40 my-tsig-key /etc/salt/tsig.keyring 10.0.0.1 5',
      ],
      run: (ctx, host) => byName(host, create(ctx, host)),
    }),
    update: masterFn({
      doc: 'Change an existing record.',
      args: {
        ...place,
        ...record,
        ...server,
        replace: arg.flag('Whether to replace other records of this type', { default: false }),
        ...last,
      },
      examples: [
        'salt-run ddns.update domain.com my-test-vm 3600 A 10.20.30.40 my-tsig-key /etc/salt/tsig.keyring 10.0.0.1 5',
      ],
      run: (ctx, host) => byName(host, update(ctx, host)),
    }),
    delete: masterFn({
      doc: 'Remove records.',
      args: {
        ...place,
        ...server,
        rdtype: arg.text('Record type; all types by default', { optional: true }),
        data: arg.text('Record value; all values by default', { optional: true }),
        ...last,
      },
      examples: ['salt-run ddns.delete domain.com my-test-vm my-tsig-key /etc/salt/tsig.keyring 10.0.0.1 5 A'],
      run: (ctx, host) => byName(host, remove(ctx, host)),
    }),
    add_host: masterFn({
      doc: 'Add the A record of a host, and its PTR record.',
      args: { ...place, ttl, ip: arg.text('IPv4 address'), ...server, ...last },
      examples: [
        'salt-run ddns.add_host domain.com my-test-vm 3600 10.20.30.40 my-tsig-key /etc/salt/tsig.keyring 10.0.0.1 5',
      ],
      run: addHost,
    }),
    delete_host: masterFn({
      doc: 'Remove all records of a host, and the PTR records of its addresses.',
      args: { ...place, ...server, ...last },
      examples: ['salt-run ddns.delete_host domain.com my-test-vm my-tsig-key /etc/salt/tsig.keyring 10.0.0.1 5'],
      run: deleteHost,
    }),
  },
})
