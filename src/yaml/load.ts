// Text to values, as Salt reads its configuration, its command lines and `load_yaml`.
import type { Value } from '../data/mod.ts'
import { SaltConstructor } from './construct/salt.ts'
import { composeSource } from './parser.ts'
import { rememberPositions } from './positions.ts'
import { openSource } from './scan/source.ts'

export interface LoadOptions {
  /** The name of the source in error texts. Default: Python's `<unicode string>` or `<byte string>`. */
  name?: string
  /** Remember where each collection, key and item stood, for `positionOf`. */
  positions?: boolean
}

/** Salt's `salt.utils.yaml.safe_load`: return the value of the single document; None if there is none. */
export function load(text: string | Uint8Array, options: LoadOptions = {}): Value {
  return construct(text, options, false)
}

/** Loads with plain dicts or, as the renderer does, with OrderedDicts. */
export function construct(text: string | Uint8Array, options: LoadOptions, ordered: boolean): Value {
  const source = openSource(text, options.name)
  const root = composeSource(source)
  if (!root) return null
  const value = new SaltConstructor(source.name, ordered).document(root)
  if (options.positions) rememberPositions(root)
  return value
}
