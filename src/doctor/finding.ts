// A finding: the problem, its place, and its minions. The same finding on several minions is merged.
import { CODES, type Code, type Level } from './codes.ts'

export interface Finding {
  code: Code
  level: Level
  message: string
  /** Absolute path; undefined for findings without a file. */
  file?: string | undefined
  line?: number | undefined
  /** A similar name, or specific advice. */
  hint?: string | undefined
  /** Minions that it concerns; none for all. */
  minions: string[]
}

export interface FindingDetails {
  message: string
  at?: { file?: string | undefined; line?: number | undefined } | undefined
  hint?: string | undefined
  minion?: string | undefined
  /** The level, if it differs from that of the code. */
  level?: Level | undefined
}

export type Report = (code: Code, details: FindingDetails) => void

const MOST_CHARACTERS = 1000

/** A text of the tree in one line and of bounded length, without control characters. */
function plainText(text: string): string {
  const line = text
    .replace(/\s*\n\s*/g, ' ')
    .trim()
    .replace(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '?')
  return line.length <= MOST_CHARACTERS ? line : `${line.slice(0, MOST_CHARACTERS)}…`
}

export function finding(code: Code, { message, at, hint, minion, level }: FindingDetails): Finding {
  return {
    code,
    level: level ?? CODES[code].level,
    message: plainText(message),
    ...(at?.file !== undefined && { file: at.file }),
    ...(at?.file !== undefined && at.line !== undefined && { line: at.line }),
    ...(hint !== undefined && { hint: plainText(hint) }),
    minions: minion === undefined ? [] : [minion],
  }
}

const MOST_FINDINGS = 20_000
const LEVELS: readonly Level[] = ['error', 'warning', 'note']

/** Gathers findings, each once. */
export class Findings {
  private readonly known = new Map<string, Finding>()
  /** How many were dropped above the limit. */
  dropped = 0

  add(one: Finding): void {
    const key = JSON.stringify([one.code, one.file, one.line, one.message])
    const before = this.known.get(key)
    if (before) return join(before, one)
    if (this.known.size >= MOST_FINDINGS) this.dropped++
    else this.known.set(key, one)
  }

  /** Sorted by severity, then by place. */
  sorted(): Finding[] {
    const place = ({ file = '', line = 0, code }: Finding): string =>
      `${file}\0${String(line).padStart(9, '0')}\0${code}`
    return this.distinct().sort((a, b) => rankOf(a) - rankOf(b) || (place(a) < place(b) ? -1 : 1))
  }

  /** Drop a finding of a compilation where a check has a more exact finding for the same line. */
  private distinct(): Finding[] {
    const exact = new Map<string, Finding>()
    const all = [...this.known.values()]
    const placeOf = ({ file, line }: Finding): string => `${file}:${line}`
    for (const one of all) if (EXACT.has(one.code) && one.line !== undefined) exact.set(placeOf(one), one)
    return all.filter((one) => {
      const same = GENERAL.has(one.code) ? exact.get(placeOf(one)) : undefined
      if (same) join(same, one)
      return same === undefined
    })
  }
}

/** Codes of compilations, and codes of checks of the same lines. */
const GENERAL: ReadonlySet<Code> = new Set(['sls-invalid', 'pillar-invalid', 'top-invalid', 'example-failed'])
const EXACT: ReadonlySet<Code> = new Set(['template-invalid', 'filter-missing', 'function-missing', 'renderer-missing'])

const rankOf = ({ level }: Finding): number => LEVELS.indexOf(level)

/** The graver of two levels counts, and the minions of both. */
function join(known: Finding, other: Finding): void {
  if (rankOf(other) < rankOf(known)) known.level = other.level
  for (const id of other.minions) if (!known.minions.includes(id)) known.minions.push(id)
}
