// Modes as users write them: YAML drops leading zeros, which are restored.
import { str, textOf, type Value } from '../../../data/mod.ts'

/** Return a mode as four octal digits; None stays None. */
export function normalizeMode(mode: Value): string | null {
  if (mode === null) return null
  const bare = str(mode)
    .replaceAll('0o', '0')
    .replace(/^"+|"+$/g, '')
    .replace(/^'+|'+$/g, '')
  return bare.replace(/^0+/, '').padStart(4, '0')
}

/** Return whether a mode means that of the source. */
export const isKeep = (mode: Value): boolean => textOf(mode)?.toLowerCase() === 'keep'
