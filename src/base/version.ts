// The version of Salt whose behaviour Brine has, and the version of Brine.
import { readFileSync } from 'node:fs'

/** The release of Salt whose behaviour Brine has; users and peers see this version. */
export const SALT_VERSION = '3008.2'

declare const BRINE_VERSION: string | undefined

/** Return Brine's own version: written in by the build, read from package.json when the code runs from source. */
export function brineVersion(): string {
  if (typeof BRINE_VERSION === 'string') return BRINE_VERSION
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
