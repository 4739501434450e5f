// Services of Upstart, and init scripts beside them. A job is enabled unless `manual` is in its file or in its override.
import { misuse, splitWords, str } from '../../../data/mod.ts'
import {
  changes,
  defineModule,
  type FunctionContext,
  isBootedWithSystemd,
  isFile,
  namesIn,
  operand,
  outputOf,
  ret,
  succeeds,
  textAt,
} from '../../../sdk/mod.ts'
import { action, listing, question, serviceName, status, switching, switchQuestion } from './declare.ts'

const JOBS = '/etc/init'
const MANUAL = /^[^\S\n]*manual\b.*\n?/gm

/** Return a name that stays below the folder of jobs and is no option. A job may be in a folder: `net/apache`. */
function checked(name: string): string {
  const isPlain = name.split('/').every((part) => part !== '' && part !== '.' && part !== '..') && !name.includes('\0')
  if (!isPlain) throw misuse(`'${name}' is not the name of a service`)
  return operand('A service', name)
}

const isJob = (ctx: FunctionContext, name: string): Promise<boolean> => ctx.host.access(`${JOBS}/${name}.conf`, 'read')

const filesOf = (name: string): string[] => ['conf', 'override'].map((end) => `${JOBS}/${checked(name)}.${end}`)

async function isManual(ctx: FunctionContext, name: string): Promise<boolean> {
  for (const path of filesOf(name)) if (((await textAt(ctx.host, path)) ?? '').search(MANUAL) >= 0) return true
  return false
}

async function runlevel(ctx: FunctionContext): Promise<string> {
  const shown = splitWords(await outputOf(ctx, ['runlevel']))[1] ?? ''
  return /^[0-6Ss]$/.test(shown) ? shown : '2'
}

/** Return whether a service starts at boot; undefined for a name that is no service. */
async function startsAtBoot(ctx: FunctionContext, name: string, level?: string): Promise<boolean | undefined> {
  if (await isJob(ctx, checked(name))) return !(await isManual(ctx, name))
  if (!(await ctx.host.access(`/etc/init.d/${name}`, 'execute'))) return undefined
  const links = await namesIn(ctx.host, `/etc/rc${level ?? (await runlevel(ctx))}.d`)
  return links.some((link) => link.startsWith('S') && link.endsWith(name))
}

/** Return the names of jobs, those in folders too. */
async function jobs(ctx: FunctionContext, folder = ''): Promise<string[]> {
  const found: string[] = []
  for (const name of await namesIn(ctx.host, `${JOBS}/${folder}`)) {
    const path = `${folder}${name}`
    if ((await ctx.host.lstat(`${JOBS}/${path}`))?.type === 'directory') found.push(...(await jobs(ctx, `${path}/`)))
    else if (name.endsWith('.conf')) found.push(path.slice(0, -'.conf'.length))
  }
  return found
}

async function services(ctx: FunctionContext, wanted: readonly boolean[]): Promise<string[]> {
  const level = await runlevel(ctx)
  const found: string[] = []
  for (const name of new Set([...(await namesIn(ctx.host, '/etc/init.d')), ...(await jobs(ctx))])) {
    const isOn = await startsAtBoot(ctx, name, level)
    if (isOn !== undefined && wanted.includes(isOn)) found.push(name)
  }
  return found.sort()
}

const all = (ctx: FunctionContext): Promise<string[]> => services(ctx, [true, false])

const service = (verb: string) => (ctx: FunctionContext, name: string) =>
  succeeds(ctx, ['service', checked(name), verb])

async function isRunning(ctx: FunctionContext, name: string): Promise<boolean> {
  const words = ['service', checked(name), 'status']
  if (!(await isJob(ctx, name))) return succeeds(ctx, words, { ignore_retcode: true })
  return (await outputOf(ctx, words, { ignore_retcode: true })).includes('start/running')
}

async function enable(ctx: FunctionContext, name: string): Promise<boolean> {
  if (!(await isJob(ctx, checked(name)))) return succeeds(ctx, ['update-rc.d', '-f', name, 'defaults'])
  for (const path of filesOf(name)) {
    const text = await textAt(ctx.host, path)
    const rest = text?.replace(MANUAL, '')
    if (rest === undefined || rest === text) continue
    if (rest === '' && path.endsWith('.override')) await ctx.host.remove(path)
    else await ctx.host.write(path, rest)
  }
  return !(await isManual(ctx, name))
}

async function disable(ctx: FunctionContext, name: string): Promise<boolean> {
  if (!(await isJob(ctx, checked(name)))) return succeeds(ctx, ['update-rc.d', '-f', name, 'remove'])
  if (!(await isManual(ctx, name))) await ctx.host.append(`${JOBS}/${name}.override`, 'manual\n')
  return isManual(ctx, name)
}

const SYSTEMS = ['Ubuntu', 'Linaro', 'elementary OS', 'Mint']

export default defineModule({
  name: 'upstart_service',
  doc: 'Manage services of Upstart.',
  virtual: 'service',
  when: async ({ grains, host }) => {
    if (await isBootedWithSystemd(host)) return 'The upstart execution module failed to load: systemd is running.'
    const os = str(grains.get('os') ?? '')
    if (SYSTEMS.includes(os)) return true
    if (['Debian', 'Raspbian'].includes(os) && (await isFile({ host } as FunctionContext, '/sbin/initctl'))) {
      const { stdout } = await host.run({ argv: ['/sbin/initctl', 'version'] })
      if (Buffer.from(stdout).toString().includes('upstart')) return true
    }
    return 'The upstart execution module failed to load: it needs Ubuntu, or Debian with Upstart.'
  },
  functions: {
    get_enabled: listing('get_enabled', (ctx) => services(ctx, [true])),
    get_disabled: listing('get_disabled', (ctx) => services(ctx, [false])),
    get_all: listing('get_all', all),
    available: question('available', async (ctx, name) => (await all(ctx)).includes(name)),
    missing: question('missing', async (ctx, name) => !(await all(ctx)).includes(name)),
    start: action('start', service('start')),
    stop: action('stop', service('stop')),
    restart: action('restart', service('restart')),
    reload: action('reload', service('reload')),
    force_reload: action('force_reload', service('force-reload')),
    full_restart: changes({
      doc: 'Stop a service and start it again.',
      args: { name: serviceName },
      returns: ret.boolean('Whether it succeeded'),
      example: 'service.full_restart nginx',
      run: (ctx, { name }) => service('--full-restart')(ctx, name),
    }),
    status: status({ all, isRunning }),
    enable: switching('enable', enable),
    disable: switching('disable', disable),
    enabled: switchQuestion('enabled', async (ctx, name) => (await startsAtBoot(ctx, name)) === true),
    disabled: question('disabled', async (ctx, name) => (await startsAtBoot(ctx, name)) === false),
  },
})
