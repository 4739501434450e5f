// A failure in the form of Python's tracebacks: its places in the user's files, then class and message. The names of classes are
// those that Python shows, because people search for them. Every text about a failed function, state or reaction is built here.
import { type Position, toError } from '../base/mod.ts'
import { pythonClass } from './python-class.ts'

export interface TraceFrame extends Position {
  /** What was running there. */
  in?: string
}

const HEAD = 'Traceback (most recent call last):'

/** Return the last line of a traceback: class and message. */
export function failureLine(thrown: unknown): string {
  const error = toError(thrown)
  const name = pythonClass(error)
  // Python names just the function that it did not find
  const message = name === 'KeyError' ? error.message.replace(/ is not available\.$/, '') : error.message
  return message === '' ? name : `${name}: ${message}`
}

/** Return a traceback, ended by a line break; the trace of users' own Python is kept. */
export function traceback(thrown: unknown, frames: readonly TraceFrame[] = []): string {
  const lines = [HEAD]
  for (const { file, line, in: where } of frames) {
    lines.push(`  File "${file ?? '<unknown>'}", line ${line}${where === undefined ? '' : `, in ${where}`}`)
  }
  const { trace } = toError(thrown) as { trace?: unknown }
  if (typeof trace === 'string' && trace.startsWith(HEAD)) return [...lines, ...trace.split('\n').slice(1)].join('\n')
  return [...lines, failureLine(thrown), ''].join('\n')
}
