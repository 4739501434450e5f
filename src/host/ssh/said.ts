// Stderr of ssh and of programs on a target: only its end is kept, because a target may write without end.
import type { Readable } from 'node:stream'

const MOST_SAID = 64 << 10

/** Return a function that returns the last words of a stream. */
export function lastWords(stream: Readable): () => string {
  let said = Buffer.alloc(0)
  stream.on('data', (piece: Buffer) => {
    said = Buffer.concat([said, piece]).subarray(-MOST_SAID)
  })
  return () => said.toString()
}
