// A second process for subscribers, started when the master has as many connections as it may have open: both hold the same
// port, one after the other. It ends with the master.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Server } from 'node:net'
import { forkFor } from './own-process.ts'
import { publisherTaker } from './transport/open.ts'
import { shareOfFiles } from './transport/sockets.ts'
import type { Publisher, PublisherOptions, Relief, ReliefOptions } from './transport/transport.ts'

/** Of what a process may have open: subscribers that the master takes itself, its requests, and those of a second process. */
const SHARES = { own: 0.35, requests: 0.55, other: 0.9 }

/** The connections that a master with such a second process takes for requests. */
export const requestConnections = (): number => shareOfFiles(SHARES.requests)

/** Milliseconds between looks at how many subscribers the second process has. */
const LOOK_MS = 200

/** What the second process tells the master, after it has said that it is there and that it is open. */
interface Told {
  reached: number
}

type Message = { open: PublisherOptions } | { packet: Uint8Array; ids?: readonly string[] }

/** `program` is what is started: the file of this program. */
export function publisherRelief(program: string, options: PublisherOptions): ReliefOptions {
  const maxConnections = shareOfFiles(SHARES.other)
  return {
    after: shareOfFiles(SHARES.own),
    start: (server, signal) => start({ program, options: { ...options, maxConnections }, server, signal }),
  }
}

interface Start {
  program: string
  options: PublisherOptions
  server: Server
  signal: AbortSignal
}

export async function start({ program, options, server, signal }: Start): Promise<Relief> {
  const child = forkFor('publisher', program, { signal, killSignal: 'SIGKILL' })
  const ended = new Promise<void>((done) => child.once('close', () => done()))
  // an end by the signal is one of these
  child.on('error', () => {})
  const heard = (): Promise<unknown> => {
    const gone = ended.then(() => Promise.reject(new Error('the second process ended at once')))
    return Promise.race([once(child, 'message'), gone])
  }
  await heard()
  // it is there to accept what comes from now on
  tell(child, { open: options }, server)
  await heard()
  let reached = 0
  child.on('message', (told: Told) => {
    reached = told.reached
  })
  return {
    get reached() {
      return reached
    },
    publish: (packet, ids) => tell(child, { packet: Uint8Array.from(packet), ...(ids && { ids }) }),
    ended,
  }
}

function tell(child: ChildProcess, message: Message, server?: Server): void {
  // a process that is gone hears nothing; that it is gone is noticed elsewhere
  if (child.connected) child.send(message, server, () => {})
}

/** Tells the master whenever the number of subscribers has changed. */
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
    else {
      publisher = takeOver(handle as Server, message.open)
      process.send?.('open', () => {})
      tellReached(publisher)
    }
  })
  process.once('disconnect', () => void publisher?.close())
  // a terminal sends these to all; the master decides when this one ends
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  // a master that ended meanwhile needs none
  if (process.connected) process.send?.('ready', () => {})
}
