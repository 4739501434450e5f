// Hints: messages for the user of a job beside its return, such as an option that a state ignores, a similar name, or
// the line of an error. A return carries them under a separate key, so that the returned value equals Salt's. Hints
// come from minions, so every reader uses `readHints`.
import { type Position, withHint } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, hideMarked, isDict, isList, textOf, type Value } from '../data/mod.ts'
import { servedUrl } from '../fileserver/mod.ts'

export type HintLevel = 'warning' | 'error'

/** One hint. */
export interface Hint {
  level: HintLevel
  text: string
  /** The place it is about, `file:line`. A file of the file server is written `salt://path`. */
  at?: string
}

/** A message about a piece of source text. */
export interface PlacedMessage {
  text: string
  at?: Position | undefined
  /** A similar name or another suggestion. */
  hint?: string | undefined
}

/** Return the place of a message as people are shown it. The options name the cache of the file server's files. */
export function shownPlace(at: Position | undefined, opts: Dict): string | undefined {
  return at?.file === undefined ? undefined : `${servedUrl(at.file, option(opts, 'cachedir'))}:${at.line}`
}

/** Return a message as a hint; of a message of several lines the first, because the return has the others. */
export function hintAbout(level: HintLevel, { text, at, hint }: PlacedMessage, opts: Dict): Hint {
  const place = shownPlace(at, opts)
  const [first = ''] = text.trimStart().split('\n', 1)
  return { level, text: withHint(first, hint), ...(place !== undefined && { at: place }) }
}

/** The key of a return that holds its hints. */
export const HINTS = 'hints'

/** The largest number of hints of one return. */
const MOST_HINTS = 50

/** The largest text of a hint, and the largest place, in bytes of UTF-8. */
const LONGEST_HINT = 1024

const PLACE = /^[^\p{Cc}\u2028\u2029]+:\d{1,9}$/u

/** The hints of one job: each once, and no more than a return may carry. */
export class HintList {
  private readonly hints = new Map<string, Hint>()

  add({ level, text, at }: Hint): void {
    if (this.hints.size >= MOST_HINTS) return
    const hint: Hint = { level, text: cut(hideMarked(text)), ...(at !== undefined && isPlace(at) && { at }) }
    const key = hintKey(hint)
    if (!this.hints.has(key)) this.hints.set(key, hint)
  }

  /** Put the hints into a return, behind those that it has; a job without hints leaves the return as it is. */
  addTo(ret: Dict): Dict {
    const before = ret.get(HINTS) ?? null
    if (this.hints.size > 0)
      ret.set(HINTS, [...(isList(before) ? before : []), ...hintsValue([...this.hints.values()])])
    return ret
  }

  get all(): Hint[] {
    return [...this.hints.values()]
  }
}

/** Two hints with the same key say the same. */
export const hintKey = ({ level, text, at = '' }: Hint): string => `${level}\0${at}\0${text}`

/** Return hints in the form of a return. */
export function hintsValue(hints: readonly Hint[]): Value[] {
  return hints.map(({ level, text, at }): Dict => {
    const value: Dict = new Map<Value, Value>([['level', level]]).set('text', text)
    return at === undefined ? value : value.set('at', at)
  })
}

/**
 * Return the hints of a return, checked and limited; invalid hints are dropped. `whole`: whether nothing was dropped.
 */
export function readHints(ret: ReadonlyMap<Value, Value>): { hints: Hint[]; whole: boolean } {
  const value = ret.get(HINTS)
  if (value === undefined) return { hints: [], whole: true }
  if (!isList(value)) return { hints: [], whole: false }
  const list = new HintList()
  let whole = value.length <= MOST_HINTS
  for (const item of value.slice(0, MOST_HINTS)) {
    const hint = hintOf(item)
    if (hint) list.add(hint)
    else whole = false
  }
  return { hints: list.all, whole }
}

function hintOf(item: Value): Hint | undefined {
  if (!isDict(item)) return undefined
  const text = textOf(item.get('text') ?? null)
  if (text === undefined || text === '') return undefined
  const at = textOf(item.get('at') ?? null)
  const level = item.get('level') === 'error' ? 'error' : 'warning'
  return { level, text, ...(at !== undefined && { at }) }
}

const isPlace = (at: string): boolean => at.length <= LONGEST_HINT && PLACE.test(at)

/** The beginning of a text that is too long. */
function cut(text: string): string {
  // each unit of UTF-16 has at most three bytes, so most texts need not be measured
  if (text.length * 3 <= LONGEST_HINT) return text
  const bytes = new TextEncoder().encode(text.slice(0, LONGEST_HINT + 1))
  if (bytes.length <= LONGEST_HINT) return text
  const mark = '…'
  const room = LONGEST_HINT - new TextEncoder().encode(mark).length
  return new TextDecoder().decode(bytes.subarray(0, room)).replace(/\uFFFD$/, '') + mark
}
