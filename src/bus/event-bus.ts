// The event bus inside a daemon. Listeners receive an event synchronously and in order; a failing listener does not
// affect the others. An event is encoded once, and only if a listener outside this process needs the bytes. Every event
// carries its origin: the daemon's own code calls `fire`, events from outside go through `fireFrom`.
import { type Log, shownText, silentLog, toError } from '../base/mod.ts'
import { type Dict, Encoded, trimDict } from '../data/mod.ts'
import { currentTraceparent } from '../telemetry/mod.ts'
import { frameEvent } from '../wire/mod.ts'
import { frameHead, masterOrigin, type Origin } from './origin.ts'

export type EventFilter = (tag: string) => boolean

/** The parts of an event, besides tag and data, that the caller already has. */
export interface EventForm {
  /** The frame that subscribers get, with the header of its origin. */
  frame?: Buffer
  /** Whether it is a return that the job store has. */
  isKept?: boolean
  /** The id of the event among all masters of a cluster. */
  mark?: string
  /** Whether another master of the cluster fired it first. */
  isForeign?: boolean
}

export class BusEvent {
  readonly tag: string
  readonly origin: Origin
  /** Its data; a return of a minion or of a function of the master may still be encoded. */
  readonly fields: Dict
  /** The position of the event on its bus; 0 if unknown. */
  readonly number: number
  readonly isKept: boolean
  /** The id of the event among all masters of a cluster; undefined for an event of this master alone. */
  mark: string | undefined
  readonly isForeign: boolean
  private bytes: Buffer | undefined

  constructor(origin: Origin, tag: string, data: Dict, number = 0, form?: EventForm) {
    this.origin = origin
    this.tag = tag
    this.fields = data
    this.number = number
    this.bytes = form?.frame
    this.isKept = form?.isKept === true
    this.mark = form?.mark
    this.isForeign = form?.isForeign === true
  }

  get data(): Dict {
    const returned = this.fields.get('return')
    if (returned instanceof Encoded) this.fields.set('return', returned.unpack())
    return this.fields
  }

  /** The frame that subscribers of the sockets get. */
  get frame(): Buffer {
    this.bytes ??= frameEvent(this.tag, this.fields, frameHead(this.origin)).frame
    return this.bytes
  }
}

let lastNow = 0
let lastText = ''

/** The time in UTC to the microsecond, as Salt stamps events. */
export function stamp(now: number = Date.now(), micros: number = Math.floor(performance.now() * 1000)): string {
  if (now !== lastNow) {
    lastNow = now
    lastText = new Date(now).toISOString().slice(0, -1)
  }
  return `${lastText}${String(micros % 1000).padStart(3, '0')}+00:00`
}

/** Add the current trace span to the data of an event. */
export function withTrace(data: Dict): Dict {
  const trace = currentTraceparent()
  return trace === undefined ? data : (data.set('traceparent', trace) as Dict)
}

interface Listener {
  hear: (event: BusEvent) => void
  filter: EventFilter | undefined
}

export class EventBus {
  private readonly listeners = new Set<Listener>()
  private readonly log: Log
  /** The number of the last event. */
  last: number
  /** Origin of events that this daemon fires itself. */
  readonly own: Origin
  /** Size limit of an event from outside, in bytes. */
  private readonly mostBytes: number
  /** Send an event to the other masters of a cluster and return its mark; undefined for an event that stays local. */
  share: ((event: BusEvent) => string | undefined) | undefined

  /** Continue after the last number of an earlier bus. */
  constructor(log: Log = silentLog, last = 0, own: Origin = masterOrigin('master'), mostBytes = 0) {
    this.log = log
    this.last = last
    this.own = own
    this.mostBytes = mostBytes
  }

  /** Stamp an event of the daemon's own code and pass it to all listeners. */
  fire(tag: string, data: Dict): BusEvent {
    return this.tell(this.own, tag, withTrace(data.set('_stamp', stamp())))
  }

  /**
   * Stamp an event from outside and pass it to all listeners; `tagRefusal` decides which tags a sender may fire. Large
   * values of an event above the size limit are replaced.
   */
  fireFrom(origin: Origin, tag: string, data: Dict): BusEvent {
    return this.tell(origin, tag, this.stamped(tag, data))
  }

  /** Return the data of an event from outside as listeners get it: stamped, without values above the size limit. */
  stamped(tag: string, data: Dict): Dict {
    const told = this.mostBytes > 0 ? trimDict(data, this.mostBytes) : data
    if (told !== data)
      this.log('warning', `Event ${shownText(tag)} is larger than max_event_size: its large values are left out`)
    return withTrace(told.set('_stamp', stamp()))
  }

  /** Pass a stamped event to all listeners. */
  tell(origin: Origin, tag: string, data: Dict, form?: EventForm): BusEvent {
    const event = new BusEvent(origin, tag, data, ++this.last, form)
    if (event.mark === undefined) event.mark = this.share?.(event)
    for (const { hear, filter } of this.listeners) {
      if (filter && !filter(tag)) continue
      try {
        hear(event)
      } catch (error) {
        this.log('error', `A listener failed on event ${tag}: ${toError(error).stack ?? ''}`)
      }
    }
    return event
  }

  /** Gives the function that ends it. */
  listen(hear: (event: BusEvent) => void, filter?: EventFilter): () => void {
    const listener = { hear, filter }
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Return the first event whose tag passes the filter; undefined after the timeout. */
  next(filter: EventFilter, seconds: number): Promise<BusEvent | undefined> {
    return new Promise((done) => {
      const finish = (event: BusEvent | undefined): void => {
        clearTimeout(timer)
        stop()
        done(event)
      }
      const stop = this.listen(finish, filter)
      const timer = setTimeout(() => finish(undefined), seconds * 1000)
    })
  }
}
