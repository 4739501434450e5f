// Where two runs differ: in what they said about each state, and in what they left behind. Pure.
import type { Snapshot } from './snapshot.ts'

/** One returned state, as its JSON has it. */
interface StateResult {
  name?: unknown
  result: unknown
  comment: unknown
  changes: unknown
  __run_num__: unknown
}

export type Answer = Record<string, StateResult> | string[] | unknown

const COMPARED = ['name', '__run_num__', 'result', 'comment', 'changes'] as const

/** What no two runs have in common: process ids, durations, times of day, names of temporary files. */
const CHANCE: [RegExp, string][] = [
  [/"pid": ?\d+/g, '"pid":0'],
  [/\b\d+(\.\d+)? ?(ms|s|seconds?)\b/g, '<duration>'],
  [/\d{4}-\d{2}-\d{2}[ T_]\d{2}:\d{2}:\d{2}(\.\d+)?/g, '<time>'],
  [/run-r[0-9a-f]{32}\.scope/g, '<unit>'],
  [/__salt\.tmp\.\w+/g, '<temporary>'],
]

/** One line per difference, `ours` before `theirs`. */
export function answerDifferences(ours: Answer, theirs: Answer): string[] {
  if (!isStates(ours) || !isStates(theirs)) return differing('answer', ours, theirs)
  const lines: string[] = []
  for (const key of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
    const [our, their] = [ours[key], theirs[key]]
    const id = key.replaceAll('_|-', ' ')
    if (our === undefined || their === undefined) {
      lines.push(`${id}: only in ${our === undefined ? "Salt's" : 'our'} answer`)
      continue
    }
    for (const field of COMPARED) lines.push(...differing(`${id}: ${field}`, our[field], their[field]))
  }
  return lines
}

const isStates = (answer: Answer): answer is Record<string, StateResult> =>
  typeof answer === 'object' && answer !== null && !Array.isArray(answer)

function differing(what: string, ours: unknown, theirs: unknown): string[] {
  const [our, their] = [settled(ours), settled(theirs)]
  return our === their ? [] : [`${what}\n    ours   ${our}\n    Salt's ${their}`]
}

function settled(value: unknown): string {
  const text = JSON.stringify(ordered(value)) ?? 'nothing'
  return CHANCE.reduce((result, [pattern, word]) => result.replaceAll(pattern, word), text)
}

/** A line that names failed requisites, with the names in order. */
function namesInOrder(line: string): string {
  const [, start, names] = /^(One or more requisite failed: )(.*)$/.exec(line) ?? []
  return names === undefined ? line : `${start}${names.split(', ').sort().join(', ')}`
}

/** With keys, and lines and names of a text, in one order: Salt walks some of them in the order of a set, which is chance. */
function ordered(value: unknown): unknown {
  if (typeof value === 'string') return value.split('\n').map(namesInOrder).sort().join('\n')
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(ordered)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, ordered(inner)]))
}

/** One line per thing that the two runs left behind differently. */
export function snapshotDifferences(ours: Snapshot, theirs: Snapshot): string[] {
  return (Object.keys(theirs) as (keyof Snapshot)[]).flatMap((kind) => {
    const names = [...new Set([...theirs[kind].keys(), ...ours[kind].keys()])].sort()
    return names.flatMap((name) => differing(`${kind}: ${name}`, ours[kind].get(name), theirs[kind].get(name)))
  })
}

/** How many things a run changed, for the summary. */
export function countChanges(before: Snapshot, after: Snapshot): Record<keyof Snapshot, number> {
  const count = (kind: keyof Snapshot) => {
    const names = new Set([...before[kind].keys(), ...after[kind].keys()])
    return [...names].filter((name) => before[kind].get(name) !== after[kind].get(name)).length
  }
  return { files: count('files'), packages: count('packages'), services: count('services') }
}
