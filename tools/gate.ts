// The steps of the gate. Each says how many of its tests passed and failed; a checker counts as one test.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reasonToSkip } from '../lab/readiness.ts'
import { areaNames, pendingCases } from '../test/conformance/corpus.ts'
import { FORMULAS, runArea } from '../test/conformance/run-area.ts'
import { sweep } from '../test/dry-run/sweep.ts'
import { playQuick } from '../test/live/quick.ts'
import { apiContract } from './api-tools.ts'
import { build } from './build.ts'
import { run as checkDocs } from './check-docs.ts'
import { run as checkImports } from './check-imports.ts'
import { run as checkOptions } from './check-options.ts'
import { run as checkSizes } from './check-sizes.ts'
import { runCommand } from './command.ts'
import { otherNodes } from './other-nodes.ts'
import { run as checkTestedFunctions } from './tested-functions.ts'

export interface StepResult {
  passed: number
  failed: number
  /** A few words for the step's own line. */
  note?: string
  /** Shown when something failed. */
  details?: string
}

export interface Step {
  name: string
  run(root: string): Promise<StepResult>
}

const fromProblems = (problems: string[], note?: string): StepResult => ({
  passed: problems.length === 0 ? 1 : 0,
  failed: problems.length === 0 ? 0 : 1,
  details: problems.join('\n'),
  ...(note === undefined ? {} : { note }),
})

function tool(name: string, command: string, args: string[]): Step {
  return {
    name,
    async run(root) {
      const { code, output } = await runCommand(root, join(root, 'node_modules', '.bin', command), args)
      return fromProblems(code === 0 ? [] : [output])
    },
  }
}

interface VitestReport {
  numFailedTests: number
  numPassedTests: number
  numPendingTests: number
}

/** Return the part of Vitest's output about failures; the lines before it name every passed test. */
function failures(output: string): string {
  const at = output.search(/^.*(Failed Suites|Failed Tests|Unhandled Errors)/m)
  return at < 0 ? output : output.slice(at)
}

async function vitest(root: string, config: string): Promise<StepResult> {
  const scratch = mkdtempSync(join(tmpdir(), 'brine-gate-'))
  try {
    const file = join(scratch, 'vitest.json')
    const args = ['run', '--config', config, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    const { code, output } = await runCommand(root, join(root, 'node_modules', '.bin', 'vitest'), args)
    const report: VitestReport = JSON.parse(readFileSync(file, 'utf8'))
    const failed = report.numFailedTests
    return {
      passed: report.numPassedTests,
      // a file that does not load, or an error outside any test, fails the run without failing a test
      failed: code !== 0 && failed === 0 ? 1 : failed,
      details: failures(output),
      ...(report.numPendingTests > 0 ? { note: `${report.numPendingTests} skipped` } : {}),
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Whole hosts; a machine that cannot boot any says why and fails nothing. */
async function labTests(root: string): Promise<StepResult> {
  const reason = await reasonToSkip()
  if (reason !== undefined) return { passed: 0, failed: 0, note: `skipped: ${reason}` }
  return vitest(root, 'lab/vitest.config.ts')
}

/** The common reason of all cases, or the feature that most of them lack. */
function reasonFor(skipped: ReadonlyMap<string, string>): string {
  const reasons = new Set(skipped.values())
  return reasons.size === 1 ? [...reasons][0]! : 'only root can run them'
}

/** Areas whose cases start programs. The gate plays a sample of them, `npm run -s conformance -- <area>` plays all. */
const SAMPLED: Readonly<Record<string, number>> = { gitfs: 3, ssh: 2 }

async function conformance(area: string): Promise<StepResult> {
  const trees = process.env['FORMULA_TREES']
  if (area === FORMULAS && !trees) {
    return { passed: 0, failed: 0, details: '', note: 'skipped: FORMULA_TREES names no checkouts' }
  }
  const { passed, failures, known, skipped } = await runArea(area, { trees, every: SAMPLED[area] })
  const pending = pendingCases(area)
  const open = failures.filter(({ name }) => !pending.has(name)).map(({ name }) => `FAIL ${name}`)
  const failing = new Set(failures.map(({ name }) => name))
  const stale = [...pending.keys()]
    .filter((name) => !failing.has(name))
    .map((name) => `${name} passes: take it off the pending list`)
  const notes = [
    SAMPLED[area] ? `one of ${SAMPLED[area]} cases` : '',
    known.size > 0 ? `${known.size} known differences` : '',
    pending.size > 0 ? `${pending.size} pending` : '',
    skipped.size > 0 ? `${skipped.size} skipped: ${reasonFor(skipped)}` : '',
  ]
  return {
    passed,
    failed: open.length + stale.length,
    details: [...open, ...stale].join('\n'),
    ...(notes.some(Boolean) ? { note: notes.filter(Boolean).join(', ') } : {}),
  }
}

async function dryRun(): Promise<StepResult> {
  const { passed, failures, excused } = await sweep()
  const details = failures.map(({ name, problem }) => `FAIL ${name}\n${problem}`).join('\n')
  return { passed, failed: failures.length, details, note: `${excused} as Salt breaks its own forecast` }
}

/** Each fault once and a few seconds of fuzzing; both run longer by hand. */
function byChance(name: string, program: string, args: string[]): Step {
  return {
    name,
    async run(root) {
      const { output } = await runCommand(root, process.execPath, ['--import', 'tsx', join('test', program), ...args])
      const count = (mark: RegExp): number => output.match(mark)?.length ?? 0
      const [passed, failed] = [count(/^ok /gm), count(/^FAIL /gm)]
      return { passed, failed: passed === 0 && failed === 0 ? 1 : failed, details: output }
    },
  }
}

/** A minute of the drill of a cluster, in which no time is judged; it runs longer by hand. */
async function clusterDrill(root: string): Promise<StepResult> {
  const args = ['--minutes', '1', '--minions', '20', '--answer-within', '0']
  const program = join('test', 'cluster', 'drill.ts')
  const { code, output } = await runCommand(root, process.execPath, ['--import', 'tsx', program, ...args])
  const skipped = /^skipped: .*/m.exec(output)
  if (skipped) return { passed: 0, failed: 0, note: skipped[0] }
  const faults = output.match(/all minions answered in/g)?.length ?? 0
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, details: output, note: `${faults} faults` }
}

async function scenarios(): Promise<StepResult> {
  const verdicts = await playQuick()
  const failed = verdicts.filter(({ problem }) => problem !== undefined)
  const skipped = verdicts.filter((verdict) => verdict.skipped !== undefined).length
  return {
    passed: verdicts.length - failed.length - skipped,
    failed: failed.length,
    details: failed.map(({ name, problem }) => `FAIL ${name}\n${problem}`).join('\n'),
    ...(skipped > 0 ? { note: `${skipped} skipped` } : {}),
  }
}

/** All steps in the order they run. */
export function steps(): Step[] {
  return [
    tool('format and lint', 'biome', ['check', '--error-on-warnings', '--no-errors-on-unmatched', '.']),
    tool('types', 'tsc', ['-p', '.']),
    tool('types of the console', 'tsc', ['-p', 'src/console']),
    { name: 'imports', run: async (root) => fromProblems(checkImports(root)) },
    { name: 'options', run: async (root) => fromProblems(checkOptions(root)) },
    {
      name: 'sizes',
      async run(root) {
        const { problems, summary } = checkSizes(root)
        return fromProblems(problems, summary)
      },
    },
    {
      name: 'tested functions',
      async run(root) {
        const { problems, summary } = await checkTestedFunctions(root)
        return fromProblems(problems, summary)
      },
    },
    { name: 'docs', run: async (root) => fromProblems(checkDocs(root)) },
    tool('unused code', 'knip', ['--no-progress']),
    {
      name: 'build',
      async run(root) {
        await build(root)
        return fromProblems([])
      },
    },
    { name: 'unit tests', run: (root) => vitest(root, 'vitest.config.ts') },
    { name: 'API contract', run: apiContract },
    { name: 'other versions of Node', run: otherNodes },
    { name: 'dry run', run: dryRun },
    ...areaNames().map((area) => ({ name: `conformance ${area}`, run: () => conformance(area) })),
    byChance('faults', 'faults/run.ts', ['--seed', '1', '--minions', '40']),
    { name: 'cluster drill', run: clusterDrill },
    byChance('fuzzing', 'fuzz/run.ts', ['--seconds', '5', '--seed', '1']),
    { name: 'scenarios', run: scenarios },
    { name: 'lab', run: labTests },
  ]
}
