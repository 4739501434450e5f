// Definitions for Windows minions: the gathered data, and the checkouts of repositories.
import { expect, test } from 'vitest'
import { silentLog } from '../../../base/mod.ts'
import { type Dict, decodeMsgpack, fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import type { MasterContext } from '../../../sdk/mod.ts'
import winrepo from './runner.ts'

const OPTS = {
  winrepo_dir: '/srv/repo',
  winrepo_dir_ng: '/srv/ng',
  winrepo_cachefile: 'winrepo.p',
}

async function master(files: Record<string, string>) {
  const told: unknown[] = []
  const host = await MemoryHost.with({ files })
  const ctx = {
    opts: fromPlain(OPTS) as Dict,
    host,
    log: silentLog,
    render: async ({ text }: { text: string }) => fromPlain(JSON.parse(text)),
    progress: async (data: Dict) => void told.push(toPlain(data)),
    updateWinrepos: async (opts: Dict, isClean: boolean) => void told.push([opts.get('winrepo_dir'), isClean]),
  }
  const run = (fun: string, args: Record<string, Value>): Promise<Value> =>
    winrepo.functions[fun]!.run(ctx as unknown as MasterContext, args) as Promise<Value>
  return { host, told, run }
}

test('definitions are gathered with versions as texts, and invalid ones are reported', async () => {
  const files = {
    '/srv/repo/a.sls': '{"vim": {"9": {"full_name": "Vim 9"}}}',
    '/srv/repo/sub/b.sls': '{"x": {"latest": 5}}',
    '/srv/repo/broken.sls': '{',
    '/srv/repo/readme': 'no',
  }
  const { host, told, run } = await master(files)
  const all = await run('genrepo', { opts: null, fire_event: true })
  expect(toPlain(all)).toEqual({
    repo: { vim: { '9': { full_name: 'Vim 9' } }, x: { latest: 5 } },
    name_map: { 'Vim 9': 'vim' },
  })
  expect(told).toEqual([{ error: 'Failed to compile /srv/repo/sub/b.sls.' }])
  expect(decodeMsgpack(await host.read('/srv/repo/winrepo.p'), { dialect: 'bus' })).toEqual(all)
})

test('repositories are fetched by the options of the master, or by the given ones', async () => {
  const { told, run } = await master({})
  const other = fromPlain({ winrepo_dir: '/other' }) as Dict
  await run('update_git_repos', { opts: null, clean: true, masterless: false })
  await run('update_git_repos', { opts: other, clean: false, masterless: false })
  expect(told).toEqual([
    ['/srv/repo', true],
    ['/other', false],
  ])
})
