// Steps whose recording we do not follow, each with its reason (known.json).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const reasons = JSON.parse(readFileSync(join(import.meta.dirname, 'known.json'), 'utf8')) as Record<string, string>

/** By `scenario/index`. */
export const knownDifference = (step: string): string | undefined => reasons[step]
