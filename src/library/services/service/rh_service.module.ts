// Services of the Red Hat family before systemd: init scripts, `service` and `chkconfig`.
import { splitLines, splitWords, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  defineModule,
  type FunctionContext,
  isBootedWithSystemd,
  namesIn,
  outputOf,
  reads,
  runAll,
  succeeds,
} from '../../../sdk/mod.ts'
import { action, question, serviceName, status, switching, switchQuestion } from './declare.ts'

const SYSTEMS: readonly Value[] = [
  'XenServer',
  'XCP-ng',
  'RedHat',
  'CentOS',
  'ScientificLinux',
  'CloudLinux',
  'Amazon',
  'Fedora',
  'ALT',
  'OEL',
  'SUSE  Enterprise Server',
  'SUSE',
  'McAfee  OS Server',
  'VirtuozzoLinux',
]

/** First releases with systemd, and Salt's text about them. */
const MODERN: ReadonlyArray<[systems: readonly string[], release: number, text: string]> = [
  [['XenServer', 'XCP-ng'], 7, 'XenServer and XCP-ng >= 7 use systemd'],
  [['Fedora'], 15, 'Fedora >= 15 uses systemd'],
  [['RedHat', 'CentOS', 'ScientificLinux', 'OEL', 'CloudLinux'], 7, 'RedHat-based distros >= version 7 use systemd'],
]

function isServed(grains: ReadonlyMap<Value, Value>): true | string {
  const os = str(grains.get('os') ?? '')
  if (!SYSTEMS.includes(os))
    return `Cannot load rh_service module: OS not in {${SYSTEMS.map((name) => `'${str(name)}'`).join(', ')}}`
  if (os === 'SUSE') {
    return str(grains.get('osrelease') ?? '').startsWith('11') || 'Cannot load rh_service module on SUSE > 11'
  }
  const [major = 0] = (grains.get('osrelease_info') ?? []) as number[]
  const modern = MODERN.find(([systems, release]) => systems.includes(os) && major >= release)
  return modern === undefined || `${modern[2]}, will not load rh_service.py as virtual 'service'`
}

async function runlevel(ctx: FunctionContext): Promise<string> {
  const shown = await outputOf(ctx, '/sbin/runlevel')
  return shown.includes('unknown') ? '3' : splitWords(shown)[1]!
}

async function isScript(ctx: FunctionContext, name: string): Promise<boolean> {
  return (((await ctx.host.stat(`/etc/init.d/${name}`))?.mode ?? 0) & 0o100) !== 0
}

const isKnown = (ctx: FunctionContext, name: string): Promise<boolean> =>
  succeeds(ctx, `/sbin/chkconfig --list ${name}`, { ignore_retcode: true })

async function isEnabled(ctx: FunctionContext, name: string, level?: string): Promise<boolean> {
  const { retcode, stdout } = await runAll(ctx, `/sbin/chkconfig --list ${name}`)
  const here = level ?? (await runlevel(ctx))
  const listed = splitLines(retcode === 0 ? stdout : '').some((row) => {
    const words = splitWords(row)
    return row.includes(`${here}:on`) ? words[0] === name : words.length === 2 && words[0] === name && words[1] === 'on'
  })
  if (listed) return true
  const links = await namesIn(ctx.host, `/etc/rc.d/rc${here}.d`)
  return links.some((link) => link.startsWith('S') && link.slice(3) === name && link.length === name.length + 3)
}

async function services(ctx: FunctionContext): Promise<string[]> {
  const found: string[] = []
  for (const line of splitLines(await outputOf(ctx, ['chkconfig', '--list']))) {
    const [name = '', first = ''] = splitWords(line)
    if (first.startsWith('0:') && (await isScript(ctx, name))) found.push(name)
  }
  return found.sort()
}

/** Set whether a service starts at boot. Register the script with chkconfig first. */
async function chkconfig(ctx: FunctionContext, name: string, state: 'on' | 'off'): Promise<boolean> {
  if (!(await isKnown(ctx, name)) && !(await succeeds(ctx, `/sbin/chkconfig --add ${name}`))) return false
  return succeeds(ctx, `/sbin/chkconfig ${name} ${state}`)
}

const verb = (verb: 'start' | 'stop' | 'restart' | 'reload') =>
  action(verb, (ctx, name) => succeeds(ctx, `/sbin/service ${name} ${verb}`))

const limit = arg.string('`sysvinit`, or `upstart`, which has no services', { default: '' })

const list = (doc: string, name: string, wanted?: boolean) =>
  reads({
    doc,
    example: `service.${name}`,
    args: { limit },
    run: async (ctx, { limit }) => {
      if (limit.toLowerCase() === 'upstart') return []
      const all = await services(ctx)
      if (wanted === undefined) return all
      const level = await runlevel(ctx)
      const found: string[] = []
      for (const service of all) if ((await isEnabled(ctx, service, level)) === wanted) found.push(service)
      return found
    },
  })

export default defineModule({
  name: 'rh_service',
  doc: 'Manage services of the Red Hat family before systemd.',
  virtual: 'service',
  when: async ({ grains, host }) => {
    if (!(await isBootedWithSystemd(host))) return isServed(grains)
    return 'The rh_service execution module failed to load: this system was booted with systemd.'
  },
  functions: {
    get_enabled: list('Return the services that start at boot.', 'get_enabled', true),
    get_disabled: list('Return the services that do not start at boot.', 'get_disabled', false),
    get_all: list('Return all services.', 'get_all'),
    available: reads({
      doc: 'Return whether a service exists.',
      example: 'service.available nginx',
      args: { name: serviceName, limit },
      run: async (ctx, { name, limit }) => {
        if (limit === 'upstart') return false
        return (await isScript(ctx, name)) || (limit !== 'sysvinit' && (await isKnown(ctx, name)))
      },
    }),
    missing: reads({
      doc: 'Return whether a service does not exist.',
      example: 'service.missing nginx',
      args: { name: serviceName, limit },
      run: async (ctx, { name, limit }) => limit === 'upstart' || !(await isScript(ctx, name)),
    }),
    start: verb('start'),
    stop: verb('stop'),
    restart: verb('restart'),
    reload: verb('reload'),
    status: status({
      all: services,
      isRunning: (ctx, name) => succeeds(ctx, `/sbin/service ${name} status`, { ignore_retcode: true }),
    }),
    delete: switching(
      'delete',
      async (ctx, name) => (await isKnown(ctx, name)) && succeeds(ctx, `/sbin/chkconfig --del ${name}`),
    ),
    enable: switching('enable', (ctx, name) => chkconfig(ctx, name, 'on')),
    disable: switching('disable', (ctx, name) => chkconfig(ctx, name, 'off')),
    enabled: switchQuestion('enabled', (ctx, name) => isEnabled(ctx, name)),
    disabled: question('disabled', async (ctx, name) => !(await isEnabled(ctx, name))),
  },
})
