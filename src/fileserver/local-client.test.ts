import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { dictFrom, type Value } from '../data/mod.ts'
import { MemoryHost } from '../host/mod.ts'
import { LocalFileClient } from './local-client.ts'

async function machine(more: Record<string, Value> = {}) {
  const host = await MemoryHost.with({
    files: {
      '/srv/a/x': 'first',
      '/srv/b/x': 'second',
      '/srv/b/d/y.sls': 'y',
      '/srv/b/d/.git/config': '',
      '/srv/b/empty/': '',
      '/srv/b/link': { link: 'd/y.sls' },
      '/srv/b/out': { link: '/etc/secret' },
      '/srv/dev-env/z': 'z',
      '/etc/secret': 's',
    },
  })
  const roots = dictFrom({ base: ['/srv/a', '/srv/b'], __env__: ['/srv/__env__-env'] })
  const opts = dictFrom({ file_roots: roots, cachedir: '/cache', file_ignore_glob: ['*/.git/*', '*/.git'], ...more })
  return { host, client: new LocalFileClient(opts, host) }
}

describe('the file client of a minion without master', () => {
  test('lists the files of its roots, without ignored ones', async () => {
    const { client } = await machine()
    expect(await client.envs()).toEqual(['__env__', 'base'])
    expect(await client.files('base')).toEqual(['d/y.sls', 'link', 'out', 'x'])
    expect(await client.files('base', '/d/')).toEqual(['d/y.sls'])
    expect(await client.directories('base')).toEqual(['d', 'empty'])
    expect(await client.emptyDirectories('base')).toEqual(['empty'])
    expect([...(await client.symlinks('base'))]).toEqual([['link', 'd/y.sls']])
    expect(await client.files('dev')).toEqual(['z'])
  })

  test('takes the first root that has a file, and caches it', async () => {
    const { host, client } = await machine()
    expect(await client.fetch('salt://x', { saltenv: 'base' })).toBe('/cache/files/base/x')
    expect(Buffer.from(await host.read('/cache/files/base/x')).toString()).toBe('first')
    expect(await client.cached('salt://x', 'base')).toBe('/cache/files/base/x')
    expect(await client.cached('salt://d/y.sls', 'base')).toBe('')
    expect(await client.fetch('salt://z?saltenv=dev', { saltenv: 'base' })).toBe('/cache/files/dev/z')
  })

  test('takes files from other backends that the options name', async () => {
    const { host, client } = await machine({ fileserver_backend: ['minionfs', 'roots'], file_recv: true })
    await host.makeDirectory('/cache/minions/web1/files/etc', { parents: true })
    await host.write('/cache/minions/web1/files/etc/motd', Buffer.from('hello'))
    expect(await client.files('base', 'web1')).toEqual(['web1/etc/motd'])
    expect(await client.fetch('salt://web1/etc/motd', { saltenv: 'base' })).toBe('/cache/files/base/web1/etc/motd')
    expect(await client.fetch('salt://x', { saltenv: 'base' })).toBe('/cache/files/base/x')
  })

  test('fetches changed files again', async () => {
    const { host, client } = await machine()
    await client.fetch('salt://x', { saltenv: 'base' })
    await host.write('/srv/a/x', 'third')
    await client.fetch('salt://x', { saltenv: 'base' })
    expect(Buffer.from(await host.read('/cache/files/base/x')).toString()).toBe('third')
  })

  test('puts a file at its destination, if the directory exists or may be created', async () => {
    const { client } = await machine()
    expect(await client.fetch('salt://x', { saltenv: 'base', dest: '/etc/' })).toBe('/etc/x')
    expect(await client.fetch('salt://x', { saltenv: 'base', dest: '/new/x' })).toBe(false)
    expect(await client.fetch('salt://x', { saltenv: 'base', dest: '/new/x', makedirs: true })).toBe('/new/x')
  })

  test('serves nothing from outside of its roots', async () => {
    const { client } = await machine({ fileserver_followsymlinks: false })
    for (const url of ['salt://../../etc/secret', 'salt://none', 'salt://out', 'salt://d']) {
      expect(await client.fetch(url, { saltenv: 'base' })).toBe(false)
      expect(await client.hash(url, 'base')).toBeUndefined()
    }
  })

  test('knows where sources from elsewhere are kept', async () => {
    const { client } = await machine()
    expect(client.cachePath('https://u:p@host:8080/a/b?c=d', 'base')).toBe('/cache/extrn_files/base/host8080/a/b-c=d')
    expect(client.cachePath('/local', 'base')).toBe('/local')
  })

  test('uses local files in place', async () => {
    const { client } = await machine()
    expect(await client.fetchUrl('file:///etc/secret', { saltenv: 'base' })).toBe('/etc/secret')
    await expect(client.fetchUrl('secret', { saltenv: 'base' })).rejects.toThrow("Path 'secret' is not absolute")
  })
})

test('no environment leads a copy out of the cache', async () => {
  const { host, client } = await machine()
  const web = createServer((_request, answer) => void answer.end('evil'))
  await once(web.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/../authorized_keys`
  try {
    const copy = await client.fetchUrl(url, { saltenv: '../../root/.ssh' })
    expect(copy).toBe('/cache/extrn_files/root/.ssh/authorized_keys')
    expect(await host.stat('/root')).toBeUndefined()
  } finally {
    web.close()
  }
  expect(client.cachePath('salt://x', '../../root')).toBe('/cache/files/root/x')
  expect(client.cachePath('salt://../../../root/x', 'base')).toBe('/cache/files/root/x')
})
