// Printing a text that was displayed: to the terminal, or behind what is in the file of `--out-file`.
import { appendFileSync } from 'node:fs'
import { option } from '../config/mod.ts'
import type { Value } from '../data/mod.ts'

/** Nothing is printed for an empty text. */
export function printDisplay(text: string, opts: ReadonlyMap<Value, Value>, write: (text: string) => void): void {
  if (text === '') return
  const file = option(opts, 'output_file')
  if (file) appendFileSync(file, `${text}\n`)
  else write(`${text}\n`)
}
