import { describe, expect, it } from 'vitest'
import { type Dict, fromPlain, type Plain, toPlain } from '../data/mod.ts'
import { MemoryHost } from '../host/mod.ts'
import { FileServer } from './file-server.ts'

describe('FileServer', () => {
  it('reports changes below the roots since the last update, also those while it did not run', async () => {
    const host = new MemoryHost()
    for (const folder of ['/srv', '/cache']) await host.makeDirectory(folder)
    const opts = fromPlain({ file_roots: { base: ['/srv'] }, cachedir: '/cache', fileserver_events: true }) as Dict
    const update = async (): Promise<Plain[]> => {
      const told: Plain[] = []
      await new FileServer(opts, host).update((tag, data) => told.push([tag, toPlain(data)]))
      return told
    }
    const event = (changed: boolean, files: object): Plain[] => [
      [
        'salt/fileserver/roots/update',
        { changed, files: { changed: [], removed: [], added: [], ...files }, backend: 'roots' } as Plain,
      ],
    ]
    await host.write('/srv/a', 'a')
    await host.setTimes('/srv/a', 1, 1)
    expect(await update()).toEqual(event(true, { added: ['/srv/a'] }))
    expect(await update()).toEqual(event(false, {}))
    await host.setTimes('/srv/a', 2, 2)
    await host.write('/srv/b', 'b')
    expect(await update()).toEqual(event(true, { changed: ['/srv/a'], added: ['/srv/b'] }))
    await host.remove('/srv/a')
    expect(await update()).toEqual(event(true, { removed: ['/srv/a'] }))
  })
})
