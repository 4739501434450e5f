import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { masterConfig } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import { fileCache, OrchestrationStore, SqliteJobs } from '../store/mod.ts'
import { ownRelease, type Release } from './release.ts'
import { checkUpgrade, noteBackup } from './upgrade-check.ts'

let root: string
let opts: Dict
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'brine-check-'))
  writeFileSync(join(root, 'master'), JSON.stringify({ root_dir: root, cachedir: '/cache', pki_dir: '/pki' }))
  opts = await masterConfig({ path: join(root, 'master') })
  mkdirSync(join(root, 'pki', 'minions'), { recursive: true })
  new SqliteJobs(join(root, 'cache', 'jobs.db')).close()
})
afterEach(() => rmSync(root, { recursive: true }))

const newer = (jobs: string, more: Partial<Release> = {}): Release => {
  const own = ownRelease()
  return { ...own, version: '0.9.0', databases: { ...own.databases, jobs }, ...more }
}

const levels = (target?: Release): Record<string, string> =>
  Object.fromEntries(
    checkUpgrade({ opts, configWarnings: [], ...(target && { target }) }).findings.map(({ subject, level }) => [
      subject,
      level,
    ]),
  )

const textOf = (subject: string, target?: Release): string =>
  checkUpgrade({ opts, configWarnings: [], ...(target && { target }) })
    .findings.filter((finding) => finding.subject === subject)
    .map(({ text }) => text)
    .join('\n')

it('A check says whether the new version can use each database, and how to return', () => {
  expect(textOf('database jobs', newer('1.0'))).toContain('stays as it is')
  expect(textOf('database jobs', newer('1.1'))).toContain('1.0 becomes 1.1; this version can use that too')
  expect(textOf('database jobs', newer('2.0'))).toContain("'brine downgrade-db' with version 0.9.0 first")
  expect(textOf('database jobs', newer('0.9'))).toContain('brine downgrade-db jobs=0.9')
  expect(levels(newer('0.9'))['database jobs']).toBe('problem')
})

it('A check names another protocol and a Node that is too old', () => {
  expect(levels(newer('1.0', { protocol: 2, node: '99.1' }))).toMatchObject({ protocol: 'problem', node: 'problem' })
  expect(levels()).toMatchObject({ version: 'warning' })
})

it('A check counts the versions of minions by their reports, whatever they contain', () => {
  const bank = fileCache(join(root, 'cache')).bank('grains')
  for (const id of ['web1', 'web2', 'liar', 'new']) writeFileSync(join(root, 'pki', 'minions', id), 'key')
  for (const id of ['web1', 'web2']) bank.store(id, new Map([['brineversion', '0.1.0']]))
  bank.store('liar', new Map([['saltversion', `3007\x1b[2J${'9'.repeat(1000)}`]]))
  const { minions } = checkUpgrade({ opts, configWarnings: [] })
  expect(minions).toMatchObject({ 'Brine 0.1.0': 2, unknown: 1 })
  const lie = Object.keys(minions).find((name) => name.startsWith('Salt'))!
  expect([lie.includes('\x1b'), lie.length < 100]).toEqual([false, true])
  expect(textOf('minions')).toContain('1 minions have no cached grains')
})

it('A check counts running jobs, orchestrations and batches, and says how old the last backup is', () => {
  expect(levels()).toMatchObject({ 'running work': 'ok', backup: 'warning' })
  const jobs = new SqliteJobs(join(root, 'cache', 'jobs.db'))
  const jid = new Date().toISOString().replace(/\D/g, '').padEnd(20, '0')
  jobs.saveJob({ jid, load: new Map([['fun', 'test.sleep']]), minions: ['web1'] })
  jobs.close()
  const runs = new OrchestrationStore(join(root, 'cache', 'orchestrations.db'))
  runs.begin(jid, new Map())
  runs.close()
  const batches = fileCache(join(root, 'cache')).bank('batch')
  batches.store('1', new Map([['pending', ['web1']]]))
  batches.store('2', new Map([['pending', []]]))
  const text = textOf('running work')
  for (const part of ['1 jobs', '1 orchestration runs', '1 batches']) expect(text).toContain(part)
  noteBackup(opts, '/backup/a.tar.gz', new Date(Date.now() - 3 * 86_400_000).toISOString())
  expect(textOf('backup')).toBe('The last one is 3.0 days old: /backup/a.tar.gz')
  noteBackup(opts, '/backup/a.tar.gz', new Date().toISOString())
  expect(levels()).toMatchObject({ backup: 'ok' })
})
