// The destination of results: the terminal, or with `--out-file` a file, which is truncated unless output is appended.
import { appendFileSync, statSync, truncateSync } from 'node:fs'
import { toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, truthy } from '../data/mod.ts'
import { fromNodeError } from '../host/mod.ts'
import { UsageError } from './optparse/exit.ts'
import type { Streams } from './streams.ts'

const fileOf = (opts: Dict): string => option(opts, 'output_file')

/** The file is emptied, not removed: it keeps its rights. */
export function emptyOutputFile(opts: Dict): void {
  const file = fileOf(opts)
  if (file === '' || truthy(opts.get('output_file_append') ?? null)) return
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return
  try {
    truncateSync(file)
  } catch (error) {
    throw new UsageError(`${file}: Access denied: ${toError(error).message}`)
  }
}

function append(file: string, text: string | Uint8Array): void {
  try {
    appendFileSync(file, text)
  } catch (error) {
    throw fromNodeError(error, file)
  }
}

/** Write a result; an empty text writes no line. */
export function writeResult(opts: Dict, streams: Streams, text: string): void {
  if (text === '') return
  const file = fileOf(opts)
  if (file === '') streams.out(`${text}\n`)
  else append(file, `${text}\n`)
}

/** Write a result as pieces of whole lines. */
export function writePieces(opts: Dict, streams: Streams, pieces: readonly Uint8Array[]): void {
  const file = fileOf(opts)
  for (const piece of pieces) {
    if (file !== '') append(file, piece)
    else if (streams.outBytes) streams.outBytes(piece)
    else streams.out(Buffer.from(piece).toString())
  }
}
