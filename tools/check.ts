// `npm run check [-- <step> …]`: the gate. One line per step, the whole output of those that fail, and at the very
// end `N passed, N failed` over everything that ran.
import { join } from 'node:path'
import { toError } from '../src/base/mod.ts'
import { type Step, type StepResult, steps } from './gate.ts'

async function runStep(step: Step, root: string): Promise<StepResult> {
  const started = performance.now()
  let result: StepResult
  try {
    result = await step.run(root)
  } catch (thrown) {
    const error = toError(thrown)
    result = { passed: 0, failed: 1, details: error.stack ?? error.message }
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const mark = result.failed === 0 ? 'ok  ' : 'FAIL'
  const counts = `${result.passed} passed, ${result.failed} failed`
  const note = result.note === undefined ? '' : `; ${result.note}`
  process.stdout.write(`${mark} ${step.name} (${seconds} s): ${counts}${note}\n`)
  if (result.failed > 0 && result.details) process.stdout.write(`${result.details.replace(/^/gm, '     ')}\n`)
  return result
}

async function main(wanted: string[]): Promise<number> {
  const root = join(import.meta.dirname, '..')
  const all = steps()
  const unknown = wanted.filter((name) => !all.some((step) => step.name.includes(name)))
  if (unknown.length > 0) {
    const names = all.map((step) => step.name).join(', ')
    process.stderr.write(`No step named ${unknown.join(', ')}; there are: ${names}\n`)
    return 2
  }
  const chosen = wanted.length === 0 ? all : all.filter((step) => wanted.some((name) => step.name.includes(name)))
  let passed = 0
  let failed = 0
  for (const step of chosen) {
    const result = await runStep(step, root)
    passed += result.passed
    failed += result.failed
  }
  process.stdout.write(`${passed} passed, ${failed} failed\n`)
  return failed === 0 ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
