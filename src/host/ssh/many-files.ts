// Facts about many files in one request, with one process on the target. The shell itself tests which files exist;
// those that it cannot test for sure, such as a file in an inaccessible directory, are requested separately.
import type { FileStat } from '../host.ts'
import type { AgentAnswer, AgentBatch } from './agent.ts'
import type { StatFlavour } from './facts.ts'
import { pathWord } from './shell-text.ts'
import { parseStat, statCommand } from './stat-text.ts'

/** An existing file, a missing one, and one that must be requested separately. */
const THERE = '1'
const ABSENT = '0'

/** Return the lines of `_many` and of its tool by file; undefined if they do not match. */
function linesOf(lines: string[], count: number): Array<string | null | undefined> | undefined {
  const digits = lines.shift() ?? ''
  const there = [...digits].filter((digit) => digit === THERE).length
  const own = lines.splice(0, there)
  // a file that went meanwhile has no line
  if (digits.length !== count || own.length !== there || own.some((line) => line === '')) return undefined
  return [...digits].map((digit) => (digit === THERE ? own.shift()! : digit === ABSENT ? null : undefined))
}

const answerLines = ({ stdout }: AgentAnswer): string[] => stdout.toString().replace(/\n$/, '').split('\n')

const inEnglish = (text: string): string => `( LC_ALL=C; export LC_ALL; ${text} ) </dev/null 2>/dev/null`

/** How a file is read: following links or not. An item is one of these letters and a path. */
export type StatWay = 'L' | 'P'

/** Request the facts of many files; null for a missing one. */
export function statBatch(flavour: StatFlavour): AgentBatch<FileStat | null> {
  const groups = (items: readonly string[]): Array<[StatWay, number[]]> => {
    const places = (way: StatWay): number[] => [...items.keys()].filter((i) => items[i]!.startsWith(way))
    return (['P', 'L'] as const)
      .map((way): [StatWay, number[]] => [way, places(way)])
      .filter(([, own]) => own.length > 0)
  }
  const call = (items: readonly string[], [way, places]: [StatWay, number[]]): string => {
    const tool = statCommand(flavour, way === 'L').replaceAll("'", '"')
    return `_many '${tool}' ${way === 'L' ? 'any' : 'link'} ${places.map((i) => pathWord(items[i]!.slice(1))).join(' ')}`
  }
  return {
    text: (items) =>
      inEnglish(
        groups(items)
          .map((group) => call(items, group))
          .join('; '),
      ),
    parts: (answer, items) => {
      const lines = answerLines(answer)
      const found = new Array<FileStat | null | undefined>(items.length).fill(undefined)
      for (const [, places] of groups(items)) {
        const told = linesOf(lines, places.length)
        if (!told) break
        places.forEach((place, i) => {
          const line = told[i]
          found[place] = typeof line === 'string' ? parseStat(flavour, line) : line
        })
      }
      return found
    },
  }
}

/** Request the checksums of many files by a tool such as `sha256sum` or `sha256 -q`; null for a missing file. */
export function hashBatch(tool: string): AgentBatch<string | null> {
  return {
    text: (items) => inEnglish(`_many '${tool}' file ${items.map(pathWord).join(' ')}`),
    parts: (answer, items) => {
      const told = linesOf(answerLines(answer), items.length) ?? items.map(() => undefined)
      return told.map((line) => (typeof line === 'string' ? /^\\?([0-9a-f]+)( |$)/.exec(line)?.[1] : line))
    },
  }
}
