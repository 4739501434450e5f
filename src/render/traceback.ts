// Formats an error like Python's tracebacks: its places in the user's files, then class and message. Class names are
// Python's, because users search for them. All texts about a failed function, state or reaction are built here.
import { type Position, toError } from '../base/mod.ts'
import { pythonClass } from './python-class.ts'

export interface TraceFrame extends Position {
  /** The function at this place. */
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

const placeLine = ({ file, line }: TraceFrame): string => `  File "${file ?? '<unknown>'}", line ${line}`

/** Return a traceback, ended by a line break. The trace of users' own Python is kept; a place that it shows is not repeated. */
export function traceback(thrown: unknown, frames: readonly TraceFrame[] = []): string {
  const { trace } = toError(thrown) as { trace?: unknown }
  const ownLines = typeof trace === 'string' && trace.startsWith(HEAD) ? trace.split('\n').slice(1) : undefined
  const lines = frames
    .filter((frame) => !ownLines?.some((line) => line.startsWith(`${placeLine(frame)},`)))
    .map((frame) => `${placeLine(frame)}${frame.in === undefined ? '' : `, in ${frame.in}`}`)
  return [HEAD, ...lines, ...(ownLines ?? [failureLine(thrown), ''])].join('\n')
}
