import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../until.ts'
import { natsServer } from './nats-binary.ts'
import { Trio, type TrioMaster } from './trio.ts'

const found = natsServer()
/** Milliseconds before the time of the job at which its master is killed, and which the start of the masters must leave. */
const BEFORE_MS = 3000
const ROOM_MS = 10_000

/** A time as `once` wants it. */
const written = (time: number): string => {
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19)
}

describe.skipIf('reason' in found)('the schedule of three masters', () => {
  let trio: Trio
  let time = 0

  beforeAll(async () => {
    trio = new Trio('program' in found ? found.program : '')
    // a busy machine needs longer to start the masters
    for (let patience = 30_000; time < Date.now() + ROOM_MS; patience *= 2) {
      for (const master of trio.masters) await master.stop()
      time = Math.ceil((Date.now() + patience) / 1000) * 1000
      const late = { function: 'event.send', args: ['late'], once: written(time) }
      const [tick, rare] = [1, 86_400].map((seconds) => ({
        function: 'event.send',
        args: [`every/${seconds}`],
        seconds,
      }))
      await trio.prepare({ loop_interval: 1, schedule: { late, tick, rare } })
      await trio.start()
    }
  }, 600_000)

  afterAll(async () => {
    await trio.close()
  })

  const fired = async (master: TrioMaster, tag: string): Promise<number> =>
    (await master.journal((each) => each === tag)).get(tag) ?? 0

  const holder = async (asked: TrioMaster): Promise<TrioMaster | undefined> => {
    const { schedule = '' } = (await asked.run('runner', 'cluster.leases')) as Record<string, string>
    return trio.masters.find(({ address }) => address.replaceAll('.', '_') === schedule)
  }

  /** Wait until a master other than these starts scheduled jobs. */
  const nextHolder = async (asked: TrioMaster, others: readonly TrioMaster[]): Promise<TrioMaster> => {
    let next: TrioMaster | undefined
    await until('another master holds the lease', async () => {
      next = await holder(asked)
      return next !== undefined && !others.includes(next)
    })
    const before = await fired(asked, 'every/1')
    await until('it starts jobs', async () => (await fired(asked, 'every/1')) > before)
    return next!
  }

  it('starts a job late, and once, whose time came while its master was dead', async () => {
    const [asked] = trio.masters as [TrioMaster]
    await until('a job runs', async () => (await fired(asked, 'every/1')) > 0)
    await until('the time is near', () => Date.now() > time - BEFORE_MS, 600)
    const first = (await holder(asked))!
    first.signal('SIGKILL', 'both')
    await first.ended()
    const rest = trio.masters.filter((master) => master !== first)
    for (const master of rest) await until('the job runs', async () => (await fired(master, 'late')) > 0)
    const second = await nextHolder(rest[0]!, [first])
    first.start()
    await until('the first master is back', () => first.isReady())
    // the third holder keeps nothing for later
    await second.run('runner', 'cluster.drain')
    const third = await nextHolder(first, [second])
    await third.run('runner', 'cluster.drain')
    await nextHolder(first, [second, third])
    const before = await fired(first, 'every/1')
    await until('it starts more jobs', async () => (await fired(first, 'every/1')) > before + 2)
    for (const master of trio.masters)
      expect([await fired(master, 'late'), await fired(master, 'every/86400')]).toEqual([1, 1])
  }, 600_000)
})
