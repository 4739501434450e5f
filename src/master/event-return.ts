// Events for the returners in `event_return`: gathered until there are `event_return_queue` of them or the oldest
// waited for `event_return_queue_max_seconds`. While a returner works, the next events gather; beyond a limit, events
// are dropped.
import { type Log, toError } from '../base/mod.ts'
import type { EventBus } from '../bus/mod.ts'
import { option } from '../config/mod.ts'
import { returnerNames, returnerOf } from '../daemon/mod.ts'
import { type Dict, fnmatch, isList, str, type Value } from '../data/mod.ts'
import type { FunctionContext } from '../sdk/mod.ts'

/** Events that may wait for the returners. */
const MOST_WAITING = 50_000
const WARN_EVERY_MS = 60_000

export interface EventReturnParts {
  opts: Dict
  log: Log
  /** The context of returners, made at first use. */
  context(): Promise<FunctionContext>
}

export class EventReturn {
  private readonly parts: EventReturnParts
  private readonly names: string[]
  private readonly least: number
  private readonly seconds: number
  private queue: Dict[] = []
  private lost = 0
  private timer: NodeJS.Timeout | undefined
  private handing: Promise<void> | undefined
  private readonly warned = new Map<string, number>()

  constructor(parts: EventReturnParts) {
    this.parts = parts
    this.names = returnerNames(parts.opts.get('event_return'))
    this.least = Math.max(1, option(parts.opts, 'event_return_queue'))
    this.seconds = option(parts.opts, 'event_return_queue_max_seconds')
  }

  /** Start listening; return a function that passes on the waiting events and stops. */
  listen(bus: EventBus): () => Promise<void> {
    if (this.names.length === 0) return async () => {}
    // in a cluster, the master that fired the event first passes it on
    const end = bus.listen((event) => !event.isForeign && this.take(event), tagFilter(this.parts.opts))
    bus.fire('salt/event_listen/start', new Map())
    return async () => {
      end()
      clearTimeout(this.timer)
      await this.handing
      if (this.queue.length > 0) await this.hand()
    }
  }

  private take({ tag, data }: { tag: string; data: Dict }): void {
    if (this.queue.length >= MOST_WAITING) {
      this.lost++
      return
    }
    this.queue.push(new Map<Value, Value>([['tag', tag]]).set('data', new Map(data)))
    if (this.queue.length >= this.least) this.flush()
    else if (this.seconds > 0) this.timer ??= setTimeout(() => this.flush(), this.seconds * 1000)
  }

  private flush(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.handing ??= this.hand().finally(() => {
      this.handing = undefined
      if (this.queue.length >= this.least) this.flush()
    })
  }

  private async hand(): Promise<void> {
    const events = this.queue
    this.queue = []
    if (this.lost > 0) this.parts.log('error', `Could not store ${this.lost} events - the returners are too slow`)
    this.lost = 0
    for (const name of this.names) await this.handTo(name, events)
  }

  private async handTo(name: string, events: readonly Dict[]): Promise<void> {
    const full = `${name}.event_return`
    try {
      const ctx = await this.parts.context()
      const store = (await returnerOf(ctx, name))?.event_return
      if (store) await store(ctx, events)
      else this.warn(full)
    } catch (error) {
      const { message } = toError(error)
      this.parts.log('error', `Could not store events - returner '${full}' raised exception: ${message}`)
    }
  }

  private warn(full: string): void {
    const now = Date.now()
    if (now - (this.warned.get(full) ?? 0) < WARN_EVERY_MS) return
    this.warned.set(full, now)
    this.parts.log('error', `Could not store return for event(s) - returner '${full}' not found.`)
  }
}

/** `event_return_whitelist` and `event_return_blacklist` are globs of tags. */
function tagFilter(opts: Dict): (tag: string) => boolean {
  const globs = (option: string): string[] => {
    const list = opts.get(option)
    return list !== undefined && isList(list) ? list.map(str) : []
  }
  const [white, black] = [globs('event_return_whitelist'), globs('event_return_blacklist')]
  const isIn = (list: readonly string[], tag: string): boolean => list.some((glob) => fnmatch(tag, glob))
  return (tag) => (white.length === 0 || isIn(white, tag)) && !isIn(black, tag)
}
