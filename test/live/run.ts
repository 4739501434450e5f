// `npm run -s live [-- --cases DIR] [--filter TEXT] [--verbose] [--salt]`: plays recorded scenarios against our own daemons:
// those of the conformance cases, and neighbours of them that `record.ts` recorded.
// With `--salt` it plays them against real Salt, from the checkout that SALT_TREE names.
// Prints each step that came out otherwise, then `N passed, N failed`.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { play } from './play.ts'
import { realSalt } from './programs.ts'
import { readScenarios } from './scenario.ts'

const { values } = parseArgs({
  options: {
    cases: { type: 'string' },
    filter: { type: 'string' },
    verbose: { type: 'boolean' },
    salt: { type: 'boolean' },
  },
})
const own = ['../conformance/cases/live', 'neighbours'].map((folder) => join(import.meta.dirname, folder))
const folders = values.cases === undefined ? own : [values.cases]
let [passed, failed, skipped] = [0, 0, 0]
for (const scenario of folders.flatMap((folder) => readScenarios(folder, values.filter))) {
  for (const { name, problem, skipped: reason } of await play(scenario, values.salt ? realSalt() : undefined)) {
    if (problem !== undefined) {
      failed++
      process.stdout.write(values.verbose ? `FAIL ${name}\n${problem.replace(/^/gm, '  ')}\n` : `FAIL ${name}\n`)
    } else if (reason !== undefined) {
      skipped++
      if (values.verbose) process.stdout.write(`skipped ${name}: ${reason}\n`)
    } else passed++
  }
}
if (skipped > 0) process.stdout.write(`${skipped} steps were skipped\n`)
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
