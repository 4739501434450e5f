// The scenarios that are part of every check: few and short, but through all programs and both daemons.
import { join } from 'node:path'
import { PATIENCE_SECONDS } from '../until.ts'
import { play, type StepVerdict } from './play.ts'
import { readScenarios, type Scenario } from './scenario.ts'

const QUICK = new Set([
  'batch-count-percent',
  'event-id-spoofing',
  'ping-outputs',
  'rest-keys-post',
  'rest-login-and-sessions',
  'state-progress-events',
  'syndic',
])

/** Scenarios whose events contain the caller's timeout. */
const TELL_TIMEOUT = new Set(['syndic'])

/** All minions of these answer; on a busy machine that may take longer than where they were recorded. */
const patient = (scenario: Scenario): Scenario => {
  const { setup } = scenario
  const timeout = TELL_TIMEOUT.has(scenario.scenario) ? {} : { timeout: PATIENCE_SECONDS }
  const waits = { ...timeout, gather_job_timeout: PATIENCE_SECONDS }
  return { ...scenario, setup: { ...setup, master: { ...setup.master, ...waits } } }
}

export async function playQuick(): Promise<StepVerdict[]> {
  const scenarios = readScenarios(join(import.meta.dirname, '../conformance/cases/live'))
  const verdicts: StepVerdict[] = []
  for (const scenario of scenarios) if (QUICK.has(scenario.scenario)) verdicts.push(...(await play(patient(scenario))))
  return verdicts
}
