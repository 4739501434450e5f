// The program's version: written in by the build, read from package.json when run from source.
import { readFileSync } from 'node:fs'

declare const BRINE_VERSION: string | undefined

export function version(): string {
  if (typeof BRINE_VERSION === 'string') return BRINE_VERSION
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
