// A job for a few minions at a time: those that answer a ping are given it, as many at once as the batch allows, and each
// that is done makes room for the next.
import { numberOf } from '../../data/mod.ts'
import type { MasterReach, MinionJob, MinionReturn } from '../../sdk/mod.ts'

/** How many at once: a number, or a share of all, at least one. */
export function batchSize(batch: string, count: number): number {
  const share = /^\s*([\d.]+)\s*%\s*$/.exec(batch)
  const wanted = share ? (Number(share[1]) / 100) * count : (numberOf(Number(batch)) ?? 1)
  return wanted < 1 ? 1 : Math.trunc(wanted)
}

async function present(master: MasterReach, { tgt, tgtType = 'glob' }: MinionJob): Promise<string[]> {
  const ids: string[] = []
  for await (const { id, data } of master.run({ tgt, tgtType, fun: 'test.ping' })) if (data) ids.push(id)
  return ids
}

/** Answers that come one by one from several jobs at once. */
class Answers {
  private readonly come: MinionReturn[] = []
  private wake: (() => void) | undefined
  private failure: unknown
  running = 0

  async take(returns: AsyncIterable<MinionReturn>, count: number): Promise<void> {
    this.running += count
    let left = count
    try {
      for await (const answer of returns) {
        left--
        this.running--
        this.come.push(answer)
        this.wake?.()
      }
    } catch (error) {
      this.failure = error
    }
    this.running -= left
    this.wake?.()
  }

  /** Undefined when nothing runs any more. */
  async next(): Promise<MinionReturn | undefined> {
    while (this.come.length === 0 && this.running > 0) await new Promise<void>((done) => (this.wake = done))
    if (this.failure !== undefined) throw this.failure
    return this.come.shift()
  }
}

export async function* inBatches(
  master: MasterReach,
  job: MinionJob,
  batch: string,
  failhard: boolean,
): AsyncGenerator<MinionReturn> {
  const waiting = await present(master, job)
  const size = batchSize(batch, waiting.length)
  const answers = new Answers()
  for (;;) {
    const tgt = waiting.splice(0, Math.max(0, size - answers.running))
    if (tgt.length > 0) void answers.take(master.run({ ...job, tgt, tgtType: 'list' }), tgt.length)
    const answer = await answers.next()
    if (!answer) return
    yield answer
    if (failhard && Number(answer.data?.get('retcode') ?? 0) > 0) return
  }
}
