// Services of macOS, through launchctl.
import { type Dict, isDict, SaltError, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads } from '../../../sdk/mod.ts'
import { serviceName } from './declare.ts'
import { consoleUser, domainOf, isAgent, launchctl, plistOf, serviceOf, services } from './mac_service/launchd.ts'

const isMissing = (error: unknown): boolean => error instanceof SaltError && error.code === 'CommandExecutionError'

async function list(ctx: FunctionContext, name: string | null, runas: Value): Promise<string> {
  if (!name) return launchctl(ctx, ['list'], runas)
  const service = await serviceOf(ctx, name)
  const as = !truthy(runas) && isAgent(service) ? await consoleUser(ctx) : runas
  return launchctl(ctx, ['list', str(plistOf(service).get('Label')!)], as)
}

async function succeedsTo(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** Whether launchd restarts the service whenever it ends. */
async function isKeptAlive(ctx: FunctionContext, service: Dict): Promise<boolean> {
  const wish = plistOf(service).get('KeepAlive') ?? false
  if (!isDict(wish)) return wish === true
  for (const [path, value] of (wish.get('PathState') ?? new Map()) as Dict) {
    if ((await ctx.host.access(str(path), 'exists')) === value) return true
  }
  return false
}

async function isRunning(ctx: FunctionContext, name: string, runas: Value): Promise<boolean> {
  let shown = ''
  const isListed = await succeedsTo(async () => {
    shown = await list(ctx, name, runas)
  })
  if (!isListed) return false
  return (await isKeptAlive(ctx, await serviceOf(ctx, name))) ? shown.includes('"PID" =') : true
}

async function isDisabled(ctx: FunctionContext, name: string, runas: Value): Promise<boolean> {
  const shown = await launchctl(ctx, ['print-disabled', await target(ctx, name)], runas)
  for (const line of shown.split('\n')) {
    const [left = '', right] = line.split('=>')
    if (right !== undefined && left.split('"')[1] === name) return /true|disabled/i.test(right)
  }
  return false
}

async function target(ctx: FunctionContext, name: string): Promise<string> {
  const service = await serviceOf(ctx, name)
  return `${await domainOf(ctx, service)}/${str(plistOf(service).get('Label')!)}`
}

/** Loads or unloads the file of a service. */
async function boot(ctx: FunctionContext, verb: 'bootstrap' | 'bootout', name: string, runas: Value): Promise<true> {
  const service = await serviceOf(ctx, name)
  await launchctl(ctx, [verb, await domainOf(ctx, service), str(service.get('file_path')!)], runas)
  return true
}

async function switched(ctx: FunctionContext, verb: 'enable' | 'disable', name: string, runas: Value): Promise<true> {
  await launchctl(ctx, [verb, await target(ctx, name)], runas)
  return true
}

async function loadedLabels(ctx: FunctionContext, runas: Value): Promise<string[]> {
  const rows = splitLines(await list(ctx, null, runas)).filter((line) => !line.startsWith('PID'))
  return [...new Set(rows.map((row) => row.split('\t')[2]!))].sort()
}

const isLoaded = (ctx: FunctionContext, name: string, runas: Value): Promise<boolean> =>
  succeedsTo(() => list(ctx, name, runas))

const isAvailable = (ctx: FunctionContext, name: string): Promise<boolean> => succeedsTo(() => serviceOf(ctx, name))

const runas = arg.any('Whom launchctl runs as', { optional: true })
const one = { name: serviceName, runas }

export default defineModule({
  name: 'mac_service',
  doc: 'Services of macOS.',
  virtual: 'service',
  when: async ({ grains, host }) => {
    const refusal = (why: string): string => `Failed to load the mac_service module:\n${why}`
    if (grains.get('kernel') !== 'Darwin') return refusal('Only available on macOS systems.')
    for (const binary of ['launchctl', 'plutil']) {
      if ((await host.which(binary)) === undefined) return refusal(`Required binary not found: "${binary}"`)
    }
    return true
  },
  functions: {
    show: reads({
      doc: 'What is known about a service.',
      example: 'service.show org.cups.cupsd',
      args: { name: serviceName },
      run: (ctx, { name }) => serviceOf(ctx, name),
    }),
    launchctl: changes({
      doc: 'Run launchctl.',
      example: 'service.launchctl debug org.cups.cupsd',
      args: {
        sub_cmd: arg.string('What it is to do'),
        args: arg.rest('Its arguments'),
        kwargs: arg.open('`runas`, `return_stdout`'),
      },
      run: async (ctx, { sub_cmd, args, kwargs }) => {
        const shown = await launchctl(ctx, [sub_cmd, ...args.map(str)], kwargs.get('runas') ?? null)
        return truthy(kwargs.get('return_stdout') ?? false) ? shown : true
      },
    }),
    list: {
      ...reads({
        doc: 'What launchctl lists.',
        example: 'service.list org.cups.cupsd',
        args: { name: arg.text('One service', { optional: true }), runas },
        run: (ctx, { name, runas }) => list(ctx, name, runas),
      }),
      calledAs: 'list_',
    },
    enable: changes({
      doc: 'Start a service at boot.',
      example: 'service.enable org.cups.cupsd',
      args: one,
      run: (ctx, { name, runas }) => switched(ctx, 'enable', name, runas),
    }),
    disable: changes({
      doc: 'Do not start a service at boot.',
      example: 'service.disable org.cups.cupsd',
      args: one,
      run: (ctx, { name, runas }) => switched(ctx, 'disable', name, runas),
    }),
    start: changes({
      doc: 'Start a service.',
      example: 'service.start org.cups.cupsd',
      args: one,
      run: (ctx, { name, runas }) => boot(ctx, 'bootstrap', name, runas),
    }),
    stop: changes({
      doc: 'Stop a service.',
      example: 'service.stop org.cups.cupsd',
      args: one,
      run: (ctx, { name, runas }) => boot(ctx, 'bootout', name, runas),
    }),
    restart: changes({
      doc: 'Restart a service.',
      example: 'service.restart org.cups.cupsd',
      args: one,
      run: async (ctx, { name, runas }) => {
        if (await isLoaded(ctx, name, runas)) await boot(ctx, 'bootout', name, runas)
        return boot(ctx, 'bootstrap', name, runas)
      },
    }),
    status: reads({
      doc: 'Whether a service is running.',
      example: 'service.status org.cups.cupsd',
      args: {
        name: serviceName,
        sig: arg.any('Look for a process whose line matches this instead', { optional: true }),
        runas,
      },
      run: async (ctx, { name, sig, runas }) =>
        truthy(sig) ? ctx.call('status.pid', [sig]) : isRunning(ctx, name, runas),
    }),
    available: reads({
      doc: 'Whether there is such a service.',
      example: 'service.available org.cups.cupsd',
      args: { name: serviceName },
      run: (ctx, args) => isAvailable(ctx, args.name),
    }),
    missing: reads({
      doc: 'Whether there is none.',
      example: 'service.missing org.cups.cupsd',
      args: { name: serviceName },
      run: async (ctx, args) => !(await isAvailable(ctx, args.name)),
    }),
    enabled: reads({
      doc: 'Whether a service is started at boot.',
      example: 'service.enabled org.cups.cupsd',
      args: one,
      run: async (ctx, args) => !(await isDisabled(ctx, args.name, args.runas)),
    }),
    disabled: reads({
      doc: 'Whether a service is not started at boot.',
      example: 'service.disabled org.cups.cupsd',
      args: { ...one, domain: arg.any('Not looked at', { default: 'system' }) },
      run: (ctx, { name, runas }) => isDisabled(ctx, name, runas),
    }),
    get_all: reads({
      doc: 'All services.',
      example: 'service.get_all',
      args: { runas },
      run: async (ctx, { runas }) => {
        const known = [...(await services(ctx)).keys()].map(str)
        return [...new Set([...(await loadedLabels(ctx, runas)), ...known])].sort()
      },
    }),
    get_enabled: reads({
      doc: 'The services that are loaded.',
      example: 'service.get_enabled',
      args: { runas },
      run: (ctx, { runas }) => loadedLabels(ctx, runas),
    }),
    loaded: reads({
      doc: 'Whether a service is loaded.',
      example: 'service.loaded org.cups.cupsd',
      args: one,
      run: (ctx, { name, runas }) => isLoaded(ctx, name, runas),
    }),
  },
})
