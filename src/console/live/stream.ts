// The events of the master: one stream for the whole page. It goes on behind the last number after a break, so that a page that slept
// misses nothing that the journal still has.
import { signal } from '@preact/signals'
import { ROOT } from '../api/client.ts'

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

/** What could not be shown any more, newest last. */
export const missed = signal<readonly Missed[]>([])

/** Events are handed on together, so that hundreds a second cost one drawing. */
const GATHER_MS = 100

const RETRY_MS = [400, 1000, 2000, 5000, 10_000]

class EventStream {
  private source: EventSource | undefined
  private readonly listeners = new Set<Listener>()
  private gathered: LiveEvent[] = []
  private timer: number | undefined
  private retry: number | undefined
  private tries = 0
  /** Asked when the stream cannot be opened: whether there is still a session. */
  whenRefused: () => void = () => {}

  /** Begin behind an event. */
  open(since: number): void {
    this.close()
    lastNumber.value = since
    this.connect()
  }

  close(): void {
    clearTimeout(this.retry)
    this.source?.close()
    this.source = undefined
    connection.value = 'off'
  }

  /** Hear of events, some at a time. Return a function that ends it. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private connect(): void {
    const url = new URL('v1/events', ROOT)
    url.searchParams.set('since', String(lastNumber.peek()))
    if (connection.peek() !== 'waiting') connection.value = 'connecting'
    const source = new EventSource(url)
    this.source = source
    source.onopen = () => {
      this.tries = 0
      connection.value = 'live'
    }
    source.onmessage = ({ data }) => this.take(JSON.parse(data) as LiveEvent)
    source.addEventListener('missed', ({ data }) => {
      missed.value = [...missed.value, JSON.parse(data) as Missed].slice(-20)
    })
    source.onerror = () => {
      // the browser would begin again by the header alone; a number in the address works behind every proxy
      source.close()
      if (this.source !== source) return
      connection.value = 'waiting'
      const wait = RETRY_MS[Math.min(this.tries++, RETRY_MS.length - 1)]!
      this.retry = window.setTimeout(() => this.connect(), wait)
      if (this.tries > 1) this.whenRefused()
    }
  }

  private take(event: LiveEvent): void {
    if (event.number <= lastNumber.peek()) return
    lastNumber.value = event.number
    this.gathered.push(event)
    this.timer ??= window.setTimeout(() => this.tell(), GATHER_MS)
  }

  private tell(): void {
    const events = this.gathered
    this.gathered = []
    this.timer = undefined
    for (const listener of this.listeners) listener(events)
  }
}

export const stream = new EventStream()
