// Whether a program answered as recorded, by the rules of the README beside the recordings.
import { sortedNames } from '../../live/any-order.ts'
import { differenceOfTexts, readJson } from '../../live/compare.ts'
import type { Placeholders } from '../../live/placeholders.ts'
import type { Json } from '../area.ts'
import type { Step } from './scenario.ts'
import type { Ran } from './world.ts'

const PLACEHOLDER = /<[A-Z_ ]+\d*>/

/** Return the differences; an empty list if the result equals the recorded one. */
export function problemsOf(step: Step, ran: Ran, known: Placeholders): string[] {
  const problems: string[] = []
  if (ran.status !== step.exit) problems.push(`exit ${ran.status}, not ${step.exit}`)
  if (step.json !== undefined) {
    const answer = readJson(ran.stdout)
    problems.push(...jsonProblems(step.json, step.kept_keys ? kept(answer, step.kept_keys) : answer, known))
  } else if (step.stdout !== undefined) problems.push(...textProblems(step.stdout, ran.stdout, known))
  problems.push(...stderrProblems(step, ran, known))
  return problems
}

function kept(answer: Json | undefined, keys: readonly string[]): Json | undefined {
  const hosts = Object.entries(fieldsOf(answer) ?? {}).map(([host, value]) => [
    host,
    Object.fromEntries(Object.entries(fieldsOf(value) ?? {}).filter(([key]) => keys.includes(key))),
  ])
  return Object.fromEntries(hosts)
}

/** Numbers that vary stand in quotes where the recording is no JSON, and times are padded. */
const plain = (text: string): string => sortedNames(text.replace(/"(<(?:PID|MS|SECONDS|DURATION)>)"/g, '$1')).trimEnd()

/** Hosts answer in any order; the lines of one host are in order. */
function textProblems(recorded: string, printed: string, known: Placeholders): string[] {
  if (known.matches(plain(recorded), plain(printed))) return []
  const isOfMany = (recorded.match(/^[^\s"{}[\]][^\n]*:$/gm)?.length ?? 0) > 1
  if (isOfMany && differenceOfTexts(plain(recorded), plain(printed), known) === '') return []
  return [`stdout\n${printed.replace(/^/gm, '+ ')}\nnot\n${recorded.replace(/^/gm, '- ')}`]
}

const fieldsOf = (value: Json | undefined): { [key: string]: Json } | undefined =>
  value === null || typeof value !== 'object' || Array.isArray(value) ? undefined : value

/** Keys that functions get from a publisher and recordings show. */
const isPublished = (key: string): boolean => key.startsWith('__pub_')

function* jsonProblems(
  expected: Json,
  actual: Json | undefined,
  known: Placeholders,
  path = 'json',
): Generator<string> {
  const [wanted, given] = [fieldsOf(expected), fieldsOf(actual)]
  if (wanted && given) {
    for (const key of new Set([...Object.keys(wanted), ...Object.keys(given)])) {
      if (isPublished(key)) continue
      if (!(key in wanted)) yield `${path}/${key}: too much, ${JSON.stringify(given[key])}`
      else yield* jsonProblems(wanted[key]!, given[key], known, `${path}/${key}`)
    }
  } else if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    for (const [index, item] of expected.entries()) yield* jsonProblems(item, actual[index], known, `${path}/${index}`)
  } else if (!isSame(expected, actual, known)) {
    yield `${path}: ${JSON.stringify(actual) ?? 'missing'}, not ${JSON.stringify(expected)}`
  }
}

function isSame(expected: Json, actual: Json | undefined, known: Placeholders): boolean {
  if (expected === '<ALL GRAINS>') return fieldsOf(actual) !== undefined
  if (typeof expected !== 'string' || !PLACEHOLDER.test(expected)) {
    return JSON.stringify(expected) === JSON.stringify(actual)
  }
  if (typeof actual !== 'string' && typeof actual !== 'number') return false
  return known.matches(expected, String(actual)) || tellsException(expected, String(actual))
}

/** A traceback of Python is not required, only the exception at its end. */
function tellsException(expected: string, actual: string): boolean {
  const exception = /Traceback \(most recent call last\):\n +<FRAMES>\n(.+)$/.exec(expected)?.[1]
  return exception !== undefined && actual.endsWith(exception)
}

/** Lines about Python's own errors: exceptions, and their texts that Salt passes on. */
const OF_PYTHON = /un-handled exception|Rendering exception occurred|TypeError|JSON serializable/

const LOG_LINE = /^\[(?:ERROR {3}|WARNING )\] /

const USAGE_LINE = /^(?:[\w-]+: error:|Warning: |Password: )/

/** The lines of a log and of a usage error, without those that Python alone wrote. */
const linesOf = (text: string): string[] =>
  text.split('\n').filter((line) => (LOG_LINE.test(line) || USAGE_LINE.test(line)) && !OF_PYTHON.test(line))

/** All recorded lines are there. Where something fails ours may say more about it, and only then. */
function* stderrProblems({ stderr = '', exit }: Step, ran: Ran, known: Placeholders): Generator<string> {
  const left = linesOf(ran.stderr)
  for (const line of linesOf(stderr)) {
    const at = left.findIndex((other) => known.attempt(() => known.matches(line.trimEnd(), other.trimEnd())))
    if (at < 0) yield `stderr does not have: ${line}`
    else left.splice(at, 1)
  }
  const mayTellMore = exit !== 0 || stderr.includes('[ERROR')
  if (!mayTellMore) for (const line of left) yield `stderr has too much: ${line}`
}

/** Compare a file or directory with an observation. */
export function lookProblems(expected: Step, actual: Step, known: Placeholders): string[] {
  return Object.entries(expected).flatMap(([key, value]) => {
    const given = actual[key as keyof Step] as Json | undefined
    const isText = typeof value === 'string' && typeof given === 'string'
    if (isText ? known.matches(value, given) : JSON.stringify(value) === JSON.stringify(given)) return []
    return [`${key}: ${JSON.stringify(given) ?? 'missing'}, not ${JSON.stringify(value)}`]
  })
}
