// Hosts files, zone files and serial numbers of zones. DNS queries use dig, or the system resolver without dig.
import { lookup } from 'node:dns/promises'
import { isAnyError, recover } from '../../../base/mod.ts'
import { type Dict, splitLines, splitWords, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, type Result, reads, textAt } from '../../../sdk/mod.ts'
import { parseZone } from './module/zone.ts'

const NO_DIG = 'This function requires dig, which is not currently available'

async function hostsOf(ctx: FunctionContext, file: string, given: string | null): Promise<Dict | string> {
  const text = given || (await textAt(ctx.host, file))
  if (text === undefined) return 'Error: hosts data was not found'
  const found: Dict = new Map()
  for (const line of splitLines(text)) {
    const [address, ...names] = splitWords(line)
    if (address === undefined || line.startsWith('#')) continue
    found.set(address, [...((found.get(address) ?? []) as Value[]), ...names])
  }
  return found
}

async function appendHosts(
  ctx: FunctionContext,
  file: string,
  address: string | null,
  entries: string | null,
): Promise<string> {
  const hosts = await hostsOf(ctx, file, null)
  const known = hosts instanceof Map ? ((hosts.get(address) ?? []) as Value[]) : []
  const fresh = str(entries)
    .split(',')
    .filter((host) => !known.includes(host))
  if (fresh.length === 0) return `No additional hosts were added to ${file}`
  const line = `\n${str(address)} ${fresh.join(' ')}`
  await ctx.host.append(file, line)
  return `The following line was added to ${file}:${line}`
}

async function removeHosts(ctx: FunctionContext, file: string, entries: string | null): Promise<null> {
  const unwanted = str(entries).split(',')
  const text = Buffer.from(await ctx.host.read(file)).toString()
  const lines = splitLines(text).flatMap((line) => {
    if (line === '' || line.trim().startsWith('#')) return [line]
    const [address = '', ...names] = splitWords(line)
    const kept = names.filter((name) => !unwanted.includes(name))
    return kept.length > 0 ? [[address, ...kept].join(' ')] : []
  })
  await ctx.host.write(file, lines.map((line) => `${line}\n`).join(''))
  return null
}

const byDig = async (ctx: FunctionContext, fun: string, args: Value[]): Promise<Value> =>
  (await ctx.host.which('dig')) === undefined ? NO_DIG : ctx.call(`dig.${fun}`, args)

async function resolved(ctx: FunctionContext, host: string, nameserver: string | null, family: 4 | 6): Promise<Result> {
  if ((await ctx.host.which('dig')) !== undefined || nameserver !== null) {
    return byDig(ctx, family === 4 ? 'A' : 'AAAA', [host, nameserver])
  }
  return recover(isAnyError, `Unable to resolve ${host}`, async () =>
    (await lookup(host, { family, all: true })).map(({ address }) => address),
  )
}

/** Return the first serial number of today, in the local time zone. */
function today(ctx: FunctionContext): string {
  const now = new Date(ctx.host.now() * 1000)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}01`
}

async function serial(ctx: FunctionContext, zone: string, update: boolean): Promise<Value> {
  const key = zone ? `dnsserial_${zone}` : 'dnsserial'
  const stored = await ctx.call('grains.get', [], { key })
  const present = today(ctx)
  if (!update) return truthy(stored) ? stored : present
  const current = truthy(stored) && str(stored) >= present ? str(BigInt(str(stored)) + 1n) : present
  await ctx.call('grains.setval', [], { key, val: current })
  return current
}

const hostsfile = arg.string('Path of the hosts file', { default: '/etc/hosts' })
const nameserver = arg.text('DNS server to query; needs dig', { optional: true })
const host = arg.text('Host name')
const domain = arg.text('Domain name')

export default defineModule({
  name: 'dnsutil',
  doc: 'Read hosts files and zone files, and query the DNS.',
  functions: {
    parse_hosts: reads({
      doc: 'Return the names in a hosts file, by address.',
      args: { hostsfile, hosts: arg.text('Text of a hosts file, used instead of the file', { optional: true }) },
      run: (ctx, args) => hostsOf(ctx, args.hostsfile, args.hosts),
    }),
    hosts_append: changes({
      doc: 'Append names of an address to a hosts file.',
      example: 'dnsutil.hosts_append /etc/hosts 127.0.0.1 ad1.yuk.co,ad2.yuk.co',
      args: {
        hostsfile,
        ip_addr: arg.text('Address', { optional: true }),
        entries: arg.text('Names, separated by commas', { optional: true }),
      },
      run: (ctx, { hostsfile, ip_addr, entries }) => appendHosts(ctx, hostsfile, ip_addr, entries),
    }),
    hosts_remove: changes({
      doc: 'Remove names from a hosts file.',
      example: 'dnsutil.hosts_remove /etc/hosts ad1.yuk.co',
      args: { hostsfile, entries: arg.text('Names, separated by commas', { optional: true }) },
      run: (ctx, { hostsfile, entries }) => removeHosts(ctx, hostsfile, entries),
    }),
    parse_zone: reads({
      doc: 'Return a zone file as data.',
      example: 'dnsutil.parse_zone /var/lib/named/example.com.zone',
      args: {
        zonefile: arg.text('Path of the zone file', { optional: true }),
        zone: arg.text('Text of a zone, used when there is no such file', { optional: true }),
      },
      run: async (ctx, { zonefile, zone }) => {
        const text = zonefile ? ((await textAt(ctx.host, zonefile)) ?? zone) : zone
        return text ? parseZone(text) : 'Error: Zone data was not found'
      },
    }),
    check_ip: reads({
      doc: 'Return whether a text is an IP address. Needs dig.',
      example: 'dnsutil.check_ip 127.0.0.1',
      args: { ip_addr: arg.text('Text to check') },
      run: (ctx, { ip_addr }) => byDig(ctx, 'check_ip', [ip_addr]),
    }),
    A: reads({
      doc: 'Return the IPv4 addresses of a host.',
      example: 'dnsutil.A www.google.com',
      args: { host, nameserver },
      run: (ctx, args) => resolved(ctx, args.host, args.nameserver, 4),
    }),
    AAAA: reads({
      doc: 'Return the IPv6 addresses of a host.',
      example: 'dnsutil.AAAA www.google.com',
      args: { host, nameserver },
      run: (ctx, args) => resolved(ctx, args.host, args.nameserver, 6),
    }),
    NS: reads({
      doc: 'Return the name servers of a domain. Needs dig.',
      example: 'dnsutil.NS google.com',
      args: {
        domain,
        resolve: arg.flag('Whether to return addresses instead of names', { default: true }),
        nameserver,
      },
      run: (ctx, { domain, resolve, nameserver }) => byDig(ctx, 'NS', [domain, resolve, nameserver]),
    }),
    SPF: reads({
      doc: 'Return the networks that may send mail for a domain. Needs dig.',
      example: 'dnsutil.SPF google.com',
      args: { domain, record: arg.text('Record type', { default: 'SPF' }), nameserver },
      run: (ctx, { domain, record, nameserver }) => byDig(ctx, 'SPF', [domain, record, nameserver]),
    }),
    MX: reads({
      doc: 'Return the mail hosts of a domain, with their priorities. Needs dig.',
      example: 'dnsutil.MX google.com',
      args: {
        domain,
        resolve: arg.flag('Whether to return addresses instead of names', { default: false }),
        nameserver,
      },
      run: (ctx, { domain, resolve, nameserver }) => byDig(ctx, 'MX', [domain, resolve, nameserver]),
    }),
    serial: changes({
      doc: 'Return the serial number of a zone, which is stored as a grain.',
      example: 'dnsutil.serial example.com',
      args: {
        zone: arg.text('Zone name, part of the name of the grain', { default: '' }),
        update: arg.flag('Whether to increase the serial number', { default: false }),
      },
      run: (ctx, { zone, update }) => serial(ctx, zone, update),
    }),
  },
})
