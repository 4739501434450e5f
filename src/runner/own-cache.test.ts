import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CACHE_DRIVER, PackageFolder } from '../../test/extensions/packages.ts'
import { type Dict, fromPlain, type Plain, toPlain } from '../data/mod.ts'
import type { Bank } from '../store/mod.ts'
import { cacheBanks, openCache } from './data-cache.ts'

let packages: PackageFolder
let root: string

beforeEach(() => {
  packages = new PackageFolder()
  packages.use()
  root = mkdtempSync(join(tmpdir(), 'brine-own-cache-'))
})
afterEach(() => {
  packages.remove()
  rmSync(root, { recursive: true, force: true })
})

function master(name: string, more: Record<string, Plain> = {}) {
  const lines: string[] = []
  const place = { cachedir: join(root, name), 'kind.folder': join(root, 'shared') }
  const opts = fromPlain({ ...place, cache: 'kind', cache_share_interval: 0, ...more }) as Dict
  const log = (level: string, text: string): void => void lines.push(`${level}: ${text}`)
  return { ...openCache({ opts, log }), opts, log, lines }
}

const GRAINS = { os: 'Debian', ips: ['10.0.0.1'], text: 'ünï', none: null }
const shown = (bank: Bank, key: string): unknown => toPlain(bank.fetch(key) ?? 'nothing')

describe('a driver of the cache of an extension', () => {
  test('shares what masters store, and gives its keywords to every call', async () => {
    packages.install('kept', { 'cache/kind.py': CACHE_DRIVER })
    const [a, b] = [master('a'), master('b')]
    a.cache.bank('grains').store('web1', fromPlain(GRAINS))
    a.cache.bank('grains').store('web2', fromPlain({ os: 'gone' }))
    await a.settled()
    await b.follow()
    expect(shown(b.cache.bank('grains'), 'web1')).toEqual(GRAINS)
    b.cache.bank('grains').flush('web2')
    await b.settled()
    await a.follow()
    expect(a.cache.bank('grains').list()).toEqual(['web1'])
    const banks = await cacheBanks('kind', { opts: a.opts, log: a.log })
    expect(await banks!.banks()).toEqual(['grains'])
    await banks!.apply([{ bank: 'grains', key: undefined }])
    expect([...(await banks!.times('grains'))]).toEqual([])
    expect([...a.lines, ...b.lines]).toEqual([])
    await Promise.all([a.close(), b.close()])
  })

  test('of a user stands before a built-in one of its name', async () => {
    packages.write('dirs/cache/redis.py', CACHE_DRIVER.replace("'kind'", "'redis'"))
    const a = master('a', { cache: 'redis', module_dirs: [join(packages.root, 'dirs')] })
    a.cache.bank('mine').store('web1', fromPlain({ x: 1 }))
    await a.settled()
    const banks = await cacheBanks('redis', a)
    expect(toPlain((await banks!.fetch('mine', ['web1', 'web2'])).get('web1')!)).toEqual({ x: 1 })
    await a.close()
  })

  test.each([
    ['raises', 'raise RuntimeError("no room")', 'no room'],
    ['exits', 'import sys; sys.exit(3)', '3'],
    ['ends Python', 'import os; os._exit(3)', 'ended with status 3'],
    ['hangs', 'import time\n    while True: time.sleep(0.05)', 'took longer than 5 seconds'],
  ])('that %s leaves the local data, and is used again when it works', async (_what, text, reason) => {
    const broken = `def _fail():\n    ${text}\n`
    const guard = 'import os\n    if os.path.exists(__opts__["kind.folder"] + ".broken"): _fail()\n'
    const driver = `${broken}${CACHE_DRIVER.replace('def store(bank, key, data, root):\n', `def store(bank, key, data, root):\n    ${guard}`)}`
    packages.install('kept', { 'cache/kind.py': driver })
    packages.write('marker', '')
    const shared = join(packages.root, 'shared')
    packages.write('shared.broken', '')
    const a = master('a', { 'kind.folder': shared, ...(reason.includes('longer') && { python_call_timeout: 5 }) })
    a.cache.bank('grains').store('web1', fromPlain(GRAINS))
    await expect.poll(() => a.lines.join('\n'), { timeout: 60_000 }).toContain(reason)
    expect(shown(a.cache.bank('grains'), 'web1')).toEqual(GRAINS)
    rmSync(`${shared}.broken`)
    const banks = await cacheBanks('kind', a)
    await expect.poll(async () => (await banks!.times('grains')).size, { timeout: 60_000 }).toBe(1)
    await a.close()
  })

  test('that lacks functions, or is not there, is named', async () => {
    packages.install('kept', { 'cache/kind.py': 'def store(bank, key, data):\n    pass\n' })
    const a = master('a')
    await expect(cacheBanks('kind', a)).rejects.toThrow("'kind' of the cache has no fetch, updated, flush, list")
    const b = master('b', { cache: 'kinf' })
    expect(b.lines.join('\n')).toContain("names 'kinf', which is not here; local files serve")
    await Promise.all([a.close(), b.close()])
  })
})
