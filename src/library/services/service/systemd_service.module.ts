// Services of systemd. Most functions also work when systemd is not running (a chroot, a container); `offline` detects that.
import { failure } from '../../../data/mod.ts'
import {
  type Arg,
  arg,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
  isBootedWithSystemd,
  isSystemdOffline,
  type Result,
  reads,
  ret,
  runAll,
  succeeds,
} from '../../../sdk/mod.ts'
import { byGlob, question, serviceName } from './declare.ts'
import { act, disable, enable, isDetached, isEnabled, mask, stop, unmask } from './systemd_service/actions.ts'
import { systemctl } from './systemd_service/systemctl.ts'
import {
  allUnits,
  isAvailable,
  isMasked,
  isSysvEnabled,
  noticeChanges,
  properties,
  reloadDaemon,
  runningUnits,
  sysvServices,
  unitsInState,
} from './systemd_service/units.ts'

const root = arg.text('Path of another root directory', { optional: true })
const runtime = arg.flag('Whether the change lasts only until the next boot', { default: false })
const unmasking = {
  unmask: arg.flag('Whether to unmask the service first', { default: false }),
  unmask_runtime: arg.flag('Whether to unmask the service first, until the next boot', { default: false }),
}
const NO_BLOCK = 'Whether to return before systemd is done'
const noBlock = (value: boolean) => arg.flag(NO_BLOCK, { default: value })
const noBlockForMinion = arg.flag(`${NO_BLOCK}; by default only for the minion itself`, { optional: true })
const done = ret.boolean('Whether it succeeded')

async function available(ctx: FunctionContext, name: string): Promise<boolean> {
  await noticeChanges(ctx, name)
  return isAvailable(ctx, name)
}

/** Declare a function on a unit that raises the error text of systemctl. */
function acting(doc: string, verb: string, no_block: Arg<boolean | null>, calledAs?: string) {
  const name = verb.replace('-', '_')
  return changes({
    doc,
    args: { name: serviceName, no_block, ...unmasking },
    returns: done,
    example: `service.${name} nginx`,
    ...(calledAs !== undefined && { calledAs }),
    run: (ctx, { name, ...options }) =>
      act(ctx, verb, name, {
        ...options,
        no_block: verb === 'restart' ? isDetached(name, options.no_block) : options.no_block,
      }),
  })
}

/** Declare a function that returns unit names. */
function unitList(doc: string, name: string, find: (ctx: FunctionContext, root: string | null) => Promise<string[]>) {
  return reads({
    doc,
    args: { root },
    returns: ret.texts('The unit names, without `.service`'),
    example: `service.${name}`,
    run: (ctx, { root }) => find(ctx, root),
  })
}

async function inState(ctx: FunctionContext, state: string, root: string | null, scripts?: boolean): Promise<string[]> {
  const found = await unitsInState(ctx, state, root)
  if (scripts !== undefined) {
    for (const name of await sysvServices(ctx, root)) {
      if ((await isSysvEnabled(ctx, name, root)) === scripts) found.add(name)
    }
  }
  return [...found].sort()
}

async function programs(ctx: FunctionContext, root: string | null): Promise<Record<string, Result>> {
  const found: Record<string, Result> = {}
  for (const name of await allUnits(ctx, root)) {
    const start = (await properties(ctx, name, root)).get('ExecStart')
    if (start instanceof Map) found[name] = start.get('path')
  }
  return found
}

const FIRST_BOOT = {
  locale: arg.text('Locale', { optional: true }),
  locale_message: arg.text('Locale of messages', { optional: true }),
  keymap: arg.text('Keymap', { optional: true }),
  timezone: arg.text('Time zone', { optional: true }),
  hostname: arg.text('Host name', { optional: true }),
  machine_id: arg.text('Machine id', { optional: true }),
  root,
}

async function firstBoot(ctx: FunctionContext, given: Bound<typeof FIRST_BOOT>): Promise<true> {
  const words = [(await ctx.host.which('systemd-firstboot')) ?? 'systemd-firstboot']
  for (const [key, value] of Object.entries(given)) {
    const option = key === 'machine_id' ? 'machine-ID' : key.replace('_', '-')
    if (value) words.push(`--${option}`, value)
  }
  const { retcode, stderr } = await runAll(ctx, words)
  if (retcode === 0) return true
  throw failure(`systemd-firstboot error: ${stderr}`)
}

const isActive = async (ctx: FunctionContext, name: string): Promise<boolean> => {
  await noticeChanges(ctx, name)
  return succeeds(ctx, await systemctl(ctx, 'is-active', { name }), { ignore_retcode: true })
}

export default defineModule({
  name: 'systemd_service',
  doc: 'Manage services of systemd.',
  virtual: 'service',
  when: async ({ grains, host }) =>
    (grains.get('kernel') === 'Linux' && ((await isBootedWithSystemd(host)) || (await isSystemdOffline(host)))) ||
    'The systemd execution module failed to load: only available on Linux systems which have been booted with systemd.',
  functions: {
    systemctl_reload: changes({
      doc: 'Reload the unit files.',
      returns: done,
      run: reloadDaemon,
    }),
    get_running: reads({
      doc: 'Return the running units.',
      returns: ret.texts('The unit names'),
      run: runningUnits,
    }),
    get_enabled: unitList('Return the services that start at boot.', 'get_enabled', (ctx, root) =>
      inState(ctx, 'enabled', root, true),
    ),
    get_disabled: unitList('Return the services that do not start at boot.', 'get_disabled', (ctx, root) =>
      inState(ctx, 'disabled', root, false),
    ),
    get_static: unitList('Return the units that cannot be enabled.', 'get_static', (ctx, root) =>
      inState(ctx, 'static', root),
    ),
    get_all: unitList('Return all units.', 'get_all', allUnits),
    available: question('available', available),
    missing: question('missing', async (ctx, name) => !(await available(ctx, name))),
    unmask: changes({
      doc: 'Unmask a service.',
      args: { name: serviceName, runtime, root },
      returns: done,
      examples: ["salt '*' service.unmask nginx", "salt '*' service.unmask nginx runtime=True"],
      calledAs: 'unmask_',
      run: (ctx, { name, runtime, root }) => unmask(ctx, name, runtime, root),
    }),
    mask: changes({
      doc: 'Mask a service, so that it cannot be started.',
      args: { name: serviceName, runtime, root },
      returns: done,
      examples: ["salt '*' service.mask nginx", "salt '*' service.mask nginx runtime=True"],
      run: (ctx, { name, runtime, root }) => mask(ctx, name, runtime, root),
    }),
    masked: reads({
      doc: 'Return whether a service is masked.',
      args: { name: serviceName, runtime, root },
      returns: ret.boolean('The answer'),
      example: 'service.masked nginx',
      run: (ctx, { name, runtime, root }) => isMasked(ctx, name, runtime, root),
    }),
    start: acting('Start a service.', 'start', noBlock(false)),
    stop: changes({
      doc: 'Stop a service.',
      args: { name: serviceName, no_block: noBlockForMinion },
      returns: done,
      example: 'service.stop nginx',
      run: (ctx, { name, no_block }) => stop(ctx, name, no_block),
    }),
    restart: acting('Restart a service.', 'restart', noBlockForMinion),
    reload: acting('Reload the configuration of a service.', 'reload', noBlock(false), 'reload_'),
    force_reload: acting('Reload a service; restart it if it cannot reload.', 'force-reload', noBlock(true)),
    status: reads({
      doc: 'Return whether a service is active.',
      args: { name: serviceName, sig: arg.text('Ignored', { optional: true }) },
      returns: ret.any('True or False; a dict by name for a name with wildcards'),
      example: 'service.status nginx',
      run: (ctx, { name }) =>
        byGlob(
          name,
          () => allUnits(ctx),
          (service) => isActive(ctx, service),
        ),
    }),
    enable: changes({
      doc: 'Enable a service at boot.',
      args: { name: serviceName, no_block: noBlock(false), ...unmasking, root, kwargs: arg.ignored() },
      returns: done,
      example: 'service.enable nginx',
      run: (ctx, { name, ...options }) => enable(ctx, name, options),
    }),
    disable: changes({
      doc: 'Disable a service at boot.',
      args: { name: serviceName, no_block: noBlock(false), root, kwargs: arg.ignored() },
      returns: done,
      example: 'service.disable nginx',
      run: (ctx, { name, no_block, root }) => disable(ctx, name, no_block, root),
    }),
    enabled: reads({
      doc: 'Return whether a service is enabled at boot.',
      args: { name: serviceName, root, kwargs: arg.ignored() },
      returns: ret.boolean('The answer'),
      example: 'service.enabled nginx',
      run: (ctx, { name, root }) => isEnabled(ctx, name, root),
    }),
    disabled: reads({
      doc: 'Return whether a service is disabled at boot.',
      args: { name: serviceName, root },
      returns: ret.boolean('The answer'),
      example: 'service.disabled nginx',
      run: async (ctx, { name, root }) => !(await isEnabled(ctx, name, root)),
    }),
    show: reads({
      doc: 'Return the properties of a unit.',
      args: { name: serviceName, root },
      returns: ret.dict('The properties by name'),
      example: 'service.show nginx',
      run: (ctx, { name, root }) => properties(ctx, name, root),
    }),
    execs: reads({
      doc: 'Return the program of each service.',
      args: { root },
      returns: ret.dict('Program paths by service name'),
      run: (ctx, { root }) => programs(ctx, root),
    }),
    firstboot: changes({
      doc: 'Run systemd-firstboot, which configures a new system.',
      args: FIRST_BOOT,
      returns: done,
      example: 'service.firstboot keymap=jp locale=en_US.UTF-8',
      run: (ctx, given) => firstBoot(ctx, given),
    }),
    offline: reads({
      doc: 'Return whether systemd is installed but does not run this machine.',
      returns: ret.any('The path of systemctl, False, or None without systemctl'),
      run: async ({ host }) => !(await isBootedWithSystemd(host)) && ((await host.which('systemctl')) ?? null),
    }),
  },
})
