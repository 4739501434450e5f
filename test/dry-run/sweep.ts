// Holds every swept case to the promises of a dry run, in as many processes as help, and sees that the exceptions
// are those still needed.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Case } from '../conformance/area.ts'
import type { Failure } from '../conformance/report.ts'
import { runCases } from '../conformance/run-area.ts'
import { sweptCases } from './cases.ts'

const PROCESSES = 2
const adapter = join(import.meta.dirname, 'adapter.ts')

export interface SweepReport {
  passed: number
  failures: Failure[]
  /** How many cases have a promise that Salt itself does not keep. */
  excused: number
}

export async function sweep(): Promise<SweepReport> {
  const cases = sweptCases()
  const shares = Array.from({ length: PROCESSES }, (_, share) =>
    cases.filter((_, index) => index % PROCESSES === share),
  )
  const failures = (await Promise.all(shares.map(failuresOf))).flat()
  const excused = Object.keys(JSON.parse(readFileSync(join(import.meta.dirname, 'exceptions.json'), 'utf8')))
  const names = new Set(cases.map(({ name }) => name))
  const strangers = excused.filter((name) => !names.has(name))
  return {
    passed: cases.length - failures.length,
    failures: [
      ...failures,
      ...strangers.map((name) => ({ name, problem: 'is no swept case, but in exceptions.json' })),
    ],
    excused: excused.length,
  }
}

async function failuresOf(cases: Case[]): Promise<Failure[]> {
  const problems = await runCases({ adapter, cases })
  return cases.flatMap(({ name }, index) => {
    const problem = problems[index]
    return problem === undefined ? [] : [{ name, problem }]
  })
}
