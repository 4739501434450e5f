// Programs that monit watches or not.
import { isDict, str } from '../../../data/mod.ts'
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

async function bring(ctx: StateContext, name: string, wording: Wording): Promise<StateReturn> {
  const ret = reportOn(name)
  const kinds = [...(await ctx.call('monit.summary', [name])).values()]
  for (const kind of kinds) {
    const state = isDict(kind) ? kind.get(name) : undefined
    if (state === undefined) return ret(false, `${name} not found in configuration.`)
    if (str(state).includes(wording.sign)) continue
    if (ctx.test) return ret(null, `Service ${name} ${wording.foreseen}`)
    await ctx.call(`monit.${wording.fun}`, [name])
    return ret(true, `${name} ${wording.done}`, { [name]: wording.sign })
  }
  return kinds.length > 0 ? ret(true, `${name} ${wording.already}`) : ret(null, '')
}

const name = arg.string('The program')

export default defineState({
  name: 'monit',
  doc: 'Keep programs watched by monit or not.',
  when: async ({ host }) => (await host.which('monit')) !== undefined || 'monit module could not be loaded',
  functions: {
    monitor: state({ doc: 'A program is watched.', args: { name }, run: (ctx, { name }) => bring(ctx, name, MONITOR) }),
    unmonitor: state({
      doc: 'A program is not watched.',
      args: { name },
      run: (ctx, { name }) => bring(ctx, name, UNMONITOR),
    }),
  },
})
