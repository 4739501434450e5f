// The minions below syndics that a job targets. A master of masters does not know these minions: each syndic reports
// the minions that its master publishes the job to. A syndic below another syndic reports through it.
import type { BusEvent } from '../bus/mod.ts'
import { type Dict, isList, str, type Value } from '../data/mod.ts'
import type { Published } from '../sdk/mod.ts'
import { isValidId } from '../wire/mod.ts'

/** Minions below syndics that are waited for, and returns that came before the list with their minion. */
const MOST_EXPECTED = 500_000
/** Characters of the ids of these minions. */
const MOST_TEXT = 8 << 20
/** Syndics that are waited for, of all tiers. */
const MOST_SYNDICS = 10_000
/** Tiers of syndics. */
const MOST_TIERS = 16

const LIST = /^((?:syndic\/[^/]+\/)+)salt\/job\/(\d{20}(?:_\d+)?)\/new$/

/** Whether a tag is that of a job, or of the list of a syndic. */
export const isOfJob = (tag: string): boolean => tag.startsWith('salt/job/') || LIST.test(tag)

/** Return the job of a tag; undefined when it is of none. */
export function jobOfTag(tag: string): string | undefined {
  return tag.startsWith('syndic/') ? LIST.exec(tag)?.[2] : tag.split('/')[2]
}

/** The report of a syndic. */
interface Told {
  minions: string[]
  missing: string[]
  /** The id of the syndic, which sends no return of its own; absent if the syndic is also one of its minions. */
  leaves?: string
  /** Whether the client waits for these minions. A syndic that sends list after list cannot extend the wait. */
  isTimely: boolean
}

export class SyndicLists {
  private readonly jid: string
  private readonly seconds: number
  /** Syndics that have not reported, each with the syndics above it; undefined if the set of syndics is not known. */
  private readonly pending: Set<string> | undefined
  private until: number
  /** When lists cannot lengthen the waiting any more. */
  private readonly latest: number
  /** The minions of the master that published the job; lists of syndics do not concern them. */
  private readonly own: ReadonlySet<string>
  /** The other minions that were named, each with the syndic that named it first. */
  private readonly named = new Map<string, string>()
  private readonly missing = new Set<string>()
  /** Characters of all these ids. */
  private text = 0
  /** Syndics that have reported, each with the syndics above it. */
  private readonly heard = new Set<string>()

  constructor({ jid, minions, syndics }: Published) {
    this.jid = jid
    this.own = new Set(minions)
    this.seconds = syndics?.seconds ?? 0
    this.pending = syndics?.ids ? new Set(syndics.ids) : undefined
    this.until = performance.now() + this.seconds * 1000
    this.latest = performance.now() + MOST_TIERS * this.seconds * 1000
  }

  /** When the wait for lists ends, in milliseconds of `performance.now()`. */
  get end(): number {
    return this.until
  }

  /** Whether a list may still come. */
  get isWaiting(): boolean {
    return (this.pending === undefined || this.pending.size > 0) && performance.now() < this.until
  }

  /** The syndics that have not reported. */
  get untold(): string[] {
    return [...(this.pending ?? [])]
  }

  /** Read the list of a syndic; undefined when an event is none. */
  take(event: BusEvent): Told | undefined {
    const [, path = '', jid] = LIST.exec(event.tag) ?? []
    if (jid !== this.jid) return undefined
    const tiers = path.split('/').filter((part, index) => part !== '' && index % 2 === 1)
    const { kind, name } = event.origin
    if (kind !== 'unknown' && !(kind === 'syndic' && name === tiers[0])) return undefined
    if (tiers.length > MOST_TIERS) return undefined
    const [first] = tiers as [string]
    const minions = this.within(ids(event.data, 'minions'), this.named)
    const missing = this.within(ids(event.data, 'missing'), this.missing)
    for (const id of missing) this.missing.add(id)
    const isTimely = this.note(tiers, event.data, minions.length > 0)
    const last = tiers.at(-1)!
    // a syndic can end the wait for itself and for syndics that it named, but not for others
    const isOwn = tiers.length === 1 || this.named.get(last) === first
    for (const id of minions) if (!this.named.has(id) && !this.own.has(id)) this.named.set(id, first)
    return { minions, missing, isTimely, ...(isOwn && !minions.includes(last) && { leaves: last }) }
  }

  /**
   * Return the ids that fit the size limit. The query whether minions still work on the job goes to all minions and
   * contains these ids.
   */
  private within(told: readonly string[], known: { has(id: string): boolean; size: number }): string[] {
    let room = MOST_EXPECTED - known.size
    return told.filter((id) => {
      if (known.has(id)) return true
      if (room <= 0 || this.text + id.length > MOST_TEXT) return false
      room--
      this.text += id.length
      return true
    })
  }

  /**
   * Note the report of a syndic; return whether it is the first one of this syndic and in time. A Salt master does not
   * name the syndics below it: when the job targets no minion of its own, lower syndics may still report.
   */
  private note(tiers: readonly string[], data: Dict, hasMinions: boolean): boolean {
    const key = tiers.join('/')
    const isTimely = performance.now() < this.latest && !this.heard.has(key) && this.heard.size < MOST_SYNDICS
    if (isTimely) this.heard.add(key)
    if (!this.pending || !(hasMinions || data.has('syndics'))) return isTimely
    this.pending.delete(key)
    if (!isTimely || tiers.length === MOST_TIERS) return isTimely
    const below = ids(data, 'syndics').slice(0, Math.max(0, MOST_SYNDICS - this.pending.size))
    for (const id of below) if (!this.heard.has(`${key}/${id}`)) this.pending.add(`${key}/${id}`)
    if (below.length > 0) this.until = Math.min(this.latest, performance.now() + this.seconds * 1000)
    return isTimely
  }
}

function ids(data: Dict, name: string): string[] {
  const list: Value = data.get(name) ?? []
  return isList(list) ? list.slice(0, MOST_EXPECTED).filter(isValidId).map(str) : []
}
