// Services of macOS, through launchctl.
import { recover } from '../../../base/mod.ts'
import { type Dict, isDict, isFailure, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads } from '../../../sdk/mod.ts'
import { serviceName } from './declare.ts'
import { consoleUser, domainOf, isAgent, launchctl, plistOf, serviceOf, services } from './mac_service/launchd.ts'

const textOrNone = (value: Value | undefined): string | null => (value == null ? null : str(value))

async function list(ctx: FunctionContext, name: string | null, runas: string | null): Promise<string> {
  if (!name) return launchctl(ctx, ['list'], runas)
  const service = await serviceOf(ctx, name)
  const as = !runas && isAgent(service) ? await consoleUser(ctx) : runas
  return launchctl(ctx, ['list', str(plistOf(service).get('Label')!)], as)
}

async function succeedsTo(work: () => Promise<unknown>): Promise<boolean> {
  return recover(isFailure, false, async () => {
    await work()
    return true
  })
}

/** Return whether launchd restarts the service whenever it ends. */
async function isKeptAlive(ctx: FunctionContext, service: Dict): Promise<boolean> {
  const condition = plistOf(service).get('KeepAlive') ?? false
  if (!isDict(condition)) return condition === true
  for (const [path, value] of (condition.get('PathState') ?? new Map()) as Dict) {
    if ((await ctx.host.access(str(path), 'exists')) === value) return true
  }
  return false
}

async function isRunning(ctx: FunctionContext, name: string, runas: string | null): Promise<boolean> {
  let shown = ''
  const isListed = await succeedsTo(async () => {
    shown = await list(ctx, name, runas)
  })
  if (!isListed) return false
  return (await isKeptAlive(ctx, await serviceOf(ctx, name))) ? shown.includes('"PID" =') : true
}

async function isDisabled(ctx: FunctionContext, name: string, runas: string | null): Promise<boolean> {
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

/** Load or unload the file of a service. */
async function boot(
  ctx: FunctionContext,
  verb: 'bootstrap' | 'bootout',
  name: string,
  runas: string | null,
): Promise<true> {
  const service = await serviceOf(ctx, name)
  await launchctl(ctx, [verb, await domainOf(ctx, service), str(service.get('file_path')!)], runas)
  return true
}

async function setEnabled(
  ctx: FunctionContext,
  verb: 'enable' | 'disable',
  name: string,
  runas: string | null,
): Promise<true> {
  await launchctl(ctx, [verb, await target(ctx, name)], runas)
  return true
}

async function loadedLabels(ctx: FunctionContext, runas: string | null): Promise<string[]> {
  const rows = splitLines(await list(ctx, null, runas)).filter((line) => !line.startsWith('PID'))
  return [...new Set(rows.map((row) => row.split('\t')[2]!))].sort()
}

const isLoaded = (ctx: FunctionContext, name: string, runas: string | null): Promise<boolean> =>
  succeedsTo(() => list(ctx, name, runas))

const isAvailable = (ctx: FunctionContext, name: string): Promise<boolean> => succeedsTo(() => serviceOf(ctx, name))

const runas = arg.text('User that runs launchctl', { optional: true })
const onService = { name: serviceName, runas }

export default defineModule({
  name: 'mac_service',
  doc: 'Manage services of macOS.',
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
      doc: 'Return the details of a service.',
      example: 'service.show org.cups.cupsd',
      args: { name: serviceName },
      run: (ctx, { name }) => serviceOf(ctx, name),
    }),
    launchctl: changes({
      doc: 'Run launchctl.',
      example: 'service.launchctl debug org.cups.cupsd',
      args: {
        sub_cmd: arg.string('Subcommand'),
        args: arg.rest('Arguments of the subcommand'),
        kwargs: arg.open('`runas`, `return_stdout`'),
      },
      run: async (ctx, { sub_cmd, args, kwargs }) => {
        const shown = await launchctl(ctx, [sub_cmd, ...args.map(str)], textOrNone(kwargs.get('runas')))
        return truthy(kwargs.get('return_stdout') ?? false) ? shown : true
      },
    }),
    list: {
      ...reads({
        doc: 'Return the output of `launchctl list`.',
        example: 'service.list org.cups.cupsd',
        args: { name: arg.text('Service name; all services if not given', { optional: true }), runas },
        run: (ctx, { name, runas }) => list(ctx, name, runas),
      }),
      calledAs: 'list_',
    },
    enable: changes({
      doc: 'Enable a service at boot.',
      example: 'service.enable org.cups.cupsd',
      args: onService,
      run: (ctx, { name, runas }) => setEnabled(ctx, 'enable', name, runas),
    }),
    disable: changes({
      doc: 'Disable a service at boot.',
      example: 'service.disable org.cups.cupsd',
      args: onService,
      run: (ctx, { name, runas }) => setEnabled(ctx, 'disable', name, runas),
    }),
    start: changes({
      doc: 'Start a service.',
      example: 'service.start org.cups.cupsd',
      args: onService,
      run: (ctx, { name, runas }) => boot(ctx, 'bootstrap', name, runas),
    }),
    stop: changes({
      doc: 'Stop a service.',
      example: 'service.stop org.cups.cupsd',
      args: onService,
      run: (ctx, { name, runas }) => boot(ctx, 'bootout', name, runas),
    }),
    restart: changes({
      doc: 'Restart a service.',
      example: 'service.restart org.cups.cupsd',
      args: onService,
      run: async (ctx, { name, runas }) => {
        if (await isLoaded(ctx, name, runas)) await boot(ctx, 'bootout', name, runas)
        return boot(ctx, 'bootstrap', name, runas)
      },
    }),
    status: reads({
      doc: 'Return whether a service is running.',
      example: 'service.status org.cups.cupsd',
      args: {
        name: serviceName,
        sig: arg.text('Pattern of a process line; look for such a process instead', { optional: true }),
        runas,
      },
      run: async (ctx, { name, sig, runas }) => (sig ? ctx.call('status.pid', [sig]) : isRunning(ctx, name, runas)),
    }),
    available: reads({
      doc: 'Return whether a service exists.',
      example: 'service.available org.cups.cupsd',
      args: { name: serviceName },
      run: (ctx, args) => isAvailable(ctx, args.name),
    }),
    missing: reads({
      doc: 'Return whether a service does not exist.',
      example: 'service.missing org.cups.cupsd',
      args: { name: serviceName },
      run: async (ctx, args) => !(await isAvailable(ctx, args.name)),
    }),
    enabled: reads({
      doc: 'Return whether a service is enabled at boot.',
      example: 'service.enabled org.cups.cupsd',
      args: onService,
      run: async (ctx, args) => !(await isDisabled(ctx, args.name, args.runas)),
    }),
    disabled: reads({
      doc: 'Return whether a service is disabled at boot.',
      example: 'service.disabled org.cups.cupsd',
      args: { ...onService, domain: arg.text('Ignored', { default: 'system' }) },
      run: (ctx, { name, runas }) => isDisabled(ctx, name, runas),
    }),
    get_all: reads({
      doc: 'Return all services.',
      args: { runas },
      run: async (ctx, { runas }) => {
        const known = [...(await services(ctx)).keys()]
        return [...new Set([...(await loadedLabels(ctx, runas)), ...known])].sort()
      },
    }),
    get_enabled: reads({
      doc: 'Return the loaded services.',
      args: { runas },
      run: (ctx, { runas }) => loadedLabels(ctx, runas),
    }),
    loaded: reads({
      doc: 'Return whether a service is loaded.',
      example: 'service.loaded org.cups.cupsd',
      args: onService,
      run: (ctx, { name, runas }) => isLoaded(ctx, name, runas),
    }),
  },
})
