// Global network settings: whether interfaces are configured at boot, the host name, and the domains.
import { type PyError, splitLines, splitWords, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, textAt } from '../../../../sdk/mod.ts'
import { isNo, isYes, misused, type Settings } from './parts.ts'

const NETWORKING = '/etc/default/networking'
const RESOLVER = '/etc/resolv.conf'

const linesWithEnds = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Return the last `domain` and `search` of the resolver; undefined if its file does not exist. */
async function resolver(ctx: FunctionContext): Promise<{ domain: Value; search: Value } | undefined> {
  const text = await textAt(ctx.host, RESOLVER)
  if (text === undefined) return undefined
  let [domain, search]: [Value, Value] = ['', []]
  for (const line of splitLines(text)) {
    const [keyword, ...words] = splitWords(line)
    if (keyword === 'domain' && words.length > 0) domain = words[0]!
    if (keyword === 'search') search = words
  }
  return { domain, search }
}

interface Current {
  networking: Value
  hostname: string
  domainname: Value
  searchdomain: Value
}

async function currentSettings(ctx: FunctionContext): Promise<Current> {
  const lines = splitLines((await textAt(ctx.host, NETWORKING)) ?? '')
  const networking = lines.filter((line) => line.startsWith('CONFIGURE_INTERFACES')).at(-1)
  const hostname = (await textAt(ctx.host, '/etc/hostname'))?.split('\n')[0] ?? ''
  const names = await resolver(ctx)
  return {
    networking: networking?.slice(networking.indexOf('=') + 1).trim() ?? '',
    hostname,
    domainname: names?.domain ?? '',
    searchdomain: names?.search ?? '',
  }
}

/** Return whether the state of a service is used instead of a file. */
function byService(ctx: FunctionContext): boolean {
  const release = Number.parseInt(str(ctx.grains.get('osrelease') ?? '0'), 10)
  return ctx.grains.get('osfullname') === 'Ubuntu' && release >= 12
}

const shown = (settings: Readonly<Record<string, Value>>): string[] =>
  [
    ['NETWORKING', settings['networking']],
    ['HOSTNAME', settings['hostname']],
    ['DOMAIN', settings['domainname']],
    ['SEARCH', settings['searchdomain']],
  ].flatMap(([title, value]) => (truthy(value ?? null) ? [`${title}=${str(value!)}\n`] : []))

export async function networkSettings(ctx: FunctionContext): Promise<string[]> {
  const current = await currentSettings(ctx)
  if (!byService(ctx)) return shown({ ...current })
  const runs = truthy(await ctx.call('service.available', ['networking']))
    ? truthy(await ctx.call('service.status', ['networking']))
    : false
  return shown({ networking: runs ? 'yes' : 'no', hostname: current.hostname, domainname: current.domainname })
}

const wrong = (setting: string, expected: readonly Value[]): PyError => {
  const list = expected.map((value) => str(value)).join('|')
  return misused(`Invalid network setting -- Setting: ${setting}, Expected: [${list}]`)
}

const SWITCHES = ['yes', 'on', 'true', '1', true, 'no', 'off', 'false', '0', false]

/** Return the file that says whether interfaces are configured at boot, with the comments of Debian's file. */
const networkingText = (networking: string): string => `# Configuration for networking init script being run during
# the boot sequence

# Set to 'no' to skip interfaces configuration on boot
CONFIGURE_INTERFACES=${networking}

# Don't configure these interfaces. Shell wildcards supported/
#EXCLUDE_INTERFACES=

# Set to 'yes' to enable additional verbosity
#VERBOSE=no`

async function writeResolver(ctx: FunctionContext, domain: Value, search: Value): Promise<void> {
  const known = await resolver(ctx)
  if (known === undefined) {
    throw misused(`${RESOLVER} cannot be written. ${RESOLVER} does not exist and create is setto False`)
  }
  const lines = linesWithEnds((await textAt(ctx.host, RESOLVER)) ?? '').map((line) => {
    if (/^domain\s+/.test(line)) return `domain ${str(domain)}`
    return /^search\s+/.test(line) ? `search ${str(search)}` : line
  })
  await ctx.host.write(RESOLVER, lines.join('\n'))
}

export async function buildNetworkSettings(ctx: FunctionContext, given: Settings): Promise<string[]> {
  const current = await currentSettings(ctx)
  const opts = new Map([...given].map(([key, value]) => [key.toLowerCase(), value]))
  const enabled = opts.get('enabled') ?? current.networking
  if (!isYes(enabled) && !isNo(enabled)) throw wrong('networking', SWITCHES)
  const networking = isYes(enabled) ? 'yes' : 'no'
  const name = opts.get('hostname') ?? current.hostname
  if (!truthy(name)) throw wrong('hostname', ['server1.example.com'])
  const dry = truthy(given.get('test') ?? false)
  if (byService(ctx)) {
    for (const service of dry ? [] : ['NetworkManager', 'networking']) {
      if (!truthy(await ctx.call('service.available', [service]))) continue
      await ctx.call(networking === 'yes' ? 'service.enable' : 'service.disable', [service])
    }
  } else {
    if (dry) return linesWithEnds(networkingText(networking))
    await ctx.host.write(NETWORKING, networkingText(networking))
  }
  const dot = str(name).indexOf('.')
  const hostname = dot < 0 ? str(name) : str(name).slice(0, dot)
  const domainname = dot < 0 ? current.domainname : str(name).slice(dot + 1)
  const searchdomain = opts.get('search') ?? current.searchdomain
  const differs = domainname !== current.domainname || str(searchdomain) !== str(current.searchdomain)
  if (differs && !dry) await writeResolver(ctx, domainname, searchdomain)
  return shown({ networking, hostname, domainname, searchdomain })
}

export async function applyNetworkSettings(ctx: FunctionContext, settings: Settings): Promise<boolean> {
  let named = true
  if (isYes(settings.get('apply_hostname') ?? false)) {
    const name = settings.get('hostname')
    if (name === undefined) {
      ctx.log('warning', 'The network state sls is trying to apply hostname changes but no hostname is defined.')
    }
    named = name !== undefined && truthy(await ctx.call('network.mod_hostname', [name]))
  }
  if (isYes(settings.get('require_reboot') ?? false)) {
    ctx.log('warning', 'The machine must be restarted for its network configuration')
    return named
  }
  const stopped = truthy(await ctx.call('service.stop', ['networking']))
  await new Promise((resolve) => setTimeout(resolve, 2000))
  return named && stopped && truthy(await ctx.call('service.start', ['networking']))
}
