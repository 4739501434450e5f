// Collects the hints in the returns of a job. A hint from several minions is printed once, with their ids. File paths
// are those of this machine.
import type { Dict } from '../data/mod.ts'
import { localPlace } from '../fileserver/mod.ts'
import { type Host, LocalHost } from '../host/mod.ts'
import { type Hint, hintKey, readHints } from '../sdk/mod.ts'

/** How many different hints of a job are printed. */
const MOST_TOLD = 100

/** How many minions are named before the rest is only counted. */
const NAMED = 3

/** One line about a hint. */
export interface HintLine {
  level: Hint['level']
  text: string
}

interface Gathered {
  hint: Hint
  ids: string[]
}

export class JobHints {
  private readonly gathered = new Map<string, Gathered>()
  private leftOut = 0

  /** Take the hints of one minion's return. */
  note(id: string, ret: Dict): void {
    for (const hint of readHints(ret).hints) {
      const key = hintKey(hint)
      const known = this.gathered.get(key)
      if (known) known.ids.push(id)
      else if (this.gathered.size < MOST_TOLD) this.gathered.set(key, { hint, ids: [id] })
      else this.leftOut++
    }
  }

  /** Return one line for each hint, in order of arrival. */
  async lines(opts: Dict, given?: Host): Promise<HintLine[]> {
    if (this.gathered.size === 0) return []
    const host = given ?? new LocalHost()
    const lines: HintLine[] = []
    for (const { hint, ids } of this.gathered.values()) {
      const at = hint.at === undefined ? '' : `${await localPlace(hint.at, opts, host)}: `
      lines.push({ level: hint.level, text: `${namesOf(ids)}: ${at}${hint.text}` })
    }
    if (this.leftOut > 0) lines.push({ level: 'warning', text: `${this.leftOut} further hints are not shown` })
    return lines
  }
}

function namesOf(ids: readonly string[]): string {
  const named = ids.length > NAMED ? ids.slice(0, NAMED - 1) : ids.slice(0, -1)
  const last = ids.length > NAMED ? `${ids.length - named.length} more` : ids.at(-1)!
  return named.length === 0 ? last : `${named.join(', ')} and ${last}`
}
