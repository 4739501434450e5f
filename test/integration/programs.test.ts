// Every built program with every option that all of them have, as processes of their own.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ABSENT_PROGRAMS } from '../../src/cli/mod.ts'
import {
  absentCases,
  brokenCases,
  difference,
  type Ended,
  inPairs,
  optionCases,
  type ProgramCase,
  runProgram,
  SALT_PROGRAMS,
  unavailableCases,
} from './program-cases.ts'

const ABSENT = Object.keys(ABSENT_PROGRAMS)

/** Passes its arguments to pip; src/cli/pip has the tests of its behaviour. */
const PIP = 'salt-pip'

const DIST = process.env['LIVE_DIST'] ?? join(import.meta.dirname, '../../dist')
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0

const folder = mkdtempSync(join(tmpdir(), 'brine-programs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Run all cases before the tests, which look at the outcomes one by one. */
function check(cases: readonly ProgramCase[], id?: number): void {
  const outcomes = new Map<ProgramCase, Ended>()
  beforeAll(async () => {
    const ended = await inPairs(cases, ({ program, words }) =>
      runProgram({ node: process.execPath, dist: DIST, home: join(folder, 'home'), id }, program, words),
    )
    for (const [index, one] of cases.entries()) outcomes.set(one, ended[index]!)
  })
  test.each(cases.map((one) => [one.program, one.what, one] as const))('%s with %s', (_program, _what, one) => {
    expect(difference(one, outcomes.get(one)!)).toBeUndefined()
  })
}

test('all programs of Salt that are built are tried', () => {
  const built = readdirSync(DIST).filter((file) => /^(salt.*|spm)\.js$/.test(file))
  expect(built.map((file) => file.replace('.js', '')).sort()).toEqual([...SALT_PROGRAMS, ...ABSENT, PIP].sort())
})

describe('a program that is not available yet', () => check(ABSENT.flatMap(unavailableCases)))

describe('a program that hands its words on', () =>
  check([{ program: PIP, words: [], what: 'no words', exit: 1, out: /^Usage: salt-pip <command>/, err: '' }]))

describe('a program without need of a configuration', () => check(optionCases(process.version)))

describe('a configuration that cannot be used', () => check(brokenCases(folder)))

/** Root can read every file, and programs of root would change this machine: another user runs them. */
function reasonToSkip(): string | undefined {
  const own = ['/etc/salt/pki', '/var/cache/salt', '/var/run/salt', '/var/log/salt'].find(existsSync)
  if (own !== undefined) return `this machine has a Salt of its own: ${own}`
  if (!isRoot) return undefined
  const words = ['-e', `require('node:fs').accessSync(${JSON.stringify(join(DIST, 'salt-master.js'))})`]
  const { status } = spawnSync(process.execPath, words, { uid: NOBODY, gid: NOBODY, cwd: '/', stdio: 'ignore' })
  return status === 0 ? undefined : 'user nobody cannot start the built programs'
}

const reason = reasonToSkip()
describe.skipIf(reason !== undefined)(`an ordinary user without a configuration${reason ? ` (${reason})` : ''}`, () => {
  chmodSync(folder, 0o755)
  const cases = absentCases(folder)
  for (const file of readdirSync(join(folder, 'closed'))) chmodSync(join(folder, 'closed', file), 0)
  check(cases, isRoot ? NOBODY : undefined)
})
