// DNS queries, through dig. A failed query returns an empty list.
import { BrineError, isA, recover } from '../../../base/mod.ts'
import { indexError, ipAddress, splitWords, str, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, type Result, reads, runAll } from '../../../sdk/mod.ts'

async function dig(ctx: FunctionContext, words: readonly string[], nameserver: Value): Promise<string | undefined> {
  const at = nameserver === null ? [] : [`@${str(nameserver)}`]
  const { retcode, stdout } = await runAll(ctx, ['dig', '+short', ...words, ...at])
  if (retcode === 0) return stdout
  ctx.log('warning', `dig returned exit code '${retcode}'. Returning empty list as fallback.`)
  return undefined
}

/** Return the words that name a query. The options keep a name that begins with a sign from being read as an option. */
const about = (name: string, type: string): string[] => ['-q', name, '-t', type]

const lines = async (ctx: FunctionContext, words: readonly string[], nameserver: string | null): Promise<string[]> =>
  (await dig(ctx, words, nameserver))?.split('\n') ?? []

function versionOf(text: string): 4 | 6 | undefined {
  return recover(isA(BrineError), undefined, () => ipAddress(text).version)
}

const PREFIXES = { 4: [1, 32], 6: [8, 128] } as const

/** Return whether a value is an IP address, with or without a prefix length. */
function isAddress(value: Value): boolean {
  if (typeof value !== 'string') return false
  const slash = value.lastIndexOf('/')
  const version = versionOf(slash < 0 ? value : value.slice(0, slash))
  if (version === undefined || slash < 0) return version !== undefined
  const [least, most] = PREFIXES[version]
  const prefix = value.slice(slash + 1)
  return /^\s*[+-]?\d+\s*$/.test(prefix) && Number(prefix) >= least && Number(prefix) <= most
}

const addresses = async (
  ctx: FunctionContext,
  host: string,
  type: 'A' | 'AAAA',
  nameserver: string | null,
): Promise<string[]> => (await lines(ctx, about(host, type), nameserver)).filter(isAddress)

async function nameServers(
  ctx: FunctionContext,
  domain: string,
  resolve: boolean,
  nameserver: string | null,
): Promise<string[]> {
  const hosts = await lines(ctx, about(domain, 'NS'), nameserver)
  if (!resolve) return hosts
  const found: string[] = []
  for (const host of hosts) found.push(...(await addresses(ctx, host, 'A', nameserver)))
  return found
}

/** Limit of followed records, as in RFC 7208: a domain may include itself. */
const MOST_SPF_RECORDS = 10

/** Return the networks that may send mail for a domain. Follow `include` and `redirect`; `followed` holds the names so far. */
async function senders(
  ctx: FunctionContext,
  domain: string,
  record: string,
  nameserver: Value,
  followed = new Set<string>(),
): Promise<string[]> {
  const name = domain.toLowerCase().replace(/\.$/, '')
  if (followed.has(name)) return []
  if (followed.size === MOST_SPF_RECORDS) {
    ctx.log('warning', `The SPF record of ${domain} is not followed: it is the eleventh in a row of included ones`)
    return []
  }
  followed.add(name)
  const sections = await spfSections(ctx, domain, record, nameserver)
  const others = (of: string): Promise<string[]> => senders(ctx, of, 'SPF', nameserver, followed)
  if (sections[0]?.startsWith('redirect=')) return others(sections[0].slice('redirect='.length))
  const found: string[] = []
  for (const section of sections) {
    const [, mechanism, address = ''] = /^(?:\+|~)?(ip[46]|include):(.+)/.exec(section) ?? []
    if (mechanism === 'include') found.push(...(await others(address)))
    else if (mechanism !== undefined && isAddress(address)) found.push(address)
  }
  return found
}

/** Return the words of an SPF record after its version; TXT is queried where SPF has no answer. */
async function spfSections(ctx: FunctionContext, domain: string, record: string, nameserver: Value): Promise<string[]> {
  const answer = await dig(ctx, about(domain, record), nameserver)
  if (answer === '' && record === 'SPF') return spfSections(ctx, domain, 'TXT', nameserver)
  const [version, ...sections] = splitWords((answer ?? '').replaceAll('"', ''))
  return version === 'v=spf1' ? sections : []
}

async function mailHosts(
  ctx: FunctionContext,
  domain: string,
  resolve: boolean,
  nameserver: string | null,
): Promise<Result> {
  const rows = (await lines(ctx, about(domain, 'MX'), nameserver)).map(splitWords)
  if (!resolve) return rows
  const found: string[][] = []
  for (const [priority, host] of rows) {
    if (priority === undefined || host === undefined) throw indexError('list')
    const [address] = await addresses(ctx, host, 'A', nameserver)
    if (address === undefined) throw indexError('list')
    found.push([priority, address])
  }
  return found
}

const host = arg.text('Host name or address')
const domain = arg.text('Domain name')
const nameserver = arg.text('DNS server to query; by default the servers of the system', { optional: true })

const A = reads({
  doc: 'Return the IPv4 addresses of a host.',
  example: 'dig.A www.google.com',
  args: { host, nameserver },
  run: (ctx, args) => addresses(ctx, args.host, 'A', args.nameserver),
})
const AAAA = reads({
  doc: 'Return the IPv6 addresses of a host.',
  example: 'dig.AAAA www.google.com',
  args: { host, nameserver },
  run: (ctx, args) => addresses(ctx, args.host, 'AAAA', args.nameserver),
})
const PTR = reads({
  doc: 'Return the names of an address.',
  example: 'dig.PTR 1.2.3.4',
  args: { host, nameserver },
  run: (ctx, args) => lines(ctx, ['-x', args.host], args.nameserver),
})
const CNAME = reads({
  doc: 'Return the name that a host is an alias of.',
  example: 'dig.CNAME mail.google.com',
  args: { host, nameserver },
  run: async (ctx, args) => (await dig(ctx, about(args.host, 'CNAME'), args.nameserver)) ?? [],
})
const NS = reads({
  doc: 'Return the name servers of a domain.',
  example: 'dig.NS google.com',
  args: { domain, resolve: arg.flag('Whether to return addresses instead of names', { default: true }), nameserver },
  run: (ctx, { domain, resolve, nameserver }) => nameServers(ctx, domain, resolve, nameserver),
})
const SPF = reads({
  doc: 'Return the networks that may send mail for a domain.',
  example: 'dig.SPF google.com',
  args: {
    domain,
    record: arg.string('Record type; TXT is queried when SPF has no answer', { default: 'SPF' }),
    nameserver,
  },
  run: (ctx, { domain, record, nameserver }) => senders(ctx, domain, record, nameserver),
})
const MX = reads({
  doc: 'Return the mail hosts of a domain, with their priorities.',
  example: 'dig.MX google.com',
  args: { domain, resolve: arg.flag('Whether to return addresses instead of names', { default: false }), nameserver },
  run: (ctx, { domain, resolve, nameserver }) => mailHosts(ctx, domain, resolve, nameserver),
})

export default defineModule({
  name: 'dig',
  doc: 'Query the DNS.',
  when: async ({ host }) =>
    (await host.which('dig')) !== undefined ||
    'The dig execution module cannot be loaded: the dig binary is not in the path.',
  functions: {
    check_ip: reads({
      doc: 'Return whether a text is an IP address, with or without a prefix length.',
      example: 'dig.check_ip 127.0.0.1',
      args: { addr: arg.text('Text to check') },
      run: (_ctx, { addr }) => isAddress(addr),
    }),
    A,
    a: A,
    AAAA,
    aaaa: AAAA,
    PTR,
    ptr: PTR,
    CNAME,
    cname: CNAME,
    NS,
    ns: NS,
    SPF,
    spf: SPF,
    MX,
    mx: MX,
    TXT: reads({
      doc: 'Return the TXT records of a host.',
      example: 'dig.TXT google.com',
      args: { host, nameserver },
      run: (ctx, args) => lines(ctx, about(args.host, 'TXT'), args.nameserver),
    }),
  },
})
