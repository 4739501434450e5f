// Waiting until a new minion answers its master.
import { setTimeout as sleep } from 'node:timers/promises'
import { BrineError } from '../../base/mod.ts'
import type { MasterAccess } from '../../runner/mod.ts'
import type { MasterFacts } from './master.ts'

export interface AwaitedMinion {
  access: MasterAccess
  master: MasterFacts
  /** In seconds. */
  timeout: number
  signal: AbortSignal
}

/** Ask the minion until it answers. */
export async function awaitAnswer({ access, master, timeout, signal }: AwaitedMinion, id: string): Promise<void> {
  const end = performance.now() + timeout * 1000
  while (performance.now() < end && !signal.aborted) {
    const published = await access.publish({ tgt: [id], tgtType: 'list', fun: 'test.ping' })
    if (published) {
      for await (const { data } of access.collect(published, 3, 3)) if (data?.get('return') === true) return
    }
    await sleep(500)
  }
  throw new BrineError('NoAnswer', `The minion ${id} does not answer after ${timeout} s`, {
    hint: `Read its log on the host, and check that the host reaches ${master.address} on ports of the master`,
  })
}
