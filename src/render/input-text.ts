// Converts the input of a stage that reads text.
import { decodeBytes, type Value } from '../data/mod.ts'
import { renderError } from './errors.ts'

export function inputText(input: Value, renderer: string): string {
  if (typeof input === 'string') return input
  if (input instanceof Uint8Array) return decodeBytes(input)
  throw renderError(`The ${renderer} renderer reads text, and the renderer before it gave data`)
}

/** Remove the shebang line, for languages in which it is no comment. */
export function withoutShebang(text: string): string {
  return text.startsWith('#!') ? text.slice(text.indexOf('\n') + 1) : text
}
