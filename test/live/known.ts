// Steps whose recording we do not follow, each with its reason (known.json).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const reasons = JSON.parse(readFileSync(join(import.meta.dirname, 'known.json'), 'utf8')) as Record<string, string>

/** By `scenario/index`. */
export const knownDifference = (step: string): string | undefined => reasons[step]

const REFUSED =
  /^"?(Authentication (error|failure of type "\w+") occurred|Authorization error occurred|The salt master could not be contacted)/

/** Salt exits with 0 for a refused user, and without minions; Brine does not. */
export const exitHere = (recorded: number, program: string, stdout: string): number =>
  recorded === 0 && /(^| )salt(-run)? /.test(program) && REFUSED.test(stdout) ? 2 : recorded
