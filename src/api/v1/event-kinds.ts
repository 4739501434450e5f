// Kinds of events (tags without ids), and how many of each arrived in the last minutes.
import { isJid } from '../../base/mod.ts'

/** Families of Salt's tags whose next part is the id of a minion. */
const OF_MINIONS: ReadonlySet<string> = new Set(['minion', 'beacon', 'auth', 'key', 'stats', 'syndic'])

/** Parts of a tag that a kind has at most. */
const MOST_PARTS = 4
const LONGEST_PART = 40

/** Kinds that are counted in a minute. Events of further kinds count as `other`. */
const MOST_KINDS = 500

const MINUTES = 5

/** Return the kind of a tag: job ids and minion ids become `*`, and the parts after the action of a job are dropped. */
export function eventKind(tag: string): string {
  const parts = tag.split('/', MOST_PARTS + 1)
  if (parts[0] === 'salt' && parts[1] === 'job' && parts.length > 3) return `salt/job/*/${short(parts[3]!)}`
  const named = parts.map((part, index) => {
    const isMinion =
      index === 2 && (parts[0] === 'salt' ? OF_MINIONS.has(parts[1]!) : tag.startsWith('minion/refresh/'))
    return isMinion || isJid(part) ? '*' : short(part)
  })
  return named.slice(0, MOST_PARTS).join('/')
}

const short = (part: string): string => (part.length > LONGEST_PART ? '*' : part)

export class EventKinds {
  /** Counts of the last minutes, the present one first. */
  private readonly minutes: Array<Map<string, number>> = [new Map()]
  private began = Date.now()

  add(tag: string): void {
    const counts = this.minutes[0]!
    const kind = eventKind(tag)
    const count = counts.get(kind)
    if (count === undefined && counts.size >= MOST_KINDS) counts.set('other', (counts.get('other') ?? 0) + 1)
    else counts.set(kind, (count ?? 0) + 1)
  }

  /** Begin a minute. */
  turn(): void {
    this.minutes.unshift(new Map())
    this.minutes.length = Math.min(this.minutes.length, MINUTES)
    this.began = Date.now()
  }

  /** Return the kinds with most events, each with their number in a minute. */
  busiest(most: number): Array<{ tag: string; perMinute: number }> {
    const sums = new Map<string, number>()
    for (const counts of this.minutes) for (const [kind, count] of counts) sums.set(kind, (sums.get(kind) ?? 0) + count)
    const minutes = Math.max(1, this.minutes.length - 1 + (Date.now() - this.began) / 60_000)
    return [...sums]
      .sort(([, one], [, other]) => other - one)
      .slice(0, most)
      .map(([tag, count]) => ({ tag, perMinute: Math.round((count / minutes) * 100) / 100 }))
  }
}
