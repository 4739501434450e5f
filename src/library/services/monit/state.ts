// States of services that monit monitors.
import { isDict, str, truthy } from '../../../data/mod.ts'
import { arg, defineState, reportOn, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

interface Wording {
  fun: 'monitor' | 'unmonitor'
  sign: string
  already: string
  foreseen: string
  done: string
}

const MONITOR: Wording = {
  fun: 'monitor',
  sign: 'Running',
  already: 'is being being monitored.',
  foreseen: 'is set to be monitored.',
  done: 'started to be monitored.',
}
const UNMONITOR: Wording = {
  fun: 'unmonitor',
  sign: 'Not monitored',
  already: 'is not being monitored.',
  foreseen: 'is set to be unmonitored.',
  done: 'stopped being monitored.',
}

async function ensureMonitoring(ctx: StateContext, name: string, wording: Wording): Promise<StateReturn> {
  const ret = reportOn(name)
  const kinds = [...(await ctx.call('monit.summary', [name])).values()]
  for (const kind of kinds) {
    const state = isDict(kind) ? kind.get(name) : undefined
    if (state === undefined) return ret(false, `${name} not found in configuration.`)
    if (str(state).includes(wording.sign)) continue
    if (ctx.test) return ret(null, `Service ${name} ${wording.foreseen}`)
    if (!truthy(await ctx.call(`monit.${wording.fun}`, [name]))) return ret(false, `Failed to ${wording.fun} ${name}.`)
    return ret(true, `${name} ${wording.done}`, { [name]: wording.sign })
  }
  return kinds.length > 0 ? ret(true, `${name} ${wording.already}`) : ret(null, '')
}

const name = arg.string('Service name')

export default defineState({
  name: 'monit',
  doc: 'Manage whether monit monitors services.',
  when: async ({ host }) => (await host.which('monit')) !== undefined || 'monit module could not be loaded',
  functions: {
    monitor: state({
      doc: 'Ensure that a service is monitored.',
      args: { name },
      run: (ctx, { name }) => ensureMonitoring(ctx, name, MONITOR),
    }),
    unmonitor: state({
      doc: 'Ensure that a service is not monitored.',
      args: { name },
      run: (ctx, { name }) => ensureMonitoring(ctx, name, UNMONITOR),
    }),
  },
})
