// Waiting for something that changes by itself.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Host } from '../host/mod.ts'

/** Wait some seconds. What was read of the machine before is asked for again. */
export async function pause({ host }: { readonly host: Pick<Host, 'forgetReads'> }, seconds: number): Promise<void> {
  await sleep(seconds * 1000)
  host.forgetReads?.()
}
