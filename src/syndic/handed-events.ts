// What goes upwards together: returns by job, as `_syndic_return` carries them, and other events as a list.
import { isJid } from '../base/mod.ts'
import type { BusEvent } from '../bus/mod.ts'
import { type Dict, Packed, str, textOf, type Value } from '../data/mod.ts'

/** Events and bytes of returns that are handed over at once. */
const MOST_EVENTS = 500
const MOST_BYTES = 4 << 20

/** What of a return goes upwards. */
const RETURNED = ['return', 'retcode', 'success', 'fun_args', 'out', 'hints', 'metadata', 'missing']

/** The description of a job of this master, for a master above that has not heard of it. */
export type DescribeJob = (jid: string) => Dict | undefined

/** Which job an event is about, and what it tells of it; undefined when it is about none. */
export interface JobEvent {
  jid: string
  what: 'return' | 'list' | 'other'
}

/** A list of expected minions may come from a syndic below: each tier puts its name in front. */
const OF_JOB = /^((?:syndic\/[^/]+\/)*)salt\/job\/(\d{20})\/([^/]+)/

export function jobEvent({ tag, fields, origin }: BusEvent): JobEvent | undefined {
  const [, tiers, jid, what] = OF_JOB.exec(tag) ?? []
  if (!isJid(jid)) return undefined
  if (what === 'new') return { jid, what: 'list' }
  const isReturn =
    what === 'ret' && tiers === '' && fields.has('return') && fields.has('id') && origin.kind === 'master'
  return { jid, what: isReturn ? 'return' : 'other' }
}

export class HandedEvents {
  /** The number of the last event. */
  last = 0
  /** When it is to be handed over, in milliseconds of `performance.now()`. */
  due = Number.POSITIVE_INFINITY
  private readonly returns = new Map<string, Dict>()
  private readonly events: Dict[] = []
  private readonly id: string
  private readonly describe: DescribeJob
  private count = 0
  private bytes = 0

  constructor(id: string, describe: DescribeJob) {
    this.id = id
    this.describe = describe
  }

  get isEmpty(): boolean {
    return this.count === 0
  }

  get isFull(): boolean {
    return this.count >= MOST_EVENTS || this.bytes >= MOST_BYTES
  }

  add(event: BusEvent, kind: JobEvent | undefined, due: number): void {
    this.count++
    this.due = Math.min(this.due, due)
    if (kind?.what === 'return') this.addReturn(kind.jid, event)
    else this.events.push(new Map<Value, Value>([['tag', event.tag]]).set('data', event.data) as Dict)
  }

  private addReturn(jid: string, { fields }: BusEvent): void {
    const returned = fields.get('return')
    if (returned instanceof Packed) this.bytes += returned.bytes.length
    const item = new Map<Value, Value>(
      RETURNED.filter((name) => fields.has(name)).map((name) => [name, fields.get(name)!]),
    )
    const before = this.returns.get(jid)
    if (before) {
      ;(before.get('return') as Dict).set(str(fields.get('id')!), item)
      return
    }
    const job = this.describe(jid)
    const load: Dict = new Map<Value, Value>([
      ['id', this.id],
      ['jid', jid],
      ['fun', fields.get('fun') ?? null],
      ['arg', null],
      ['tgt', null],
      ['tgt_type', null],
      ['load', job ?? new Map()],
      ['return', new Map<Value, Value>([[str(fields.get('id')!), item]])],
    ])
    const master = textOf(fields.get('master_id') ?? null)
    if (master !== undefined) load.set('master_id', master)
    this.returns.set(jid, load)
  }

  /** The requests that hand all over: lists of minions go before returns. */
  requests(): Dict[] {
    const requests: Dict[] = []
    if (this.events.length > 0) {
      const load: Dict = new Map<Value, Value>([
        ['id', this.id],
        ['cmd', '_minion_event'],
        ['pretag', `syndic/${this.id}`],
      ])
      requests.push(load.set('events', this.events) as Dict)
    }
    if (this.returns.size > 0) {
      const load: Dict = new Map<Value, Value>([
        ['cmd', '_syndic_return'],
        ['id', this.id],
      ])
      requests.push(load.set('load', [...this.returns.values()]) as Dict)
    }
    return requests
  }
}
