// Steps whose recording shows an accident of Salt: why we do not follow it, and what our programs answer instead.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Step } from './scenario.ts'

export interface Instead {
  reason: string
  /** The fields of the step that are other here. */
  step: Step
}

const table = JSON.parse(readFileSync(join(import.meta.dirname, 'accidents.json'), 'utf8')) as Record<
  string,
  Step & { reason: string }
>

/** Return what a step, named `scenario/index`, expects here. */
export function instead(name: string): Instead | undefined {
  const found = table[name]
  if (found === undefined) return undefined
  const { reason, ...step } = found
  return { reason, step }
}

/** The steps that the table names. */
export const accidentSteps = (): string[] => Object.keys(table)
