// The scenarios that are part of every check: few and short, but through all programs and both daemons.
import { join } from 'node:path'
import { play, type StepVerdict } from './play.ts'
import { readScenarios } from './scenario.ts'

const QUICK = new Set(['event-id-spoofing', 'ping-outputs', 'batch-count-percent', 'state-progress-events'])

export async function playQuick(): Promise<StepVerdict[]> {
  const scenarios = readScenarios(join(import.meta.dirname, '../conformance/cases/live'))
  const verdicts: StepVerdict[] = []
  for (const scenario of scenarios) if (QUICK.has(scenario.scenario)) verdicts.push(...(await play(scenario)))
  return verdicts
}
