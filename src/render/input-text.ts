// What a stage that reads text gets from the one before it.
import { decodeBytes, type Value } from '../data/mod.ts'
import { renderError } from './errors.ts'

export function inputText(input: Value, renderer: string): string {
  if (typeof input === 'string') return input
  if (input instanceof Uint8Array) return decodeBytes(input)
  throw renderError(`The ${renderer} renderer reads text, and the renderer before it gave data`)
}

/** For languages that have no comments in which the shebang line could hide. */
export function withoutShebang(text: string): string {
  return text.startsWith('#!') ? text.slice(text.indexOf('\n') + 1) : text
}
