// States of services: running, enabled at boot, masked.
import type { Dict, Value } from '../../../data/mod.ts'
import { arg, defineState, reportOn, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { dead, running } from './state/activity.ts'
import { type BootReport, disableAtBoot, enableAtBoot } from './state/boot.ts'
import { masked, unmasked } from './state/masking.ts'
import { type Kwargs, notAvailable, providerOf } from './state/provider.ts'
import { watched } from './state/watch.ts'

const name = arg.string('Service name')
const kwargs = arg.open('For systemd: no_block, unmask, unmask_runtime; for Windows: timeout')
const activity = {
  name,
  enable: arg.any('Whether the service is enabled at boot, as boolean or text; None changes nothing', {
    optional: true,
  }),
  sig: arg.text('Pattern of a process line; look for such a process instead', { optional: true }),
  init_delay: arg.any('Seconds to wait after a start or stop, as number', { optional: true }),
  kwargs,
}
const runtime = arg.flag('Whether to mask only until the next boot', { default: false })

const reported = (name: string, { result, comment, changes = new Map() }: BootReport): StateReturn => ({
  name,
  changes,
  result,
  comment,
})

async function enabled(ctx: StateContext, name: string, kwargs: Kwargs): Promise<StateReturn> {
  ctx.memory.set('service.state', 'enabled')
  const report = await enableAtBoot(ctx, await providerOf(ctx), { name, started: null, kwargs })
  if (!ctx.test || report.comment !== notAvailable(name)) return reported(name, report)
  const comment = `Service ${name} not present; if created in this state run, it would have been enabled`
  return reported(name, { result: null, comment })
}

async function disabled(ctx: StateContext, name: string, kwargs: Kwargs): Promise<StateReturn> {
  ctx.memory.set('service.state', 'disabled')
  return reported(name, await disableAtBoot(ctx, await providerOf(ctx), { name, started: null, kwargs }))
}

async function beacon(ctx: StateContext, name: string, kwargs: Kwargs): Promise<StateReturn | Dict> {
  const sfun = kwargs.get('sfun') ?? null
  const ret = reportOn(name)
  if (sfun !== 'running' && sfun !== 'dead') {
    return ret(false, `service.${sfun === null ? 'None' : String(sfun)} does not work with the beacon state function`)
  }
  if (!kwargs.get('beacon')) return ret(true, 'Not adding beacon.')
  const given = (kwargs.get('beacon_data') ?? new Map()) as Dict
  const option = (key: string, fallback: Value): Value => given.get(key) ?? fallback
  const data: Dict = new Map<Value, Value>([
    ['onchangeonly', option('onchangeonly', true)],
    ['delay', option('delay', 0)],
    ['emitatstartup', option('emitatstartup', false)],
    ['uncleanshutdown', option('emitatstartup', null)],
  ])
  return ctx.state('beacon.present', {
    name: `beacon_service_${name}`,
    services: new Map([[name, data]]),
    interval: option('interval', 60),
    beacon_module: 'service',
  })
}

export default defineState({
  name: 'service',
  doc: 'Manage services.',
  functions: {
    running: state({ doc: 'Ensure that a service is running.', args: activity, run: running }),
    dead: state({ doc: 'Ensure that a service is not running.', args: activity, run: dead }),
    enabled: state({
      doc: 'Ensure that a service is enabled at boot.',
      args: { name, kwargs },
      run: (ctx, { name, kwargs }) => enabled(ctx, name, kwargs),
    }),
    disabled: state({
      doc: 'Ensure that a service is disabled at boot.',
      args: { name, kwargs },
      run: (ctx, { name, kwargs }) => disabled(ctx, name, kwargs),
    }),
    masked: state({
      doc: 'Ensure that a service is masked.',
      args: { name, runtime },
      run: async (ctx, { name, runtime }) => masked(ctx, await providerOf(ctx), name, runtime),
    }),
    unmasked: state({
      doc: 'Ensure that a service is not masked.',
      args: { name, runtime },
      run: async (ctx, { name, runtime }) => unmasked(ctx, await providerOf(ctx), name, runtime),
    }),
    mod_watch: state({
      doc: 'Restart or reload a service because a watched state changed.',
      args: {
        name,
        sfun: arg.text('State function that watches', { optional: true }),
        sig: activity.sig,
        reload: arg.flag('Whether to reload instead of restart', { default: false }),
        full_restart: arg.flag('Whether to restart fully, if the provider supports that', { default: false }),
        init_delay: activity.init_delay,
        force: arg.flag('Whether to force the reload', { default: false }),
        kwargs,
      },
      run: watched,
    }),
    mod_beacon: state({
      doc: 'Monitor a service with a beacon.',
      args: { name, kwargs },
      run: (ctx, { name, kwargs }) => beacon(ctx, name, kwargs),
    }),
  },
})
