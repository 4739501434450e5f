// Names that nobody has guessed or taken, for temporary files.
import { randomBytes } from 'node:crypto'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789_'

export function randomName(length = 8): string {
  return Array.from(randomBytes(length), (byte) => LETTERS[byte % LETTERS.length]).join('')
}
