// Why something happened, and what came of it: the chain from a beacon, an event or a command through reactions, calls,
// orchestrations and jobs to the states of minions.
import { type Dict, fnmatch, SaltError, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn } from '../../../sdk/mod.ts'
import { Chain, type TracedEvent } from './runner/chain.ts'

const missing = (what: string): SaltError => new SaltError('CommandExecutionError', what)

/** The event of a number, or the last one with a tag. */
function eventOf(ctx: MasterContext, wanted: string): TracedEvent {
  if (/^\d+$/.test(wanted)) {
    const number = Number(wanted)
    const [event] = ctx.journal().from({ number }, { upTo: number })
    if (!event) throw missing(`There is no event ${wanted} in the journal (salt-run event.list)`)
    return event
  }
  const [last] = ctx.journal().back({ filter: (tag) => fnmatch(tag, wanted) })
  if (!last) throw missing(`There is no event with tag '${wanted}' in the journal (salt-run event.list)`)
  return last
}

async function chainOf(ctx: MasterContext, wanted: string): Promise<Dict> {
  const chain = new Chain(ctx)
  if (!/^\d{20}$/.test(wanted)) return chain.ofEvent(eventOf(ctx, wanted))
  if (!ctx.jobs.job(wanted) && !ctx.orchestrations().run(wanted)) throw missing(`There is no job ${wanted}`)
  return chain.ofJob(wanted)
}

export default defineRunner({
  name: 'trace',
  doc: 'Why something happened, and what came of it.',
  functions: {
    show: masterFn({
      doc: 'The chain that a job or an event is part of: what led to it, with files and lines, and everything it led to.',
      args: {
        what: arg.text('The number of a job or of an event, or a tag or glob of tags, of which the last event counts'),
      },
      examples: ['salt-run trace.show 20171130110407769519', "salt-run trace.show 'salt/beacon/web1/*'"],
      outputter: 'trace',
      run: (ctx, { what }): Promise<Value> => chainOf(ctx, what),
    }),
  },
})
