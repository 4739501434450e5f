// The events of one request: returns by job, as in `_syndic_return`, and other events as a list.
import { isJid, shownText } from '../base/mod.ts'
import type { BusEvent } from '../bus/mod.ts'
import { type Dict, dictFrom, encodeMsgpack, Packed, str, textOf, type Value } from '../data/mod.ts'

/** Events and bytes of returns that are handed over at once. */
const MOST_EVENTS = 500
const MOST_BYTES = 4 << 20

/** Fields of a return that are forwarded. */
const RETURNED = ['return', 'retcode', 'success', 'fun_args', 'out', 'hints', 'metadata', 'missing']

/** The description of a job of this master, for a master above that has not heard of it. */
export type DescribeJob = (jid: string) => Dict | undefined

/** The job of an event and what the event reports about it; undefined for other events. */
export interface JobEvent {
  jid: string
  what: 'return' | 'list' | 'other'
}

/** A list of expected minions may come from a syndic below: each tier puts its name in front. */
const OF_JOB = /^((?:syndic\/[^/]+\/)*)salt\/job\/(\d{20}(?:_\d+)?)\/([^/]+)/

export function jobEvent({ tag, fields, origin }: BusEvent): JobEvent | undefined {
  const [, tiers, jid, what] = OF_JOB.exec(tag) ?? []
  if (!isJid(jid)) return undefined
  if (what === 'new') return { jid, what: 'list' }
  const isReturn =
    what === 'ret' && tiers === '' && fields.has('return') && fields.has('id') && origin.kind === 'master'
  return { jid, what: isReturn ? 'return' : 'other' }
}

interface Handed {
  event: BusEvent
  kind: JobEvent | undefined
}

export class HandedEvents {
  /** The number of the last event. */
  last = 0
  /** When it is to be handed over, in milliseconds of `performance.now()`. */
  due = Number.POSITIVE_INFINITY
  private readonly all: Handed[] = []
  private readonly id: string
  private readonly describe: DescribeJob
  /** Bytes of the returns. */
  bytes = 0
  private isShortened = false
  /** Descriptions of jobs that are sent with these events, also when the request is repeated. */
  private readonly described: Map<string, Dict | undefined>

  constructor(id: string, describe: DescribeJob, described: HandedEvents['described'] = new Map()) {
    this.id = id
    this.describe = describe
    this.described = described
  }

  get isEmpty(): boolean {
    return this.all.length === 0
  }

  get isFull(): boolean {
    return this.all.length >= MOST_EVENTS || this.bytes >= MOST_BYTES
  }

  add(event: BusEvent, kind: JobEvent | undefined, due = 0): void {
    this.all.push({ event, kind })
    this.last = event.number
    this.due = Math.min(this.due, due)
    if (kind?.what === 'return') this.bytes += sizeOf(event)
  }

  /** Return the same events as single requests; undefined if there is only one. */
  apart(): HandedEvents[] | undefined {
    if (this.all.length < 2) return undefined
    return this.all.map(({ event, kind }) => {
      const single = new HandedEvents(this.id, this.describe, this.described)
      single.add(event, kind)
      return single
    })
  }

  /** Replace a refused return by the reason; false if there is no return or it is already replaced. */
  shorten(reason: string): boolean {
    const [first] = this.all
    if (first?.kind?.what !== 'return' || this.isShortened) return false
    this.isShortened = true
    for (const name of RETURNED) first.event.fields.delete(name)
    first.event.fields
      .set('return', `The return cannot be handed upwards: ${reason}`)
      .set('success', false)
      .set('retcode', 1)
    return true
  }

  /** The tag of the first event, for the log. */
  get shown(): string {
    return shownText(this.all[0]?.event.tag ?? '', 200)
  }

  /** The requests that hand all over: lists of minions go before returns. */
  requests(): Dict[] {
    const isReturn = ({ kind }: Handed): boolean => kind?.what === 'return'
    const events = this.all.filter((one) => !isReturn(one)).map(({ event }) => eventOf(event))
    const returns = this.returns(this.all.filter(isReturn))
    const requests: Dict[] = []
    if (events.length > 0) requests.push(eventsLoad(this.id, events))
    if (returns.length > 0) {
      const load: Dict = dictFrom({ cmd: '_syndic_return', id: this.id })
      requests.push(load.set('load', returns) as Dict)
    }
    return requests
  }

  /** Returns by job. */
  private returns(all: readonly Handed[]): Dict[] {
    const loads = new Map<string, Dict>()
    for (const { event, kind } of all) {
      const load = loads.get(kind!.jid) ?? this.loadOf(kind!.jid, event)
      loads.set(kind!.jid, load)
      const { fields } = event
      const item = new Map<Value, Value>(
        RETURNED.filter((name) => fields.has(name)).map((name) => [name, fields.get(name)!]),
      )
      ;(load.get('return') as Dict).set(str(fields.get('id')!), item)
    }
    return [...loads.values()]
  }

  private loadOf(jid: string, { fields }: BusEvent): Dict {
    if (!this.described.has(jid)) this.described.set(jid, this.describe(jid))
    const load: Dict = new Map<Value, Value>([
      ['id', this.id],
      ['jid', jid],
      ['fun', fields.get('fun') ?? null],
      ['arg', null],
      ['tgt', null],
      ['tgt_type', null],
      ['load', this.described.get(jid) ?? new Map()],
      ['return', new Map()],
    ])
    const master = textOf(fields.get('master_id') ?? null)
    if (master !== undefined) load.set('master_id', master)
    return load
  }
}

/** The request that hands events over. */
export function eventsLoad(id: string, events: Value[]): Dict {
  const load: Dict = dictFrom({ id, cmd: '_minion_event', pretag: `syndic/${id}` })
  return load.set('events', events) as Dict
}

function sizeOf({ fields }: BusEvent): number {
  const returned = fields.get('return')
  return returned instanceof Packed ? returned.bytes.length : encodeMsgpack(returned ?? null, 'bus').length
}

function eventOf({ tag, data }: BusEvent): Dict {
  const event: Dict = new Map<Value, Value>([['tag', tag]])
  return event.set('data', data) as Dict
}
