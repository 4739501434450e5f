// The milliseconds a state took, which it gives as a number or as text, with its unit or without.
import type { Log } from '../../base/mod.ts'
import { recover } from '../../base/mod.ts'
import {
  floatFromText,
  isNumeric,
  PyError,
  str,
  textOf,
  toDouble,
  typeError,
  typeName,
  type Value,
} from '../../data/mod.ts'

/** Undefined, and a line in the log, for text that is no number. */
export function milliseconds(duration: Value, log: Log): number | undefined {
  if (isNumeric(duration)) return toDouble(duration)
  const text = duration instanceof Uint8Array ? Buffer.from(duration).toString('latin1') : textOf(duration)
  if (text === undefined) {
    throw typeError(`float() argument must be a string or a real number, not '${typeName(duration)}'`)
  }
  const whole = numberIn(text)
  if (whole === undefined && duration instanceof Uint8Array)
    throw typeError("a bytes-like object is required, not 'str'")
  const parsed = whole ?? numberIn(text.split(' ms')[0]!)
  if (parsed === undefined) log('error', `Cannot parse a float from duration ${str(duration)}`)
  return parsed
}

function numberIn(text: string): number | undefined {
  return recover(
    (error) => error instanceof PyError && error.code === 'ValueError',
    undefined,
    () => floatFromText(text),
  )
}
