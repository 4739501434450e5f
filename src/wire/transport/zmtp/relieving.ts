// Passes the port of a publisher to another process when this one has its maximum of subscribers. Existing subscribers
// stay; both processes publish everything.
import { silentLog, toError } from '../../../base/mod.ts'
import type { PortListening } from '../sockets.ts'
import type { PublisherOptions, Relief } from '../transport.ts'

/** Milliseconds before a second process is tried again that could not be started. */
const AGAIN_MS = 10_000

export class Relieving {
  private readonly options: PublisherOptions
  private readonly listenAgain: () => Promise<void>
  private relief: Relief | undefined
  private work: Promise<void> | undefined
  isAway = false
  private readonly closing = new AbortController()

  constructor(options: PublisherOptions, listenAgain: () => Promise<void>) {
    this.options = options
    this.listenAgain = listenAgain
  }

  /** Called with every new subscriber. */
  check(subscribers: number, listening: PortListening): void {
    const { relief } = this.options
    if (relief === undefined || this.work || subscribers < relief.after) return
    this.work = this.begin(listening).catch((error: unknown) => {
      const { log = silentLog } = this.options
      if (this.closing.signal.aborted) return
      log('error', `Cannot hand on the port of publications: ${toError(error).message}`)
      setTimeout(() => {
        this.work = undefined
      }, AGAIN_MS).unref()
    })
  }

  private async begin(listening: PortListening): Promise<void> {
    const { signal } = this.closing
    const relief = await this.options.relief!.start(listening.server, signal)
    this.relief = relief
    if (this.isAway) relief.turnAway(true)
    // completes when its subscribers are gone too; not awaited
    void listening.stop()
    await relief.ended
    this.relief = undefined
    if (signal.aborted) return
    await this.listenAgain()
    this.work = undefined
  }

  get reached(): number {
    return this.relief?.reached ?? 0
  }

  publish(packet: Uint8Array, ids?: readonly string[]): void {
    this.relief?.publish(packet, ids)
  }

  turnAway(isAway: boolean): void {
    this.isAway = isAway
    this.relief?.turnAway(isAway)
  }

  /** Done when the port is free. */
  async close(): Promise<void> {
    this.closing.abort()
    await this.work
  }
}
