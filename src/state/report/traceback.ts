// A failure in the form of Python's tracebacks: where it happened in the user's files, then class and text. Names of
// classes are what Python code would show, because people search for them.
import type { Position } from '../../base/mod.ts'
import { pythonClass } from '../../render/mod.ts'

export interface Frame extends Position {
  /** What was running there. */
  in?: string
}

export function traceback(error: Error, frames: readonly Frame[]): string {
  const lines = ['Traceback (most recent call last):']
  for (const { file, line, in: where } of frames) {
    lines.push(`  File "${file ?? '<unknown>'}", line ${line}${where === undefined ? '' : `, in ${where}`}`)
  }
  // users' own Python tells its lines itself
  const { trace } = error as { trace?: unknown }
  if (typeof trace === 'string' && trace.startsWith(lines[0]!))
    return [...lines, ...trace.split('\n').slice(1)].join('\n')
  const name = pythonClass(error)
  // Python names just the function that it did not find
  const message = name === 'KeyError' ? error.message.replace(/ is not available\.$/, '') : error.message
  lines.push(message === '' ? name : `${name}: ${message}`, '')
  return lines.join('\n')
}
