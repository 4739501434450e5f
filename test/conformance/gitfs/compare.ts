// Whether a program answered as recorded, by the rules of the README beside the recordings.
import type { Json } from '../area.ts'
import type { Expectation, Step } from './case.ts'
import { filledIn, matches, type Values } from './placeholders.ts'
import type { Ran } from './world.ts'

/** A command's outcome in the words of a recording. */
export interface Answer extends Expectation {
  log: string[]
}

/** Put the outcome of a command into the words of a recording. */
export function answerOf(program: string, { status, stdout, stderr }: Ran): Answer {
  const answer: Answer = { rc: status ?? 'killed', log: logOf(stderr) }
  try {
    const value = JSON.parse(stdout) as Json
    return { ...answer, ret: program === 'salt-call' ? ((value as { local?: Json }).local ?? value) : value }
  } catch {
    return { ...answer, out: stdout }
  }
}

const LOG_LINE = /^(?:[\d:., -]+)?\[(DEBUG|INFO|WARNING|ERROR|CRITICAL) *\] ?/

/** Return the lines of a log as `[LEVEL] text`, without tracebacks. */
export function logOf(stderr: string): string[] {
  const lines: string[] = []
  let isTraceback = true
  for (const line of stderr.split('\n')) {
    const level = LOG_LINE.exec(line)
    if (level) {
      lines.push(`[${level[1]}] ${line.slice(level[0].length)}`)
      isTraceback = false
    } else if (/^(Traceback \(most recent call last\):| {2}File ")/.test(line)) isTraceback = true
    else if (!isTraceback) lines[lines.length - 1] += `\n${line}`
  }
  return lines.map((line) => line.trimEnd())
}

const SEVERE = /^\[(ERROR|CRITICAL)\]/

/** The words of a library after these are free. */
const FETCH_FAILED =
  /^\[ERROR\] (?:Error occurred|Exception (?:'[\s\S]*' )?caught while) fetching (\S+) remote '([^']*)'[\s\S]*/

/** Return the comparable part of a line: a list of backends has no order. */
const essence = (line: string): string =>
  line
    .replace(FETCH_FAILED, "[ERROR] $1 remote '$2' was not fetched")
    .replace(
      /(is not in the whitelist: \[)(.*)(\])$/,
      (_, before, list: string, after) => before + list.split(', ').sort().join(', ') + after,
    )

/** Salt's internal error, which accompanies the line with the actual problem. */
const NOISE = /^\[ERROR\] Template was specified incorrectly: False/

/** Our message may have further lines, such as the place. */
const isSameLine = (recorded: string, line: string): boolean =>
  matches(recorded, line) || matches(recorded, line.split('\n')[0]!)

/** Say which lines of a log are missing or too much: errors only, each once. */
export function logProblems(recorded: readonly string[], actual: readonly string[], isOfConcern = SEVERE): string[] {
  const severe = (lines: readonly string[], which: RegExp): string[] => [
    ...new Set(lines.filter((line) => which.test(line) && !NOISE.test(line)).map(essence)),
  ]
  const [wanted, given] = [severe(recorded, SEVERE), severe(actual, SEVERE)]
  const missing = wanted.filter((line) => !given.some((other) => isSameLine(line, other)))
  const surplus = severe(given, isOfConcern).filter((line) => !wanted.some((other) => isSameLine(other, line)))
  return [...missing.map((line) => `log does not have: ${line}`), ...surplus.map((line) => `log has too much: ${line}`)]
}

/** Describe the difference in a command's answer. */
export function answerProblems(step: Step, expect: Expectation, answer: Answer, values: Values): string[] {
  const expected = filledIn(expect, values)
  const problems: string[] = []
  if (expected.rc !== undefined && answer.rc !== expected.rc) problems.push(`rc ${answer.rc}, not ${expected.rc}`)
  if ('ret' in expected && !isSame(expected.ret!, answer.ret, ordered(step))) {
    problems.push(`ret ${JSON.stringify(answer.ret) ?? `no JSON: ${answer.out}`}\nnot ${JSON.stringify(expected.ret)}`)
  }
  if (expected.out !== undefined && !matches(expected.out.trim(), (answer.out ?? '').trim())) {
    problems.push(`stdout ${answer.out ?? JSON.stringify(answer.ret)}\nnot ${expected.out}`)
  }
  return [...problems, ...logProblems(expected.log ?? [], answer.log)]
}

const ordered = ({ cmd = [] }: Step): boolean => !cmd.slice(1).some((word) => /^(fileserver\.|cp\.envs$)/.test(word))

/** Whether two values are the same; an exception of Python counts by its message. */
function isSame(expected: Json, actual: Json | undefined, isOrdered: boolean): boolean {
  if (actual === undefined) return false
  if (typeof expected === 'string') return isSameText(expected, actual)
  if (expected === null || typeof expected !== 'object') return expected === actual
  if (actual === null || typeof actual !== 'object' || Array.isArray(expected) !== Array.isArray(actual)) return false
  if (Array.isArray(expected)) {
    const [wanted, given] = [expected, actual as Json[]].map((list) => (isOrdered ? list : sorted(list)))
    return wanted!.length === given!.length && wanted!.every((item, index) => isSame(item, given![index], isOrdered))
  }
  const names = Object.keys(expected)
  const others = Object.keys(actual)
  return (
    names.length === others.length && names.every((name) => isSame(expected[name]!, (actual as never)[name], isOrdered))
  )
}

const sorted = (list: readonly Json[]): Json[] =>
  [...list].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))

function isSameText(expected: string, actual: Json): boolean {
  if (typeof actual !== 'string') return false
  const [, exception] = expected.split('<TRACEBACK>')
  if (exception === undefined) return matches(expected, actual)
  const message = exception.trim().replace(/^[\w.]+(?:: |$)/, '')
  return actual.includes(message.split(': ').at(-1)!.trim())
}
