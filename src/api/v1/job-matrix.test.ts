import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Dict } from '../../data/mod.ts'
import { fromPlain } from '../../data/mod.ts'
import type { MasterStores } from '../../sdk/mod.ts'
import { SqliteJobs } from '../../store/mod.ts'
import { JobMatrices, type JobMatrix } from './job-matrix.ts'

const directory = mkdtempSync(join(tmpdir(), 'brine-matrix-'))
let jobs: SqliteJobs
beforeAll(() => {
  jobs = new SqliteJobs(join(directory, 'jobs.db'))
})
afterAll(() => {
  jobs.close()
  rmSync(directory, { recursive: true })
})

const fine = { result: true, changes: {}, comment: '', __sls__: 'web' }

/** Results of states by tag: module, id, name and function. */
const states = (tags: readonly string[], result: object = fine): object =>
  Object.fromEntries(tags.map((tag, index) => [tag.replaceAll(' ', '_|-'), { ...result, __run_num__: index }]))

let number = 0
async function matrixOf(returns: Record<string, unknown>, more: Record<string, unknown> = {}): Promise<JobMatrix> {
  const jid = String(20_260_101_000_000_000_000n + BigInt(number++))
  const load = fromPlain({ fun: 'state.apply', user: 'ann', tgt: '*' }) as Dict
  jobs.saveJob({ jid, load, minions: [...Object.keys(returns), ...Object.keys(more)] })
  const add = async (values: Record<string, unknown>): Promise<void> => {
    for (const [id, value] of Object.entries(values)) {
      await jobs.saveReturn({ jid, id, data: fromPlain({ return: value, retcode: 0 }) as Dict })
    }
  }
  await add(returns)
  const matrix = new JobMatrices({ jobs } as unknown as MasterStores).of(jid)
  expect(await matrix.follow(60_000)).toBe(false)
  await add(more)
  expect(await matrix.follow(60_000)).toBe(false)
  return matrix
}

const MEGABYTE = 2 ** 20

/** Bytes of objects and texts that are in use when all garbage is gone. */
function usedMemory(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return heapUsed + external - arrayBuffers
}

const cells = ({ rows }: JobMatrix): string[] => rows.map((row) => row.cells)

describe('a matrix', () => {
  it('keeps short texts of long returns, and not the returns', async () => {
    const long = (minion: number): string => Buffer.alloc(4 * MEGABYTE, `${minion} `).toString()
    const minions = Array.from({ length: 10 }, (_, index) => index)
    const texts = Object.fromEntries(minions.map((index) => [`text${index}`, long(index)]))
    const named = minions.map((index) => [
      `state${index}`,
      states([`file conf${index} x managed`], { ...fine, name: long(index) }),
    ])
    const before = usedMemory()
    const matrices = [await matrixOf(texts), await matrixOf(Object.fromEntries(named))]
    // the returns have 80 MB; other tests of this process hold and free some as well
    expect(usedMemory() - before).toBeLessThan(30 * MEGABYTE)
    expect(matrices.map(({ rows }) => rows.length)).toEqual([10, 10])
  })

  it('has one column for a state whose name differs between minions, and one per name if there are several', async () => {
    const matrix = await matrixOf({
      one: states(['file conf /etc/one managed', 'pkg tools vim installed', 'pkg tools git installed']),
      two: states(['file conf /etc/two managed', 'pkg tools git installed', 'pkg tools jq installed']),
      three: states(['pkg tools git installed']),
    })
    expect(matrix.columns.map(({ id, name, function: fun }) => [id, name, fun])).toEqual([
      ['conf', '/etc/one', 'file.managed'],
      ['tools', 'vim', 'pkg.installed'],
      ['tools', 'git', 'pkg.installed'],
      ['tools', 'jq', 'pkg.installed'],
    ])
    expect(cells(matrix)).toEqual(['sss', 's.ss', '..s'])
  })

  it('takes in returns that come later, with new columns at the end', async () => {
    const matrix = await matrixOf(
      { one: states(['pkg a a installed', 'pkg c c installed']) },
      { two: states(['pkg a a installed', 'pkg b b installed', 'pkg c c installed']) },
    )
    expect(matrix.columns.map(({ id, order }) => [id, order])).toEqual([
      ['a', 0],
      ['c', 1],
      ['b', 1],
    ])
    expect(cells(matrix)).toEqual(['ss', 'sss'])
    expect(matrix.groups.map(({ sample, minions }) => [sample, minions])).toEqual([
      ['one', 1],
      ['two', 1],
    ])
  })

  it('has no columns for states beyond its bounds', async () => {
    const many = Array.from({ length: 2100 }, (_, index) => `pkg p${index} n installed`)
    const matrix = await matrixOf({ one: states([`pkg ${'x'.repeat(5000)} n installed`, ...many]) })
    expect(matrix.columns).toHaveLength(2000)
    expect(cells(matrix)[0]).toBe('s'.repeat(2000))
    expect(matrix.groups[0]).toMatchObject({ text: '2101 succeeded' })
  })

  it('has cells for the first states of a return of very many, and counts all', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `pkg tools ${index} installed`)
    const last = 'service web web running'
    const matrix = await matrixOf({ one: states([last]), two: states([...many, last]) })
    expect(cells(matrix)).toEqual(['s', `.${'s'.repeat(1999)}`])
    expect(matrix.groups[1]).toMatchObject({ text: '10001 succeeded' })
  })

  it('reads names with the separator of tags', async () => {
    const matrix = await matrixOf({ one: states(['cmd run a_|-b run']), two: { 'odd_|-tag': fine } })
    expect(matrix.columns.map(({ id, name, function: fun }) => [id, name, fun])).toEqual([
      ['run', 'a_|-b', 'cmd.run'],
      ['tag', '', 'odd.tag'],
    ])
  })

  it('counts failures, and returns without state results', async () => {
    const bad = { result: false, changes: {}, comment: '\n  Package nginx could not be installed\nmore' }
    const matrix = await matrixOf({
      one: states(['pkg a a installed'], bad),
      two: ['Rendering SLS failed', 'more'],
      three: true,
      four: states(['pkg a a installed'], { ...bad, __state_ran__: false }),
    })
    expect(cells(matrix)).toEqual(['f', '!', '!', 'k'])
    expect(matrix.groups.map(({ text }) => text)).toEqual([
      '1 failed: Package nginx could not be installed',
      'Rendering SLS failed',
      'True',
      '1 failed',
    ])
  })
})
