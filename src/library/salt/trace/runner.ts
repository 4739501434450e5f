// Shows causes and consequences: the chain from a beacon, an event or a command through reactions, calls,
// orchestrations and jobs to the states of minions.
import { isJid } from '../../../base/mod.ts'
import { type Dict, failure, fnmatch, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn } from '../../../sdk/mod.ts'
import { givenNumber } from '../common/given.ts'
import { Chain, type TracedEvent } from './runner/chain.ts'

/** Return the event with a number, or the last event with a tag. */
function eventOf(ctx: MasterContext, wanted: string): TracedEvent {
  if (/^\d+$/.test(wanted)) {
    const number = Number(wanted)
    const [event] = ctx.journal().from({ number }, { upTo: number })
    if (!event) throw failure(`There is no event ${wanted} in the journal (salt-run event.list)`)
    return event
  }
  const [last] = ctx.journal().back({ filter: (tag) => fnmatch(tag, wanted) })
  if (!last) throw failure(`There is no event with tag '${wanted}' in the journal (salt-run event.list)`)
  return last
}

async function chainOf(ctx: MasterContext, wanted: string, most: number | undefined): Promise<Dict> {
  const chain = new Chain(ctx, most)
  if (!isJid(wanted)) return chain.ofEvent(eventOf(ctx, wanted))
  if (!ctx.jobs.job(wanted) && !ctx.orchestrations().run(wanted)) throw failure(`There is no job ${wanted}`)
  return chain.ofJob(wanted)
}

export default defineRunner({
  name: 'trace',
  doc: 'Show the causes and consequences of a job or an event.',
  functions: {
    show: masterFn({
      doc: 'Return the chain of a job or an event: its causes, with files and lines, and all its consequences.',
      args: {
        what: arg.text('Job id, event number, or a tag or glob of tags, which means the last matching event'),
        most: arg.any(
          'Greatest number of minions of each job, failed ones first: a number, or text of one. Default: all',
          {
            optional: true,
          },
        ),
      },
      examples: ['salt-run trace.show 20171130110407769519', "salt-run trace.show 'salt/beacon/web1/*'"],
      outputter: 'trace',
      run: (ctx, { what, most }): Promise<Value> =>
        chainOf(ctx, what, most === null ? undefined : givenNumber('most', most)),
    }),
  },
})
