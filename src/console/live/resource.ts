// Data of the server that stays true: a snapshot, and the events after its number.
import { type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { type Answer, Problem } from '../api/client.ts'
import { connection, type LiveEvent, missed, stream } from './stream.ts'

export interface State<T> {
  data: T | undefined
  problem: Problem | undefined
  /** Whether a request is under way. */
  isLoading: boolean
}

export interface Live<T> {
  /** Return changed data for an event after the snapshot, `reload` to ask again soon, or undefined where it says nothing. */
  apply?(data: T, event: LiveEvent): T | 'reload' | undefined
  /** Ask again at most so often, in milliseconds. */
  reloadMs?: number
}

/** Loads a snapshot. `show` may show a part of it before it is complete; it has no effect once a whole one was shown. */
export type Load<T> = (signal: AbortSignal, show: (part: T) => void) => Promise<Answer<T>>

const RELOAD_MS = 1000

/** Delay after an event before its data is stored, in milliseconds. */
const SETTLE_MS = 200

/** Events that are kept while a snapshot is read; with more, the snapshot is read again. */
const MOST_WAITING = 10_000

/** A snapshot, updated by events. */
class Resource<T> {
  readonly state: Signal<State<T>> = signal({ data: undefined, problem: undefined, isLoading: true })
  private readonly load: Load<T>
  private readonly live: Live<T>
  private number = 0
  private waiting: LiveEvent[] = []
  private abort: AbortController | undefined
  private timer: number | undefined
  private loadedAt = 0
  private isStale = false
  private readonly endings: ReadonlyArray<() => void>

  constructor(load: Load<T>, live: Live<T> = {}) {
    this.load = load
    this.live = live
    this.endings = [
      connection.subscribe((state) => state === 'live' && this.state.peek().problem?.isPassing && void this.reload()),
      ...(live.apply ? this.follow() : []),
    ]
    void this.reload()
  }

  /** Read from the server again. The present data stays until the answer arrives. */
  async reload(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    this.abort?.abort()
    const abort = new AbortController()
    this.abort = abort
    this.state.value = { ...this.state.peek(), isLoading: true }
    try {
      const { data, number } = await this.load(abort.signal, (part) => {
        if (this.abort === abort && this.loadedAt === 0) this.state.value = { ...this.state.peek(), data: part }
      })
      if (this.abort !== abort) return
      this.number = number
      this.state.value = { data, problem: undefined, isLoading: false }
      this.loadedAt = Date.now()
      this.abort = undefined
      const since = this.waiting
      this.waiting = []
      if (this.isStale) this.reloadSoon()
      this.isStale = false
      this.hear(since)
    } catch (error) {
      if (this.abort !== abort) return
      this.abort = undefined
      const problem = error instanceof Problem ? error : new Problem(0, String(error))
      this.state.value = { ...this.state.peek(), problem, isLoading: false }
    }
  }

  close(): void {
    clearTimeout(this.timer)
    this.abort?.abort()
    this.abort = undefined
    for (const end of this.endings) end()
  }

  private follow(): Array<() => void> {
    const known = missed.peek()
    return [
      stream.listen((events) => this.hear(events)),
      stream.whenJumped(() => this.grewStale()),
      missed.subscribe((gaps) => gaps !== known && gaps.length > 0 && this.grewStale()),
    ]
  }

  /** Reload the data: the events between the snapshot and the next events are missing. */
  private grewStale(): void {
    this.waiting = []
    this.isStale = this.abort !== undefined
    if (!this.isStale) this.reloadSoon()
  }

  private hear(events: readonly LiveEvent[]): void {
    if (this.abort) {
      this.waiting.push(...events)
      if (this.waiting.length > MOST_WAITING) this.grewStale()
      return
    }
    const before = this.state.peek().data
    if (before === undefined) return
    let data: T = before
    for (const event of events) {
      if (event.number <= this.number) continue
      const changed = this.live.apply?.(data, event)
      if (changed === 'reload') this.reloadSoon()
      else if (changed !== undefined) data = changed
    }
    if (data !== before) this.state.value = { ...this.state.peek(), data }
  }

  private reloadSoon(): void {
    if (this.timer !== undefined) return
    const wait = Math.max(SETTLE_MS, this.loadedAt + (this.live.reloadMs ?? RELOAD_MS) - Date.now())
    this.timer = window.setTimeout(() => void this.reload(), wait)
  }
}

/** Use a resource in a component; it is made again when `keys` change. */
export function useResource<T>(
  load: Load<T>,
  keys: readonly unknown[],
  live: Live<T> = {},
): State<T> & { reload(): Promise<void> } {
  const resource = useMemo(() => new Resource(load, live), keys)
  useEffect(() => () => resource.close(), [resource])
  return { ...resource.state.value, reload: () => resource.reload() }
}
