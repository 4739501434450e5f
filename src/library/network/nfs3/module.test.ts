import { describe, expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type Recorded, scripted, tryFunction } from '../../../sdk/mod.ts'
import nfs3 from './module.ts'

const FILE = `# ours
/srv/a 10.0.0.0/8(rw,sync) 192.168.1.1(ro) # the office

/srv/b /srv/c host(rw)
/srv/d everyone
`

async function call(fun: string, kwargs: Record<string, Value> = {}, recorded: Record<string, Recorded> = {}) {
  const host = await MemoryHost.with({ files: { '/etc/exports': FILE } })
  const { others } = scripted(recorded)
  const answer = toPlain(await tryFunction(nfs3, fun, { kwargs, host, others }))
  return { answer, file: Buffer.from(await host.read('/etc/exports')).toString() }
}

describe('nfs3', () => {
  const shared = [{ hosts: 'host', options: ['rw'] }]
  const plain = [{ hosts: 'everyone', options: [] }]
  const office = [
    { hosts: '10.0.0.0/8', options: ['rw', 'sync'] },
    { hosts: '192.168.1.1', options: ['ro'] },
  ]

  test('lists exports by path, without comments and empty lines', async () => {
    expect((await call('list_exports')).answer).toEqual({
      '/srv/a': office,
      '/srv/b': shared,
      '/srv/c': shared,
      '/srv/d': plain,
    })
  })

  test('adds and removes exports', async () => {
    const added = await call('add_export', { path: '/srv/c', hosts: '*.example.com', options: ['ro', 'sync'] })
    expect(added.answer).toEqual({ hosts: '*.example.com', options: ['ro', 'sync'] })
    expect(added.file).toBe(
      '/srv/a 10.0.0.0/8(rw,sync) 192.168.1.1(ro)\n/srv/b host(rw)\n/srv/c host(rw) *.example.com(ro,sync)\n/srv/d everyone()\n',
    )
    const removed = await call('del_export', { path: '/srv/a' })
    expect(removed.answer).toEqual({ '/srv/b': shared, '/srv/c': shared, '/srv/d': plain })
    expect(removed.file).toBe('/srv/b host(rw)\n/srv/c host(rw)\n/srv/d everyone()\n')
    await expect(call('del_export', { path: '/none' })).rejects.toThrow('/none')
  })

  test.each<[Record<string, Value>, string]>([
    [{ path: '/srv', hosts: 'a(rw) *', options: ['ro'] }, 'Invalid host'],
    [{ path: '/srv', hosts: 'a', options: ['ro)\n/ *(rw,no_root_squash'] }, 'Invalid option'],
    [{ path: '/srv *(rw)\n/x', hosts: 'a', options: [] }, 'Invalid path'],
    [{ path: '/srv', hosts: 5 }, 'hosts argument must be a string'],
  ])('add_export refuses %j, which would export more', async (kwargs, message) => {
    await expect(call('add_export', kwargs)).rejects.toThrow(message)
  })

  test('reload_exports reports errors of exportfs', async () => {
    expect((await call('reload_exports', {}, { 'exportfs -r': '' })).answer).toMatchObject({ result: true })
    const refused = { 'exportfs -r': { retcode: 1, stderr: 'exportfs: Failed to stat /none' } }
    expect((await call('reload_exports', {}, refused)).answer).toMatchObject({
      result: false,
      stderr: expect.stringContaining('stat'),
    })
  })
})
