import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { until } from '../../test/until.ts'
import { type Dict, fromPlain } from '../data/mod.ts'
import { fileCache, PkiKeys } from '../store/mod.ts'
import { type ResolverSettings, TargetResolver } from './target-resolver.ts'

const root = mkdtempSync(join(tmpdir(), 'brine-targets-'))
mkdirSync(join(root, 'cache'))
const program = join(import.meta.dirname, '..', 'cli', 'salt-master.ts')
const keys = new PkiKeys(join(root, 'pki'))
const cache = fileCache(join(root, 'cache'))
const SLOW = '([a-z0-9.-]+)+!'
const lines: string[] = []
const open: TargetResolver[] = []

function accept(id: string, grains: object): void {
  writeFileSync(join(root, 'pki', 'minions', id), 'a key')
  cache.bank('grains').store(id, fromPlain({ id, ...grains }) as Dict)
}
accept('ip-10-20-30-40.eu-central-1.compute.internal', { role: 'web' })
accept('db1', { role: 'db' })

function resolver(settings: ResolverSettings = { program }, seconds = 1): TargetResolver {
  const opts = fromPlain({
    pki_dir: join(root, 'pki'),
    cachedir: join(root, 'cache'),
    foreign_target_timeout: seconds,
    nodegroups: { data: 'db*' },
  }) as Dict
  const one = new TargetResolver(
    { opts, keys, cache, log: (level, text) => void lines.push(`${level}: ${text}`) },
    settings,
  )
  open.push(one)
  return one
}

/** Return the child processes that match targets. */
function matchers(): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || !existsSync(`/proc/${pid}/environ`)) return false
    try {
      const parent = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1]
      return (
        parent === String(process.pid) &&
        readFileSync(`/proc/${pid}/environ`, 'latin1').includes('BRINE_PROCESS=targets')
      )
    } catch {
      // it ended meanwhile
      return false
    }
  })
}

afterEach(async () => {
  for (const one of open.splice(0)) one.close()
  lines.length = 0
  await until('the end of the processes', () => matchers().length === 0)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

describe('a foreign target', () => {
  it.each([
    ['pcre', 'db\\d', ['db1']],
    ['grain', 'role:d*', ['db1']],
    ['compound', 'G@role:web or db1', ['db1', 'ip-10-20-30-40.eu-central-1.compute.internal']],
    ['nodegroup', 'data', ['db1']],
  ])('of kind %s is matched in a separate process', async (kind, target, minions) => {
    const found = await resolver().foreign({ author: 'user tina', target, kind })
    expect(found.minions.sort()).toEqual(minions)
    expect(found.problems).toEqual([])
    expect(matchers()).toHaveLength(1)
  })

  it('is matched at once where that cannot take long, without any process', async () => {
    const one = resolver()
    expect((await one.foreign({ author: 'user tina', target: 'd?1', kind: 'glob' })).minions).toEqual(['db1'])
    const listed = await one.foreign({ author: 'user tina', target: ['db1', 'gone'], kind: 'list' })
    expect(listed).toEqual({ minions: ['db1'], missing: ['gone'], problems: [] })
    expect(await one.isMeant({ author: 'minion db1', target: 'db*', kind: 'glob' }, 'db1')).toBe(true)
    expect(matchers()).toEqual([])
  })

  it('that is invalid is reported to its author, and logged unless the author is still typing', async () => {
    const one = resolver()
    for (const kind of ['compound', 'nothing']) {
      const asked = { author: 'user tina', target: 'db1 or )', kind }
      const quiet = await one.foreign({ ...asked, isQuiet: true })
      expect([quiet.minions, quiet.problems.length, lines]).toEqual([[], 1, []])
      expect(await one.foreign(asked)).toEqual(quiet)
      expect(lines.splice(0)).toHaveLength(1)
    }
  })

  it('that takes too long matches nothing and is logged; others are served meanwhile and afterwards', async () => {
    const one = resolver()
    const slow = one.foreign({ author: 'user tina', target: SLOW, kind: 'pcre' })
    const turns: string[] = []
    void slow.then(() => turns.push('slow'))
    // this thread continues
    await new Promise((done) => setImmediate(done))
    expect(turns).toEqual([])
    const found = await slow
    expect(found.minions).toEqual([])
    expect(found.problems).toEqual(['Target "([a-z0-9.-]+)+!" of user tina took longer than 1 seconds to match'])
    expect(lines).toEqual([expect.stringMatching(/^error: Target "\(\[a-z0-9\.-\]\+\)\+!" of user tina took longer/)])
    expect((await one.foreign({ author: 'user bob', target: 'db\\d', kind: 'pcre' })).minions).toEqual(['db1'])
    const again = await one.foreign({ author: 'user tina', target: 'db\\d', kind: 'pcre' })
    expect(again.minions).toEqual([])
    expect(again.problems[0]).toMatch(
      /^An earlier target of user tina took too long to match; try again in \d+ seconds$/,
    )
    expect((await one.foreign({ author: 'user tina', target: 'db*', kind: 'glob' })).minions).toEqual(['db1'])
  })

  it('is taken again from its author after a while', async () => {
    const one = resolver({ program, pauseMs: 1 })
    await one.foreign({ author: 'user tina', target: SLOW, kind: 'pcre' })
    await until('the next target', async () => {
      const { minions } = await one.foreign({ author: 'user tina', target: 'db\\d', kind: 'pcre' })
      return minions.length > 0
    })
  })

  it('sees keys and grains that came after the process was started', async () => {
    const one = resolver()
    const ask = async (target: string): Promise<string[]> =>
      (await one.foreign({ author: 'user tina', target, kind: 'grain' })).minions
    expect(await ask('role:cache')).toEqual([])
    accept('cache1', { role: 'cache' })
    expect(await ask('role:cache')).toEqual(['cache1'])
    cache.bank('grains').store('cache1', fromPlain({ id: 'cache1', role: 'web' }) as Dict)
    expect(await ask('role:cache')).toEqual([])
    rmSync(join(root, 'pki', 'minions', 'cache1'))
    expect(await ask('role:web')).toEqual(['ip-10-20-30-40.eu-central-1.compute.internal'])
  })

  it('reports its errors to its author', async () => {
    const found = await resolver().foreign({ author: 'user tina', target: 'G@role:db and (', kind: 'compound' })
    expect(found).toEqual({ minions: [], missing: [], problems: ['Invalid compound target: G@role:db and ('] })
    const long = await resolver().foreign({ author: 'user tina', target: 'x'.repeat(2 << 20), kind: 'pcre' })
    expect(long.problems[0]).toMatch(/^The target has \d+ bytes, 1048576 are allowed$/)
  })

  it('waits behind the targets of other authors only once, however many one author has', async () => {
    const one = resolver()
    const order: string[] = []
    const ask = (author: string, n: number): Promise<unknown> =>
      one.foreign({ author, target: `db1|${n}`, kind: 'pcre' }).then(() => order.push(author))
    await Promise.all([...Array.from({ length: 200 }, (_, n) => ask('minion evil', n)), ask('minion web1', 0)])
    expect(order.indexOf('minion web1')).toBeLessThan(20)
  })

  it('is judged for one minion by its id and its grains', async () => {
    const one = resolver()
    const isMeant = (target: string, kind: string, id: string): Promise<boolean> =>
      one.isMeant({ author: 'minion db1', target, kind }, id)
    expect(await isMeant('G@role:db', 'compound', 'db1')).toBe(true)
    expect(await isMeant('G@role:web', 'compound', 'db1')).toBe(false)
    expect(await isMeant('*', 'no_such_kind', 'db1')).toBe(false)
    expect(await isMeant(SLOW, 'pcre', 'ip-10-20-30-40.eu-central-1.compute.internal')).toBe(false)
    expect(lines.at(-1)).toContain('of minion db1 took longer than 1 seconds to match')
  })

  it('ends within the limit in a master that cannot start processes', async () => {
    const one = resolver({}, 0.1)
    expect((await one.foreign({ author: 'user bob', target: 'db\\d', kind: 'pcre' })).minions).toEqual(['db1'])
    const found = await one.foreign({ author: 'user tina', target: SLOW, kind: 'pcre' })
    expect(found.problems).toEqual(['Target "([a-z0-9.-]+)+!" of user tina took longer than 0.1 seconds to match'])
  })
})
