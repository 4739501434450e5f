// Paths of a minion that take long to resolve.
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Besieged, dict } from './besieged.ts'

const UP = '../'.repeat(350_000)

describe('a minion that sends a path of a megabyte', () => {
  let site: Besieged
  beforeAll(async () => {
    site = await Besieged.start({ file_recv: true })
  })
  afterAll(() => site.stop())

  it.each(['_serve_file', '_file_hash', '_file_hash_and_stat', '_file_find'])('holds up nobody by %s', async (cmd) => {
    const minion = await site.minion('evil')
    for (const path of [UP, `salt://${UP}`, `${UP}?saltenv=base`, `|${UP}`])
      await minion.send(dict({ cmd, id: 'evil', path, saltenv: 'base', loc: 0 }))
    expect(await site.clear({ cmd: 'ping' })).toBeTruthy()
  })

  it('holds up nobody by a pushed file', async () => {
    const minion = await site.minion('evil')
    const load = { cmd: '_file_recv', id: 'evil', path: ['a', UP], data: 'x', loc: 0, size: 1 }
    expect(await minion.send(dict(load))).toBe(false)
    expect(await minion.send(dict({ ...load, path: ['a', 'b'] }))).toBe(true)
    expect(existsSync(`${site.cachedir}/minions/evil/files/a/b`)).toBe(true)
  })
})
