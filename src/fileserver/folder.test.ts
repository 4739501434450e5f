import { expect, test } from 'vitest'
import { dictFrom, type Value } from '../data/mod.ts'
import { MemoryHost } from '../host/mod.ts'
import { FileServer } from './file-server.ts'

async function server(more: Record<string, Value> = {}): Promise<FileServer> {
  const host = await MemoryHost.with({
    files: {
      '/srv/a/x': 'first',
      '/srv/a/d/one': '1',
      '/srv/b/x': 'the second one',
      '/srv/b/d/two': '22',
      '/srv/b/d/.git/config': '',
      '/srv/b/inner': { link: 'd' },
      '/srv/b/outer': { link: '/etc/private' },
      '/etc/private/key': 'secret',
      '/cache/minions/web1/files/var/log/app.log': 'pushed',
    },
  })
  const roots = dictFrom({ base: ['/srv/a', '/srv/b'] })
  const opts = { file_roots: roots, cachedir: '/cache', file_ignore_glob: ['*/.git/*', '*/.git'] }
  return new FileServer(dictFrom({ ...opts, fileserver_backend: ['roots'], ...more }), host)
}

const named = async (files: FileServer, path: string): Promise<string[] | undefined> =>
  (await files.folder(path, 'base'))?.map(({ path, kind, size }) => `${path} ${kind} ${size}`)

test('A folder has the entries of all roots; the first root that has a name counts', async () => {
  const files = await server()
  expect(await named(files, '')).toEqual(['d folder null', 'inner folder null', 'outer folder null', 'x file 5'])
  expect(await named(files, 'd/')).toEqual(['d/one file 1', 'd/two file 2'])
  expect(await named(files, 'x')).toBeUndefined()
  for (const path of ['..', '../..', '/etc', 'd/../../..', 'a\0b']) expect(await named(files, path)).toBeUndefined()
  expect(await files.folder('', 'dev')).toBeUndefined()
})

test('A link leads out of a root only where the file server follows links', async () => {
  expect(await named(await server(), 'outer')).toEqual(['outer/key file 6'])
  const strict = await server({ fileserver_followsymlinks: false })
  expect(await named(strict, 'outer')).toBeUndefined()
  expect(await named(strict, 'inner')).toEqual(['inner/two file 2'])
  const blind = await server({ fileserver_ignoresymlinks: true })
  expect(await named(blind, '')).toEqual(['d folder null', 'x file 5'])
})

test('Files that minions pushed lie in folders by minion', async () => {
  const files = await server({ fileserver_backend: ['roots', 'minionfs'], file_recv: true })
  expect(await named(files, '')).toContain('web1 folder null')
  expect(await named(files, 'web1/var/log')).toEqual(['web1/var/log/app.log file 6'])
  for (const path of ['web1/../..', 'web2', 'web1/var/log/app.log']) expect(await named(files, path)).toBeUndefined()
})
