// Modes as people write them: YAML strips leading zeros, and they are put back.
import { str, textOf, type Value } from '../../../../data/mod.ts'

/** Four octal digits; None stays None. */
export function normalizeMode(mode: Value): string | null {
  if (mode === null) return null
  const bare = str(mode)
    .replaceAll('0o', '0')
    .replace(/^"+|"+$/g, '')
    .replace(/^'+|'+$/g, '')
  return bare.replace(/^0+/, '').padStart(4, '0')
}

/** Whether the mode of the source is to be kept. */
export const isKeep = (mode: Value): boolean => textOf(mode)?.toLowerCase() === 'keep'
