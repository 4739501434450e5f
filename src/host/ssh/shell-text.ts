// Text for a POSIX shell. All text from outside is in single quotes, in which a shell interprets only their end.
import { isUtf8 } from 'node:buffer'
import { systemError } from '../errors.ts'

/** Content up to this size is a part of the request, in bytes: some shells read requests byte by byte. */
export const INLINE = 32 << 10

/** Return a word that the shell reads back as this text. */
export function word(text: string): string {
  if (text.includes('\0')) throw systemError('EINVAL', text)
  return `'${text.replaceAll("'", "'\\''")}'`
}

export const words = (texts: Iterable<string>): string => [...texts].map(word).join(' ')

/** Return the word of a path. A leading dash would make it an option. */
export function pathWord(path: string): string {
  if (path === '') throw systemError('ENOENT', path)
  return word(path.startsWith('-') ? `./${path}` : path)
}

/** Return the two words for `printf` that write these bytes: a format and a text. */
export function contentWords(data: string | Uint8Array): string {
  const bytes = Buffer.from(data as Uint8Array)
  if (isUtf8(bytes) && !bytes.includes(0)) return `%s ${word(bytes.toString())}`
  let text = ''
  for (const byte of bytes)
    text += isPlain(byte) ? String.fromCharCode(byte) : `\\0${byte.toString(8).padStart(3, '0')}`
  return `%b ${word(text)}`
}

/** Whether a byte is literal in a text for `printf %b`. */
const isPlain = (byte: number): boolean => byte === 10 || (byte >= 32 && byte < 127 && byte !== 0x5c)

/** Return an assignment value in which `$NAME` and `${NAME}` are variables and all other text is literal. */
export function expandedWord(text: string): string {
  const parts = text.split(/(\$\w+|\$\{\w+\})/)
  return parts.map((part, i) => (i % 2 === 1 ? `"\${${part.replace(/\W/g, '')}-}"` : part && word(part))).join('')
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Whether a shell can have a variable of this name. */
export const isVariableName = (name: string): boolean => NAME.test(name)
