// Prints a displayed text to the terminal, or appends it to the file of `--out-file`.
import { appendFileSync } from 'node:fs'
import { option } from '../config/mod.ts'
import type { Value } from '../data/mod.ts'

/** Print a text, unless it is empty. */
export function printDisplay(text: string, opts: ReadonlyMap<Value, Value>, write: (text: string) => void): void {
  if (text === '') return
  const file = option(opts, 'output_file')
  if (file) appendFileSync(file, `${text}\n`)
  else write(`${text}\n`)
}
