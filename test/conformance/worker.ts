// Runs cases one after the other in a separate process, so that a hanging case can be killed.
import { toError } from '../../src/base/mod.ts'
import type { Area, Case } from './area.ts'
import { judge } from './judge.ts'

export interface WorkerInput {
  adapter: string
  cases: Case[]
}

/** The verdict on the next case; without a problem it passed. Before the first one comes a Ready. */
export interface Verdict {
  problem: string | undefined
}

/** Announces that the adapter is loaded. */
export type Ready = 'ready'

async function verdictOn(area: Area, testCase: Case): Promise<Verdict> {
  try {
    const recorded = { ...testCase, ...area.recorded?.(testCase) }
    return { problem: judge(recorded, await area.run(testCase)) }
  } catch (thrown) {
    const error = toError(thrown)
    return { problem: `crashed: ${error.stack ?? error.message}` }
  }
}

async function answer(area: Area, cases: Case[]): Promise<void> {
  for (const testCase of cases) process.send?.(await verdictOn(area, testCase))
}

const area: Area = (await import(process.argv[2] as string)).default
process.on('message', (cases: Case[]) => void answer(area, cases))
process.send?.('ready' satisfies Ready)
