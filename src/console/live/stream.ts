// The events of the master: one stream for the whole page. It goes on behind the last number after a break, so that a page that slept
// misses nothing that the journal still has.
import { signal } from '@preact/signals'
import { Problem, ROOT, read } from '../api/client.ts'

export interface LiveEvent {
  number: number
  tag: string
  data: Record<string, unknown>
  origin: { kind: string; name: string; proof: string } | null
  stamp: string
}

/** Events that the journal no longer has. */
export interface Missed {
  first: number
  last: number
  count: number
}

type Listener = (events: readonly LiveEvent[]) => void

/** `waiting`: the connection broke, and is tried again. */
export const connection = signal<'off' | 'connecting' | 'live' | 'waiting'>('off')

/** The number of the last event that came. */
export const lastNumber = signal(0)

/** Events that could not be loaded any more, the newest last. */
export const missed = signal<readonly Missed[]>([])

/** Events are handed on together, so that hundreds a second cost one drawing. */
const GATHER_MS = 100

const RETRY_MS = [400, 1000, 2000, 5000, 10_000]

/** A page that is further behind reloads everything; the skipped events are in the journal. */
const MOST_BEHIND = 5000

/** The server gives a sign of life every 15 seconds. A connection without one is dead, though the browser may not know it. */
const SILENT_MS = 40_000
const WATCH_MS = 5000

/** A page that cannot be seen gives its connection to others: browsers allow six to one server. */
const HIDDEN_MS = 10_000

class EventStream {
  private isOpen = false
  private source: EventSource | undefined
  private readonly listeners = new Set<Listener>()
  private readonly jumpListeners = new Set<() => void>()
  private gathered: LiveEvent[] = []
  private timer: number | undefined
  private retry: number | undefined
  private hiding: number | undefined
  private asking: AbortController | undefined
  private tries = 0
  /** When the connection last gave a sign of life. */
  private heardAt = 0

  constructor() {
    setInterval(() => this.watch(SILENT_MS), WATCH_MS)
    // a change of the network may have cut the connection without a word
    for (const change of ['online', 'offline']) addEventListener(change, () => this.watch(0))
    document.addEventListener('visibilitychange', () => this.see(!document.hidden))
  }

  /** Begin behind an event. */
  open(since: number): void {
    this.close()
    this.isOpen = true
    lastNumber.value = since
    this.connect()
  }

  close(): void {
    this.isOpen = false
    this.disconnect()
    connection.value = 'off'
  }

  /** Listen to events, which arrive in groups. Return a function that stops it. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Listen for restarts of the stream, which skip events. Return a function that stops it. */
  whenJumped(listener: () => void): () => void {
    this.jumpListeners.add(listener)
    return () => this.jumpListeners.delete(listener)
  }

  private disconnect(): void {
    clearTimeout(this.retry)
    clearTimeout(this.hiding)
    this.asking?.abort()
    this.asking = undefined
    this.source?.close()
    this.source = undefined
  }

  private connect(): void {
    this.disconnect()
    const url = new URL('v1/events', ROOT)
    url.searchParams.set('since', String(lastNumber.peek()))
    if (connection.peek() !== 'waiting') connection.value = 'connecting'
    this.heardAt = Date.now()
    const source = new EventSource(url)
    this.source = source
    source.onopen = () => {
      this.tries = 0
      this.heardAt = Date.now()
      connection.value = 'live'
    }
    source.onmessage = ({ data }) => this.take(JSON.parse(data) as LiveEvent)
    source.addEventListener('missed', ({ data }) => this.miss(JSON.parse(data) as Missed))
    source.addEventListener('idle', ({ data }) => this.idle(JSON.parse(data) as { last: number }))
    // the browser would begin again by the header alone; a number in the address works behind every proxy
    source.onerror = () => this.source === source && this.wait()
  }

  /** Try again in a while. */
  private wait(): void {
    this.disconnect()
    connection.value = 'waiting'
    const wait = RETRY_MS[Math.min(this.tries++, RETRY_MS.length - 1)]!
    this.retry = window.setTimeout(() => void this.resume(), wait)
  }

  /** Reconnect after an interruption, if the session still exists. Without one, the answer shows the login. */
  private async resume(): Promise<void> {
    this.disconnect()
    const asking = new AbortController()
    this.asking = asking
    try {
      const { number } = await read('/v1/session', { signal: asking.signal })
      if (this.asking !== asking) return
      const behind = number - lastNumber.peek()
      if (number > 0 && (behind < 0 || behind > MOST_BEHIND)) this.jump(number)
      this.connect()
    } catch (error) {
      if (this.asking !== asking) return
      if (!(error instanceof Problem)) throw error
      if (this.isOpen) this.wait()
    }
  }

  /** Restart the stream after an event: the page is too far behind, or the master has another journal. */
  private jump(number: number): void {
    lastNumber.value = number
    missed.value = []
    this.gathered = []
    for (const listener of this.jumpListeners) heard(listener)
  }

  /** Reconnect after this time without data. */
  private watch(silentMs: number): void {
    if (!this.isOpen || document.hidden) return
    if (connection.peek() === 'waiting' ? silentMs === 0 : Date.now() - this.heardAt > silentMs) void this.resume()
  }

  private see(isSeen: boolean): void {
    clearTimeout(this.hiding)
    if (!this.isOpen) return
    if (!isSeen) this.hiding = window.setTimeout(() => this.disconnect(), HIDDEN_MS)
    else if (!this.source) void this.resume()
    else this.watch(SILENT_MS / 2)
  }

  private take(event: LiveEvent): void {
    this.heardAt = Date.now()
    // the server sends events after a number; a lower one belongs to another journal
    if (event.number <= lastNumber.peek()) this.jump(event.number - 1)
    lastNumber.value = event.number
    this.gathered.push(event)
    this.timer ??= window.setTimeout(() => this.tell(), GATHER_MS)
  }

  private miss(gap: Missed): void {
    this.heardAt = Date.now()
    lastNumber.value = Math.max(lastNumber.peek(), gap.last)
    missed.value = [...missed.peek(), gap].slice(-20)
  }

  private idle({ last }: { last: number }): void {
    this.heardAt = Date.now()
    lastNumber.value = Math.max(lastNumber.peek(), last)
  }

  private tell(): void {
    const events = this.gathered
    this.gathered = []
    this.timer = undefined
    for (const listener of this.listeners) heard(() => listener(events))
  }
}

/** Call a listener; an error does not affect the others. */
function heard(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    reportError(error)
  }
}

export const stream = new EventStream()
