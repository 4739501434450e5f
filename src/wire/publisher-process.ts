// A second process for subscribers, started when the master has as many connections as it may have open: both hold the same
// port, one after the other. It ends with the master.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Server } from 'node:net'
import { LOG_LEVELS, type Log, type LogLevel, silentLog } from '../base/mod.ts'
import { forkFor } from './own-process.ts'
import { connectionLimits } from './transport/descriptors.ts'
import { publisherTaker } from './transport/open.ts'
import type { Publisher, PublisherOptions, Relief, ReliefOptions } from './transport/transport.ts'

/** Milliseconds between looks at how many subscribers the second process has. */
const LOOK_MS = 200

/** The number of subscribers of the second process. */
interface Told {
  reached: number
}

type Message = { open: PublisherOptions } | { packet: Uint8Array; ids?: readonly string[] } | { isAway: boolean }

/** A log line of the second process. */
interface Line {
  level: LogLevel
  text: string
}

/** `program`: the file to start, which is this one. */
export function publisherRelief(program: string, options: PublisherOptions, log: Log = silentLog): ReliefOptions {
  const { own, others: maxConnections } = connectionLimits(true)
  return {
    // the second process takes a moment to start
    after: Math.floor(own / 2),
    start: (server, signal) => start({ program, options: { ...options, maxConnections }, server, signal, log }),
  }
}

interface Start {
  program: string
  options: PublisherOptions
  server: Server
  signal: AbortSignal
  log?: Log
}

export async function start({ program, options, server, signal, log = silentLog }: Start): Promise<Relief> {
  const child = forkFor('publisher', program, { signal, killSignal: 'SIGKILL' })
  const ended = new Promise<void>((done) => child.once('close', () => done()))
  // an end by the signal is one of these
  child.on('error', () => {})
  const heard = (): Promise<unknown> => {
    const gone = ended.then(() => Promise.reject(new Error('the second process ended at once')))
    return Promise.race([once(child, 'message'), gone])
  }
  await heard()
  // from now on the process accepts connections
  tell(child, { open: options }, server)
  await heard()
  let reached = 0
  child.on('message', (told: Told | Line) => {
    if ('reached' in told) reached = told.reached
    else log(told.level, told.text)
  })
  return {
    get reached() {
      return reached
    },
    publish: (packet, ids) => tell(child, { packet: Uint8Array.from(packet), ...(ids && { ids }) }),
    turnAway: (isAway) => tell(child, { isAway }),
    ended,
  }
}

function tell(child: ChildProcess, message: Message, server?: Server): void {
  // ignore a failed write to a process that has ended: its end is handled elsewhere
  if (child.connected) child.send(message, server, () => {})
}

/** messages about single connections are too many to forward */
const atLeastWarning =
  (log: Log): Log =>
  (level, text) => {
    if (LOG_LEVELS[level] >= LOG_LEVELS.warning) log(level, text)
  }

/** Report each change of the number of subscribers to the master. */
function tellReached(publisher: Publisher): void {
  let last = 0
  const look = (): void => {
    if (publisher.reached === last || !process.connected) return
    last = publisher.reached
    process.send?.({ reached: last } satisfies Told, () => {})
  }
  setInterval(look, LOOK_MS).unref()
}

/** The life of the second process. */
export async function servePublisher(): Promise<void> {
  const takeOver = await publisherTaker()
  let publisher: Publisher | undefined
  process.on('message', (message: Message, handle: unknown) => {
    if ('packet' in message) publisher?.publish(message.packet, message.ids)
    else if ('isAway' in message) publisher?.turnAway(message.isAway)
    else {
      const log: Log = (level, text) => void process.send?.({ level, text } satisfies Line, () => {})
      publisher = takeOver(handle as Server, { ...message.open, log: atLeastWarning(log) })
      process.send?.('open', () => {})
      tellReached(publisher)
    }
  })
  process.once('disconnect', () => void publisher?.close())
  // a terminal sends these to all; the master decides when this one ends
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  // a master that ended meanwhile needs none
  if (process.connected) process.send?.('ready', () => {})
}
