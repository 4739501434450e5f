// Services: running or not, started at boot or not, masked or not.
import type { Dict, Value } from '../../../data/mod.ts'
import { arg, defineState, reportOn, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { dead, type Request, running } from './state/activity.ts'
import { type BootReport, disableAtBoot, enableAtBoot } from './state/boot.ts'
import { masked, unmasked } from './state/masking.ts'
import { type Kwargs, notAvailable, providerOf } from './state/provider.ts'
import { type Watch, watched } from './state/watch.ts'

const name = arg.string('The service')
const kwargs = arg.open('For systemd: no_block, unmask, unmask_runtime; for Windows: timeout')
const activity = {
  name,
  enable: arg.any('Whether it is started at boot; left alone when not given', { optional: true }),
  sig: arg.any('Look for a process whose line matches this, to see whether it runs', { optional: true }),
  init_delay: arg.any('Seconds to wait after it was started or stopped', { optional: true }),
  kwargs,
}
const runtime = arg.any('Until the next boot only', { default: false })

const laidOver = (name: string, { result, comment, changes = new Map() }: BootReport): StateReturn => ({
  name,
  changes,
  result,
  comment,
})

async function enabled(ctx: StateContext, name: string, kwargs: Kwargs): Promise<StateReturn> {
  ctx.memory.set('service.state', 'enabled')
  const report = await enableAtBoot(ctx, await providerOf(ctx), { name, started: null, kwargs })
  if (!ctx.test || report.comment !== notAvailable(name)) return laidOver(name, report)
  const comment = `Service ${name} not present; if created in this state run, it would have been enabled`
  return laidOver(name, { result: null, comment })
}

async function disabled(ctx: StateContext, name: string, kwargs: Kwargs): Promise<StateReturn> {
  ctx.memory.set('service.state', 'disabled')
  return laidOver(name, await disableAtBoot(ctx, await providerOf(ctx), { name, started: null, kwargs }))
}

async function beacon(ctx: StateContext, name: string, kwargs: Kwargs): Promise<StateReturn | Dict> {
  const sfun = kwargs.get('sfun') ?? null
  const ret = reportOn(name)
  if (sfun !== 'running' && sfun !== 'dead') {
    return ret(false, `service.${sfun === null ? 'None' : String(sfun)} does not work with the beacon state function`)
  }
  if (!kwargs.get('beacon')) return ret(true, 'Not adding beacon.')
  const wishes = (kwargs.get('beacon_data') ?? new Map()) as Dict
  const wish = (key: string, fallback: Value): Value => wishes.get(key) ?? fallback
  const data: Dict = new Map<Value, Value>([
    ['onchangeonly', wish('onchangeonly', true)],
    ['delay', wish('delay', 0)],
    ['emitatstartup', wish('emitatstartup', false)],
    ['uncleanshutdown', wish('emitatstartup', null)],
  ])
  return ctx.state('beacon.present', {
    name: `beacon_service_${name}`,
    services: new Map([[name, data]]),
    interval: wish('interval', 60),
    beacon_module: 'service',
  })
}

export default defineState({
  name: 'service',
  doc: 'Keep services running or stopped.',
  functions: {
    running: state({
      doc: 'A service is running.',
      args: activity,
      run: (ctx, request) => running(ctx, request as Request),
    }),
    dead: state({
      doc: 'A service is not running.',
      args: activity,
      run: (ctx, request) => dead(ctx, request as Request),
    }),
    enabled: state({
      doc: 'A service is started at boot.',
      args: { name, kwargs },
      run: (ctx, { name, kwargs }) => enabled(ctx, name, kwargs),
    }),
    disabled: state({
      doc: 'A service is not started at boot.',
      args: { name, kwargs },
      run: (ctx, { name, kwargs }) => disabled(ctx, name, kwargs),
    }),
    masked: state({
      doc: 'A service cannot be started.',
      args: { name, runtime },
      run: async (ctx, { name, runtime }) => masked(ctx, await providerOf(ctx), name, runtime),
    }),
    unmasked: state({
      doc: 'A service can be started.',
      args: { name, runtime },
      run: async (ctx, { name, runtime }) => unmasked(ctx, await providerOf(ctx), name, runtime),
    }),
    mod_watch: state({
      doc: 'Restart a service, or let it reload, because something it watches has changed.',
      args: {
        name,
        sfun: arg.text('The state that watches', { optional: true }),
        sig: activity.sig,
        reload: arg.flag('Reload instead of restarting', { default: false }),
        full_restart: arg.flag('Restart fully, where the provider knows that', { default: false }),
        init_delay: activity.init_delay,
        force: arg.flag('Reload by force', { default: false }),
        kwargs,
      },
      run: (ctx, watch) => watched(ctx, watch as Watch),
    }),
    mod_beacon: state({
      doc: 'Watch a service with a beacon.',
      args: { name, kwargs },
      run: (ctx, { name, kwargs }) => beacon(ctx, name, kwargs),
    }),
  },
})
