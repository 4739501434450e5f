// An honest client in its own process. It pings the master every 50 ms and reports the duration of each ping. Time in which the
// system let the master or this process wait for a processor is not the master's, and is taken off.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Stranger } from '../security/proofs/attacker.ts'

export interface Ping {
  /** When it was sent, in milliseconds of the clock. */
  at: number
  /** How long it took, and how much of it was the master's. */
  wall: number
  stall: number
  /** Whether no answer came at all. */
  isLost: boolean
}

export interface PingTask {
  transport: string
  requests: number
  pid: number
}

const INTERVAL_MS = 50
const PATIENCE_SECONDS = 5

/** Milliseconds that the main thread of a process was ready to run and did not, as the system counts. */
function waited(pid: number | 'self'): number {
  try {
    const thread = pid === 'self' ? process.pid : pid
    const [, delay = '0'] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
    return Number(delay) / 1e6
  } catch {
    return 0
  }
}

let task: PingTask | undefined
let client: Stranger | undefined

process.on('message', (next: PingTask) => {
  client?.close()
  task = next
  client = new Stranger({ requests: next.requests, publications: 0 }, next.transport, '127.0.0.1')
})
process.on('disconnect', () => process.exit(0))

for (;;) {
  await sleep(INTERVAL_MS)
  if (!task || !client) continue
  const { pid } = task
  const at = Date.now()
  const begun = performance.now()
  const before = waited(pid) + waited('self')
  const isLost = await client.ping(PATIENCE_SECONDS).then(
    () => false,
    () => true,
  )
  const wall = performance.now() - begun
  const stall = Math.max(0, wall - Math.max(0, waited(pid) + waited('self') - before))
  process.send!({ at, wall, stall, isLost } satisfies Ping)
}
