// Repositories of definitions for Windows minions: tests of the checkout, and that a hostile repository reaches nothing
// else.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Log } from '../base/mod.ts'
import { type Dict, fromPlain, type Plain, toPlain } from '../data/mod.ts'
import { clearWinrepoLocks, updateWinrepos } from './winrepo.ts'

let dir = ''
let logged: string[] = []
const log: Log = (level, text) => void logged.push(`[${level}] ${text}`)

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'brine-winrepo-'))
  logged = []
  mkdirSync(join(dir, 'one'))
  git('init', '--quiet', '-b', 'master')
  commit('firefox.sls', 'firefox: 1')
})
afterEach(() => rmSync(dir, { recursive: true }))

const git = (...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
    cwd: join(dir, 'one'),
    encoding: 'utf8',
  })

function commit(path: string, text: string): void {
  rmSync(join(dir, 'one', path), { recursive: true, force: true })
  if (text.startsWith('-> ')) symlinkSync(text.slice(3), join(dir, 'one', path))
  else writeFileSync(join(dir, 'one', path), text)
  git('add', '--all')
  git('commit', '--quiet', '--message', 'change')
}

const options = (more: Record<string, Plain> = {}): Dict =>
  fromPlain({
    cachedir: join(dir, 'cache'),
    winrepo_dir: join(dir, 'win'),
    winrepo_dir_ng: join(dir, 'ng'),
    winrepo_remotes: [],
    winrepo_remotes_ng: [`file://${dir}/one`],
    ...more,
  }) as Dict

const update = async (more: Record<string, Plain> = {}, isClean = false): Promise<Plain> =>
  toPlain(await updateWinrepos(options(more), log, isClean)) as Plain

test('A repository is checked out as it is, and follows what is committed', async () => {
  expect(await update()).toEqual({ [`file://${dir}/one`]: join(dir, 'ng/one/_') })
  expect(readdirSync(join(dir, 'ng/one/_'))).toEqual(['firefox.sls'])
  git('mv', 'firefox.sls', 'ff.sls')
  commit('vim.sls', 'vim: 1')
  await update()
  expect(readdirSync(join(dir, 'ng/one')).concat(readdirSync(join(dir, 'ng/one/_')))).toEqual([
    '_',
    'ff.sls',
    'vim.sls',
  ])
  expect(readFileSync(join(dir, 'ng/remote_map.txt'), 'utf8')).toContain(`\none = file://${dir}/one\n`)
})

test('A repository that cannot be had keeps its files, and other folders go when asked for', async () => {
  await update()
  mkdirSync(join(dir, 'ng/old/_'), { recursive: true })
  mkdirSync(join(dir, 'win'))
  execFileSync('mv', [join(dir, 'one'), join(dir, 'away')])
  expect(await update({}, true)).toEqual({ [`file://${dir}/one`]: join(dir, 'ng/one/_') })
  expect(logged.join('\n')).toContain(`Error occurred fetching winrepo remote 'file://${dir}/one'`)
  expect(existsSync(join(dir, 'ng/old'))).toBe(false)
})

test('A link that leads out of the repository is left out', async () => {
  commit('out', '-> ../../../../secret')
  commit('abs', `-> ${dir}/secret`)
  commit('in.sls', '-> firefox.sls')
  await update()
  expect(readdirSync(join(dir, 'ng/one/_'))).toEqual(['firefox.sls', 'in.sls'])
  expect(logged.filter((line) => line.includes('leads nowhere'))).toHaveLength(2)
})

test('A missing branch and invalid options are reported', async () => {
  expect(await update({ winrepo_remotes_ng: [`nope file://${dir}/one`] })).toEqual({})
  expect(logged.at(-1)).toContain(`Failed to checkout nope from winrepo remote 'nope file://${dir}/one'`)
  expect(await update({ winrepo_remotes_ng: [{ [`file://${dir}/one`]: [{ root: 'x' }] }] })).toBe(
    'Failed to update winrepo_remotes: Failed to load winrepo',
  )
})

test('A lock that a user set blocks the update until it is removed', async () => {
  await update()
  const lock = join(dir, 'ng/work/one/_/update.lk')
  writeFileSync(lock, `${process.pid}\nmachine\n`)
  commit('vim.sls', 'vim: 1')
  await update()
  expect(readdirSync(join(dir, 'ng/one/_'))).toEqual(['firefox.sls'])
  expect(clearWinrepoLocks(options(), log, ['update'], null)).toHaveLength(1)
  await update()
  expect(readdirSync(join(dir, 'ng/one/_'))).toEqual(['firefox.sls', 'vim.sls'])
})
