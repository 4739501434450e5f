// Thorium: states over the stream of events, run on the master again and again. What states put into the register stays from
// turn to turn, so that they can judge many events together. A turn comes when there were events, `thorium_interval` apart.
import { BrineError, type Log, toError, wrapLog } from '../../../base/mod.ts'
import { type Dict, isDict, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  type BusMessage,
  beginThorium,
  defineEngine,
  type EngineContext,
  option,
  type StateRun,
  THORIUM_USER,
} from '../../../sdk/mod.ts'

const accepted = { grains: false, grain_keys: null, pillar: false, pillar_keys: null }

export default defineEngine({
  name: 'thorium',
  doc: 'Runs the states of `thorium_roots` over the events of the master: values are gathered in a register, judged, and acted upon.',
  args: Object.fromEntries(
    Object.entries(accepted).map(([name, usual]) => [name, arg.any('Accepted for compatibility', { default: usual })]),
  ),
  when: ({ master }) => (master ? true : 'thorium engine runs only on a master'),
  start: async (ctx) => {
    const batches = new Batches(ctx)
    const memory = (await ctx.functions()).memory
    const give = beginThorium(memory)
    while (!ctx.signal.aborted) {
      try {
        await turns(ctx, batches, give)
      } catch (error) {
        if (ctx.signal.aborted) return
        ctx.log('error', `Exception in Thorium: ${toError(error).message}`)
        await ctx.pause(RETRY_SECONDS)
      }
    }
  },
})

/** Between attempts at files that are wrong, which somebody may be mending. */
const RETRY_SECONDS = 10

/** Compiles, and has turns until it is time to compile again. */
async function turns(ctx: EngineContext, batches: Batches, give: (events: Dict[]) => void): Promise<void> {
  let isTurn = false
  // that a check does not hold is nothing to tell of; what is wrong with a file is
  const log = wrapLog(ctx.log, (to) => (level, text) => to(isTurn ? 'debug' : level, text))
  const { run, chunks } = await compiled(ctx, log)
  isTurn = true
  const until = ctx.host.now() + option(ctx.opts, 'thorium_recompile')
  while (!ctx.signal.aborted && ctx.host.now() < until) {
    const events = await batches.next(option(ctx.opts, 'thorium_interval'))
    if (events.length === 0) continue
    give(
      events.map(
        ({ tag, data, origin }) =>
          new Map<Value, Value>([
            ['tag', tag],
            ['data', data],
            ['origin', new Map<Value, Value>(Object.entries(origin))],
          ]),
      ),
    )
    const results = await run.callChunks(chunks)
    for (const [tag, result] of results) noteFailure(ctx, str(tag), result)
  }
}

/** A check that does not hold is no failure; what a state could not do is one. */
function noteFailure(ctx: EngineContext, tag: string, result: Value): void {
  const comment = isDict(result) && result.get('result') === false ? str(result.get('comment') ?? '') : ''
  if (comment.includes('Traceback') || comment.includes('was not found in SLS'))
    ctx.log('error', `Thorium: ${tag}: ${comment}`)
}

/** The states of the top file for the master, in order. */
async function compiled(ctx: EngineContext, log: Log): Promise<{ run: StateRun; chunks: Dict[] }> {
  const functions = await ctx.functions()
  const own = new Map(functions.opts)
  own.set('file_roots', option(ctx.opts, 'thorium_roots')).set('saltenv', option(ctx.opts, 'thoriumenv'))
  own.set('state_top', option(ctx.opts, 'thorium_top')).set('file_client', 'local').set('state_events', false)
  const run = await functions.openStates({ opts: own, family: 'thorium', log })
  const top = await run.top()
  const matches = await run.topMatches(top)
  if (matches.size === 0) throw new BrineError('ThoriumBroken', 'No Top file found!')
  const { high, errors } = await run.highstate(matches)
  const wrong = [...run.verifyTop(top), ...errors, ...run.reconcileExtend(high), ...run.verifyHigh(high)]
  wrong.push(...run.requisiteIn(high))
  if (wrong.length > 0) throw new BrineError('ThoriumBroken', wrong.join('; '))
  run.exclude(high)
  const low = await run.low(high)
  if (low.errors.length > 0) throw new BrineError('ThoriumBroken', low.errors.join('; '))
  return { run, chunks: low.chunks }
}

/** Events as they come, for turns in which all since the last one are dealt with together. */
class Batches {
  private readonly ctx: EngineContext
  private waiting: BusMessage[] = []

  constructor(ctx: EngineContext) {
    this.ctx = ctx
    this.gather().catch((error: unknown) =>
      ctx.log('error', `Thorium no longer hears events: ${toError(error).message}`),
    )
  }

  private async gather(): Promise<void> {
    for await (const event of this.ctx.events()) {
      // what Thorium began itself is no reason for another turn, but nobody else gets past it by that name
      // the user in a return is what the minion wrote
      const isCall = !event.tag.startsWith('salt/job/') && event.origin.kind === 'master'
      const isItsOwn = isCall && event.data.get('user') === THORIUM_USER
      if (!isItsOwn) this.waiting.push(event)
    }
  }

  async next(seconds: number): Promise<BusMessage[]> {
    await this.ctx.pause(seconds)
    const events = this.waiting
    this.waiting = []
    return events
  }
}
