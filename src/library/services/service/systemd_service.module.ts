// Services of machines booted with systemd. Without it running (a chroot, a container) most functions still serve, and
// `offline` says so.
import { type Dict, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
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
import { act, blocks, disable, enable, isEnabled, mask, stop, unmask } from './systemd_service/actions.ts'
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

const root = arg.any('Another root directory', { optional: true })
const runtime = arg.flag('Until the next boot only', { default: false })
const unmasking = {
  unmask: arg.flag('Whether it is unmasked before', { default: false }),
  unmask_runtime: arg.flag('Whether it is unmasked before, until the next boot', { default: false }),
}
const noBlock = (value: boolean | null) => arg.any('Do not wait until it is done', { default: value })
const done = ret.boolean('Whether it went well')

async function available(ctx: FunctionContext, name: string): Promise<boolean> {
  await noticeChanges(ctx, name)
  return isAvailable(ctx, name)
}

/** Functions over a unit that fail with what systemctl says. */
function acting(doc: string, verb: string, no_block: boolean | null, calledAs?: string) {
  const name = verb.replace('-', '_')
  return changes({
    doc,
    args: { name: serviceName, no_block: noBlock(no_block), ...unmasking },
    returns: done,
    example: `service.${name} nginx`,
    ...(calledAs !== undefined && { calledAs }),
    run: (ctx, { name, ...options }) =>
      act(ctx, verb, name, {
        ...options,
        no_block: verb === 'restart' ? blocks(name, options.no_block) : options.no_block,
      }),
  })
}

/** Names of units in a state; init scripts join them that `counts`. */
function unitList(doc: string, name: string, find: (ctx: FunctionContext, root: Value) => Promise<string[]>) {
  return reads({
    doc,
    args: { root },
    returns: ret.texts('Their names, without `.service`'),
    example: `service.${name}`,
    run: (ctx, { root }) => find(ctx, root),
  })
}

async function inState(ctx: FunctionContext, state: string, root: Value, scripts?: boolean): Promise<string[]> {
  const found = await unitsInState(ctx, state, root)
  if (scripts !== undefined) {
    for (const name of await sysvServices(ctx, root)) {
      if ((await isSysvEnabled(ctx, name, root)) === scripts) found.add(name)
    }
  }
  return [...found].sort()
}

async function programs(ctx: FunctionContext, root: Value): Promise<Record<string, Result>> {
  const found: Record<string, Result> = {}
  for (const name of await allUnits(ctx, root)) {
    const start = (await properties(ctx, name, root)).get('ExecStart')
    if (start !== undefined) found[name] = (start as Dict).get('path')
  }
  return found
}

const FIRST_BOOT = {
  locale: arg.any('The locale', { optional: true }),
  locale_message: arg.any('The locale of messages', { optional: true }),
  keymap: arg.any('The keyboard', { optional: true }),
  timezone: arg.any('The time zone', { optional: true }),
  hostname: arg.any('The name of the machine', { optional: true }),
  machine_id: arg.any('The id of the machine', { optional: true }),
  root,
}

async function firstBoot(ctx: FunctionContext, given: Readonly<Record<string, Value>>): Promise<true> {
  const words = [(await ctx.host.which('systemd-firstboot')) ?? 'systemd-firstboot']
  for (const key of Object.keys(FIRST_BOOT)) {
    const option = key === 'machine_id' ? 'machine-ID' : key.replace('_', '-')
    if (truthy(given[key]!)) words.push(`--${option}`, str(given[key]!))
  }
  const { retcode, stderr } = await runAll(ctx, words)
  if (retcode === 0) return true
  throw new SaltError('CommandExecutionError', `systemd-firstboot error: ${stderr}`)
}

const isActive = async (ctx: FunctionContext, name: string): Promise<boolean> => {
  await noticeChanges(ctx, name)
  return succeeds(ctx, await systemctl(ctx, 'is-active', { name }), { ignore_retcode: true })
}

export default defineModule({
  name: 'systemd_service',
  doc: 'Services through systemd.',
  virtual: 'service',
  when: async ({ grains, host }) =>
    (grains.get('kernel') === 'Linux' && ((await isBootedWithSystemd(host)) || (await isSystemdOffline(host)))) ||
    'The systemd execution module failed to load: only available on Linux systems which have been booted with systemd.',
  functions: {
    systemctl_reload: changes({
      doc: 'Let systemd read its unit files again.',
      args: {},
      returns: done,
      example: 'service.systemctl_reload',
      run: reloadDaemon,
    }),
    get_running: reads({
      doc: 'The units that are running.',
      args: {},
      returns: ret.texts('Their names'),
      example: 'service.get_running',
      run: runningUnits,
    }),
    get_enabled: unitList('What is started at boot.', 'get_enabled', (ctx, root) =>
      inState(ctx, 'enabled', root, true),
    ),
    get_disabled: unitList('What is not started at boot.', 'get_disabled', (ctx, root) =>
      inState(ctx, 'disabled', root, false),
    ),
    get_static: unitList('Units that cannot be enabled.', 'get_static', (ctx, root) => inState(ctx, 'static', root)),
    get_all: unitList('All units.', 'get_all', allUnits),
    available: question('available', available),
    missing: question('missing', async (ctx, name) => !(await available(ctx, name))),
    unmask: changes({
      doc: 'Let a service be started again.',
      args: { name: serviceName, runtime, root },
      returns: done,
      examples: ["salt '*' service.unmask nginx", "salt '*' service.unmask nginx runtime=True"],
      calledAs: 'unmask_',
      run: (ctx, { name, runtime, root }) => unmask(ctx, name, runtime, root),
    }),
    mask: changes({
      doc: 'Make it impossible to start a service.',
      args: { name: serviceName, runtime, root },
      returns: done,
      examples: ["salt '*' service.mask nginx", "salt '*' service.mask nginx runtime=True"],
      run: (ctx, { name, runtime, root }) => mask(ctx, name, runtime, root),
    }),
    masked: reads({
      doc: 'Whether a service is masked.',
      args: { name: serviceName, runtime, root },
      returns: ret.boolean('The answer'),
      example: 'service.masked nginx',
      run: (ctx, { name, runtime, root }) => isMasked(ctx, name, runtime, root),
    }),
    start: acting('Start a service.', 'start', false),
    stop: changes({
      doc: 'Stop a service.',
      args: { name: serviceName, no_block: noBlock(null) },
      returns: done,
      example: 'service.stop nginx',
      run: (ctx, { name, no_block }) => stop(ctx, name, no_block),
    }),
    restart: acting('Restart a service.', 'restart', null),
    reload: acting('Let a service read its configuration again.', 'reload', false, 'reload_'),
    force_reload: acting('Reload a service, or restart it where it cannot reload.', 'force-reload', true),
    status: reads({
      doc: 'Whether a service is active.',
      args: { name: serviceName, sig: arg.any('Not looked at here', { optional: true }) },
      returns: ret.any('True or false; by name when the name has wildcards'),
      example: 'service.status nginx',
      run: (ctx, { name }) =>
        byGlob(
          name,
          () => allUnits(ctx),
          (service) => isActive(ctx, service),
        ),
    }),
    enable: changes({
      doc: 'Start a service at boot.',
      args: { name: serviceName, no_block: noBlock(false), ...unmasking, root, kwargs: arg.open('Ignored') },
      returns: done,
      example: 'service.enable nginx',
      run: (ctx, { name, ...options }) => enable(ctx, name, options),
    }),
    disable: changes({
      doc: 'Do not start a service at boot.',
      args: { name: serviceName, no_block: noBlock(false), root, kwargs: arg.open('Ignored') },
      returns: done,
      example: 'service.disable nginx',
      run: (ctx, { name, no_block, root }) => disable(ctx, name, no_block, root),
    }),
    enabled: reads({
      doc: 'Whether a service is started at boot.',
      args: { name: serviceName, root, kwargs: arg.open('Ignored') },
      returns: ret.boolean('The answer'),
      example: 'service.enabled nginx',
      run: (ctx, { name, root }) => isEnabled(ctx, name, root),
    }),
    disabled: reads({
      doc: 'Whether a service is not started at boot.',
      args: { name: serviceName, root },
      returns: ret.boolean('The answer'),
      example: 'service.disabled nginx',
      run: async (ctx, { name, root }) => !(await isEnabled(ctx, name, root)),
    }),
    show: reads({
      doc: 'The properties of a unit.',
      args: { name: serviceName, root },
      returns: ret.dict('By name'),
      example: 'service.show nginx',
      run: (ctx, { name, root }) => properties(ctx, name, root),
    }),
    execs: reads({
      doc: 'The program of each service.',
      args: { root },
      returns: ret.dict('Paths by service'),
      example: 'service.execs',
      run: (ctx, { root }) => programs(ctx, root),
    }),
    firstboot: changes({
      doc: 'Set up a new system.',
      args: FIRST_BOOT,
      returns: done,
      example: 'service.firstboot keymap=jp locale=en_US.UTF-8',
      run: (ctx, given) => firstBoot(ctx, given),
    }),
    offline: reads({
      doc: 'Whether systemd is installed and does not run this machine.',
      args: {},
      returns: ret.any('The path of systemctl, false, or none when there is no systemctl'),
      example: 'service.offline',
      run: async ({ host }) => !(await isBootedWithSystemd(host)) && ((await host.which('systemctl')) ?? null),
    }),
  },
})
