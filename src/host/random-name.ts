// Unpredictable, unused names for temporary files.
import { randomFillSync } from 'node:crypto'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789_'

/** Random bytes are fetched many at a time, because a fetch costs more than the bytes. */
const pool = Buffer.alloc(1024)
let next = pool.length

function randomByte(): number {
  if (next === pool.length) {
    randomFillSync(pool)
    next = 0
  }
  return pool[next++]!
}

export function randomName(length = 8): string {
  let name = ''
  for (let i = 0; i < length; i++) name += LETTERS[randomByte() % LETTERS.length]
  return name
}
