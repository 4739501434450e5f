// An honest client in its own process. It pings the master every 50 ms and reports how long each ping took, and how long the
// master let it wait. The master's part is at most the processor time that its event loop used meanwhile, and does not hold the
// time in which the master or this process was ready to run and other processes of the machine ran.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Stranger } from '../security/proofs/attacker.ts'

export interface Ping {
  /** When it was sent, in milliseconds of the clock. */
  at: number
  /** The duration of the ping, and the master's part of it, in milliseconds. */
  wall: number
  stall: number
  /** Processor time that the master used meanwhile, in milliseconds. */
  cpu: number
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

/** The system's counters of a thread, in milliseconds. */
interface Usage {
  /** Time on a processor. */
  cpu: number
  /** Time in which it was ready to run and did not. */
  delay: number
}

/** Where the system does not count, all time is taken as the master's. */
const UNCOUNTED: Usage = { cpu: Number.POSITIVE_INFINITY, delay: 0 }

function usageOf(path: string): Usage {
  try {
    const [cpu, delay] = readFileSync(path, 'utf8').split(' ').map(Number)
    return { cpu: cpu! / 1e6, delay: delay! / 1e6 }
  } catch {
    // a process that ended, or a system that does not count
    return UNCOUNTED
  }
}

/** Return the system's counters of the main thread of a process, on which the event loop runs. */
const usage = (pid: number): Usage => usageOf(`/proc/${pid}/task/${pid}/schedstat`)

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
  const before = { master: usage(pid), own: usage(process.pid) }
  const isLost = await client.ping(PATIENCE_SECONDS).then(
    () => false,
    () => true,
  )
  const wall = performance.now() - begun
  const after = { master: usage(pid), own: usage(process.pid) }
  const delay = after.master.delay - before.master.delay + after.own.delay - before.own.delay
  const used = after.master.cpu - before.master.cpu
  const cpu = Number.isFinite(used) ? used : wall
  const stall = Math.max(0, Math.min(wall - delay, cpu))
  process.send!({ at, wall, stall, cpu, isLost } satisfies Ping)
}
