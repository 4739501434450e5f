// The option `reactor_limits`: by glob of tags, how many events of a rule are answered in a time (`rate` in `per` seconds), and
// for how long the same data is not answered again (`dedup` seconds). Without it every event is answered, as in Salt.
import { option } from '../config/mod.ts'
import { type Dict, dumpJson, fnmatch, isDict, numberOf, str, type Value } from '../data/mod.ts'

interface Limit {
  pattern: string
  rate: number
  per: number
  dedup: number
}

export class Limits {
  private readonly limits: Limit[]
  private readonly times = new Map<string, number[]>()
  private readonly seen = new Map<string, number>()

  constructor(opts: Dict) {
    this.limits = [...(option(opts, 'reactor_limits') ?? [])].flatMap(limitOf)
  }

  /** Why an event is not answered, or undefined when it is. */
  refusal(tag: string, data: Dict, now: number = Date.now() / 1000): string | undefined {
    for (const limit of this.limits) {
      if (!fnmatch(tag, limit.pattern)) continue
      if (limit.dedup > 0 && this.isRepeated(tag, data, limit, now))
        return `the same as one in the last ${limit.dedup} s`
      if (limit.rate > 0 && this.isTooMuch(limit, now)) return `more than ${limit.rate} in ${limit.per} s`
    }
    return undefined
  }

  private isTooMuch({ pattern, rate, per }: Limit, now: number): boolean {
    const recent = (this.times.get(pattern) ?? []).filter((time) => time > now - per)
    this.times.set(pattern, recent)
    if (recent.length >= rate) return true
    recent.push(now)
    return false
  }

  private isRepeated(tag: string, data: Dict, { dedup }: Limit, now: number): boolean {
    const told = new Map([...data].filter(([key]) => key !== '_stamp' && key !== 'ts'))
    const key = `${tag} ${dumpJson(told, { sortKeys: true, default: str })}`
    const last = this.seen.get(key)
    for (const [other, time] of this.seen) if (time < now - dedup) this.seen.delete(other)
    if (last !== undefined && last > now - dedup) return true
    this.seen.set(key, now)
    return false
  }
}

function limitOf([pattern, given]: [Value, Value]): Limit[] {
  if (!isDict(given)) return []
  const number = (name: string, fallback: number): number => numberOf(given.get(name) ?? fallback) ?? fallback
  return [{ pattern: str(pattern), rate: number('rate', 0), per: number('per', 60), dedup: number('dedup', 0) }]
}
