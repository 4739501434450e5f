import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HIDDEN, repr } from '../data/mod.ts'
import { effectiveOptions } from './effective.ts'
import { masterConfig } from './master.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-effective-'))
})
afterEach(() => {
  delete process.env['BRINE_EFFECTIVE']
  rmSync(folder, { recursive: true, force: true })
})

async function options(...lines: string[]) {
  const path = join(folder, 'master')
  writeFileSync(path, [`root_dir: ${folder}`, 'id: a', ...lines, ''].join('\n'))
  const opts = await masterConfig({ fetchSdb: async () => 'fetched', path, env: {} })
  const all = new Map(effectiveOptions(opts, 'master').map((option) => [option.name, option]))
  return (name: string) => all.get(name)!
}

test('An option has its place, its default and its meaning', async () => {
  const of = await options('timeout: 11', 'own_thing: 1')
  expect(of('timeout')).toMatchObject({
    value: 11,
    default: 5,
    origin: `${folder}/master:3`,
    hasEffect: true,
    note: null,
  })
  expect(of('ret_port')).toMatchObject({ value: 4506, default: 4506, origin: null })
  expect(of('own_thing')).toMatchObject({ value: 1, default: null, doc: '', note: null })
})

test('An option without effect gives the reason, and a misspelt one the similar name', async () => {
  const of = await options('logstash_udp_handler: {a: 1}', 'client_acl: {ann: [test.*]}', 'worker_treads: 3')
  expect(of('logstash_udp_handler')).toMatchObject({ hasEffect: false, note: expect.stringContaining('log handlers') })
  expect(of('client_acl').note).toBe('An old name of publisher_acl')
  expect(of('worker_treads').note).toBe('Unknown option; did you mean worker_threads?')
})

test('Secrets are hidden: by name, in URLs, and values that were fetched', async () => {
  const of = await options(
    'sharedsecret: word',
    'slack.api_key: word',
    'bank: {driver: env}',
    'place: [sdb://bank/x]',
    'ext_pillar: [{git: "https://me:word@example.com/x"}, {http: {password: word}}]',
    'git_pillar_base: "https://me:a@word@example.com/x"',
    'gitfs_remotes: [{"https://me:word@example.com/y": [{base: main}]}]',
    'mattermost.hook: word',
    'engines: [{web: {headers: {Authorization: Bearer word, Accept: text/plain}}}]',
    'external_auth: {sharedsecret: {ann: [test.*], token%: [".*"]}}',
    'token_expire: 10',
    'token_dir: /tokens',
  )
  for (const name of ['sharedsecret', 'slack.api_key', 'mattermost.hook', 'place']) {
    expect(of(name)).toMatchObject({ value: HIDDEN, isSecret: true })
  }
  const shown = JSON.stringify([of('ext_pillar').value].flat().map((entry) => [...(entry as Map<string, unknown>)]))
  expect(shown).toContain(`https://${HIDDEN}@example.com`)
  expect([shown.includes('word@'), of('ext_pillar').isSecret]).toEqual([false, true])
  expect(of('git_pillar_base')).toMatchObject({ value: `https://${HIDDEN}@example.com/x`, isSecret: true })
  expect(repr(of('gitfs_remotes').value)).toBe(`[{'https://${HIDDEN}@example.com/y': [{'base': 'main'}]}]`)
  expect(of('gitfs_remotes').isSecret).toBe(true)
  expect(repr(of('engines').value)).toBe(
    `[{'web': {'headers': {'Authorization': '${HIDDEN}', 'Accept': 'text/plain'}}}]`,
  )
  const lists = (of('external_auth').value as Map<string, Map<string, unknown>>).get('sharedsecret')!
  expect([...lists]).toEqual([
    ['ann', ['test.*']],
    ['token%', ['.*']],
  ])
  expect([of('token_expire').value, of('token_dir').isSecret]).toEqual([10, false])
  // a secret that is not set hides nothing
  expect(of('git_pillar_password')).toMatchObject({ value: '', isSecret: false })
})
