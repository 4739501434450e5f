import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { masterConfig } from '../config/mod.ts'
import { reportPlugins } from './plugin-names.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-plugins-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function reported(text: string): Promise<string[]> {
  const path = join(folder, 'master')
  writeFileSync(path, `root_dir: ${folder}\nid: a\n${text}`)
  const lines: string[] = []
  reportPlugins(await masterConfig({ path, env: {} }), (level, line) => lines.push(`${level}: ${line}`))
  return lines.map((line) => line.replaceAll(folder, ''))
}

test('Existing plug-ins are not reported', async () => {
  const text =
    'external_auth: {pam: {a: [.*]}}\nevent_return: [redis]\next_pillar: [{cmd_yaml: x}]\nmaster_tops: {ext_nodes: x}\n'
  expect(await reported(text)).toEqual([])
})

test.each([
  ['external_auth: {pan: {a: [.*]}}', 'external_auth', 'pan', /Did you mean 'pam'/],
  ['event_return: redsi', 'event_return', 'redsi', /Did you mean 'redis'/],
  ['ext_job_cache: nothing_like_it', 'ext_job_cache', 'nothing_like_it', /There are local_cache, /],
  ['master_job_cache: nothing_like_it', 'master_job_cache', 'nothing_like_it', /There are local_cache, /],
  ['ext_pillar: [{git: [x]}, {nothing_like_it: {url: x}}]', 'ext_pillar', 'nothing_like_it', /There are cmd_json, /],
  ['eauth_tokens: nothing_like_it', 'eauth_tokens', 'nothing_like_it', /There are localfs/],
  ['fileserver_backend: [roots, git, gitf]', 'fileserver_backend', 'gitf', /Did you mean 'git' or 'gitfs'/],
  ['master_tops: {nothing_like_it: {}}', 'master_tops', 'nothing_like_it', /There are .*ext_nodes/],
])('%s is reported with its place', async (text, name, plugin, hint) => {
  const lines = await reported(`${text}\n`)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain(`error: Option '${name}' in /master, line 3 names '${plugin}', which is not here.`)
  expect(lines[0]).toMatch(hint)
})

test('Modules of a user may bear any name, so with them nothing is reported', async () => {
  mkdirSync(join(folder, 'own', 'auth'), { recursive: true })
  writeFileSync(join(folder, 'own', 'auth', 'mine.py'), '')
  expect(await reported(`module_dirs: [${folder}/own]\nexternal_auth: {other: {a: [.*]}}\n`)).toEqual([])
})
