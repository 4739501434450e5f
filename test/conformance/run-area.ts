// Runs one area: cases in a child process under a time limit, then the known differences taken into account.
import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PATIENCE_SECONDS } from '../until.ts'
import type { Case } from './area.ts'
import { runGitCases } from './areas/gitfs.ts'
import { runScenarios } from './areas/ssh.ts'
import { adapterPath, areaNames, caseDirectory, caseFiles, knownDifferences, readCases, rootCases } from './corpus.ts'
import { formulaCases } from './formulas/goldens.ts'
import { type AreaReport, RequestError, type RunOptions } from './report.ts'
import { wireCases } from './wire/vectors.ts'
import type { Ready, Verdict, WorkerInput } from './worker.ts'

/** The area whose cases are goldens of public formulas. */
export const FORMULAS = 'formulas'

/** The area whose cases are vectors in files of their own shapes. */
const WIRE = 'wire'

/** The areas whose cases are steps that follow one another in a world of their own. */
const PLAYERS: Readonly<Record<string, (options: RunOptions) => Promise<AreaReport>>> = {
  gitfs: runGitCases,
  ssh: runScenarios,
}

/** Ends a case that hangs; a busy machine may take its time. */
const CASE_LIMIT_MS = PATIENCE_SECONDS * 1000
/** The share of an area's own cases that may be declared known differences. */
const KNOWN_SHARE = 0.005

export async function runArea(area: string, options: RunOptions = {}): Promise<AreaReport> {
  const areas = areaNames()
  if (!areas.includes(area)) throw new RequestError(`No area '${area}'; there are: ${areas.join(', ')}`)
  const player = PLAYERS[area]
  if (player) return player(options)
  const all = casesOf(area, options)
  const forRoot = process.getuid?.() === 0 ? new Map<string, string>() : rootCases(area)
  const cases = all.filter(({ name }) => !forRoot.has(name))
  const problems = await runCases({ adapter: adapterPath(area), cases })
  const report = weigh(cases, problems, knownDifferences(area))
  for (const { name } of all) if (forRoot.has(name)) report.skipped.set(name, forRoot.get(name)!)
  const complete = options.cases === undefined && options.filter === undefined
  if (complete && report.known.size > cases.length * KNOWN_SHARE) {
    report.failures.push({ name: `known/${area}.json`, problem: `lists more than ${KNOWN_SHARE * 100} % of the cases` })
  }
  const names = new Set(all.map(({ name }) => name))
  for (const name of complete ? rootCases(area).keys() : []) {
    if (!names.has(name)) report.failures.push({ name: `root/${area}.json`, problem: `names no case: ${name}` })
  }
  return report
}

function casesOf(area: string, options: RunOptions): Case[] {
  if (area === FORMULAS) return formulasOf(options)
  return area === WIRE ? vectorsOf(options) : recordedCases(area, options)
}

function vectorsOf({ cases, filter }: RunOptions): Case[] {
  const given = cases ?? caseDirectory(WIRE)
  if (!existsSync(given)) throw new RequestError(`No directory ${given}`)
  return wireCases(existsSync(join(given, WIRE)) ? join(given, WIRE) : given, filter)
}

function recordedCases(area: string, { cases, filter }: RunOptions): Case[] {
  const files = caseFiles(area, cases)
  if (files.length === 0) throw new RequestError(`No .jsonl case files for '${area}' in ${cases ?? 'cases/'}`)
  return readCases(files, filter)
}

/** Formulas are not stored here: their cases need a directory of checkouts. */
function formulasOf({ cases, filter, trees }: RunOptions): Case[] {
  if (trees === undefined)
    throw new RequestError(`Area '${FORMULAS}' needs --trees DIR, with checkouts of formulas in it`)
  if (!existsSync(trees)) throw new RequestError(`No directory ${trees}`)
  process.env['FORMULA_TREES'] = resolve(trees)
  return formulaCases(cases ?? caseDirectory(FORMULAS), filter)
}

function weigh(cases: Case[], problems: Array<string | undefined>, declared: Map<string, string>): AreaReport {
  const report: AreaReport = { passed: 0, failures: [], known: new Map(), skipped: new Map() }
  for (const [index, { name }] of cases.entries()) {
    const problem = problems[index]
    const reason = declared.get(name)
    if (problem !== undefined && reason !== undefined) report.known.set(name, reason)
    else if (problem !== undefined) report.failures.push({ name, problem })
    else if (reason !== undefined)
      report.failures.push({ name, problem: 'passes, but is listed as a known difference' })
    else report.passed++
  }
  return report
}

/** The problem of each case in order, undefined for those that passed. */
export async function runCases(input: WorkerInput, limitMs = CASE_LIMIT_MS): Promise<Array<string | undefined>> {
  const problems: Array<string | undefined> = []
  while (problems.length < input.cases.length) {
    const rest = { adapter: input.adapter, cases: input.cases.slice(problems.length) }
    const stopped = await runUntilStuck(rest, limitMs, (verdict) => problems.push(verdict.problem))
    if (stopped !== undefined) problems.push(stopped)
  }
  return problems
}

/** Gives why the child stopped before its last case, or undefined when it did not. */
async function runUntilStuck(input: WorkerInput, limitMs: number, onVerdict: (verdict: Verdict) => void) {
  const child = fork(join(import.meta.dirname, 'worker.ts'), [input.adapter], {
    cwd: join(import.meta.dirname, '../..'),
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  })
  let complaint = ''
  child.stderr?.on('data', (text: Buffer) => {
    complaint += text
  })
  let left = input.cases.length
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      // until the child has announced itself, its end is no case's fault
      let stop: (why: string) => void = (why) => reject(new Error(`The adapter ${input.adapter} ${why}`))
      child.on('message', (message: Verdict | Ready) => {
        clearTimeout(timer)
        if (message === 'ready') {
          stop = resolve
          child.send(input.cases)
        } else {
          onVerdict(message)
          left--
        }
        if (left === 0) resolve(undefined)
        else timer = setTimeout(() => stop(`gave no answer within ${limitMs / 1000} s`), limitMs)
      })
      child.on('error', (error) => stop(`could not be run: ${error.message}`))
      child.on('close', (code, signal) => stop(`ended the runner (${signal ?? `exit code ${code}`})\n${complaint}`))
    })
  } finally {
    clearTimeout(timer)
    child.removeAllListeners('close')
    child.kill('SIGKILL')
  }
}
