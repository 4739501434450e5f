// Thorium: states over the events of the master, run in turns. Values in the register stay from turn to turn, so that
// states can evaluate many events together. A turn runs after new events, at most once in `thorium_interval` seconds.
import { BrineError, type Log, toError, wrapLog } from '../../../base/mod.ts'
import { type Dict, dictFrom, isDict, str, type Value } from '../../../data/mod.ts'
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

export default defineEngine({
  name: 'thorium',
  doc: 'Run the states of `thorium_roots` over the events of the master: collect values in a register, check them, and act.',
  args: {
    grains: arg.flag('Ignored', { default: false }),
    grain_keys: arg.text('Ignored', { optional: true }),
    pillar: arg.flag('Ignored', { default: false }),
    pillar_keys: arg.text('Ignored', { optional: true }),
  },
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

/** Seconds until the next attempt after an error in a file. */
const RETRY_SECONDS = 10

/** Compile, and run turns until it is time to compile again. */
async function turns(ctx: EngineContext, batches: Batches, give: (events: Dict[]) => void): Promise<void> {
  let isTurn = false
  // during turns a failed check is normal; errors of compilation are logged
  const log = wrapLog(ctx.log, (to) => (level, text) => to(isTurn ? 'debug' : level, text))
  const { run, chunks } = await compiled(ctx, log)
  isTurn = true
  const until = ctx.host.now() + option(ctx.opts, 'thorium_recompile')
  while (!ctx.signal.aborted && ctx.host.now() < until) {
    const events = await batches.next(option(ctx.opts, 'thorium_interval'))
    if (events.length === 0) continue
    give(events.map(({ tag, data, origin }) => dictFrom({ tag, data, origin: dictFrom(origin) })))
    const results = await run.callChunks(chunks)
    for (const [tag, result] of results) noteFailure(ctx, str(tag), result)
  }
}

/** Log a state that raised an error; a check that does not hold is not a failure. */
function noteFailure(ctx: EngineContext, tag: string, result: Value): void {
  const comment = isDict(result) && result.get('result') === false ? str(result.get('comment') ?? '') : ''
  if (comment.includes('Traceback') || comment.includes('was not found in SLS'))
    ctx.log('error', `Thorium: ${tag}: ${comment}`)
}

/** Compile the states of the top file for the master. */
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

/** Collects events; a turn takes all events since the last turn. */
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
      // the events of calls of Thorium start no turn; the user in a return is written by the minion and proves nothing

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
