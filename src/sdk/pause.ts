// Waiting for something that changes by itself.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Host } from '../host/mod.ts'

/** Wait for some seconds, and drop cached reads of the machine. */
export async function pause({ host }: { readonly host: Pick<Host, 'forgetReads'> }, seconds: number): Promise<void> {
  await sleep(seconds * 1000)
  host.forgetReads?.()
}
