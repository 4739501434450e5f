// Masters below masters: a job reaches the minions of every tier, each return comes up once, and nothing is lost when a daemon of a
// tier is restarted meanwhile.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { salt } from '../../src/cli/mod.ts'
import { until } from '../until.ts'
import { type TestMaster, TestSite } from './site.ts'

const [TOP, OTHER_TOP, MIDDLE, LOW] = ['127.0.0.1', '127.0.0.4', '127.0.0.2', '127.0.0.3']
const ABOVE = { order_masters: true, syndics: ['syndic-*'] }
let site: TestSite

beforeEach(async () => {
  site = await TestSite.open()
})
afterEach(() => site.close())

const below = (master: string | string[]): object => ({ syndic_master: master, syndic_master_port: site.ports.ret })

const returnsOn = (master: TestMaster, jid = '[^/]+'): string[] =>
  master.seen.map(({ tag }) => tag).filter((tag) => new RegExp(`^salt/job/${jid}/ret/`).test(tag))

/** Let a job on a minion go on until the mark is there, and say when it has begun. */
const waits = (mark: string): string => `touch ${mark}.begun; while [ ! -e ${mark} ]; do sleep 0.05; done; echo done`

async function twoTiers(more: object = {}): Promise<{ top: TestMaster; low: TestMaster }> {
  const top = await site.master('top', TOP, { ...ABOVE, ...more })
  const low = await site.master('low', LOW, { ...below(TOP) })
  await site.minion('low1', { master: LOW })
  return { top, low }
}

test('A job reaches the minions of three tiers, and each return comes up once', async () => {
  const top = await site.master('top', TOP, ABOVE)
  await site.master('middle', MIDDLE, { ...ABOVE, ...below(TOP) })
  await site.master('low', LOW, { ...below(MIDDLE) })
  await site.minion('top1')
  await site.minion('middle1', { master: MIDDLE })
  for (const id of ['low1', 'low2']) await site.minion(id, { master: LOW })
  await site.syndic('middle', 'syndic-middle')
  await site.syndic('low', 'syndic-low')
  const job = { tgt: '*', fun: 'test.arg', arg: ['x'] }
  const everybody = await top.gather(job)
  expect(everybody.map(([id]) => id).sort()).toEqual(['low1', 'low2', 'middle1', 'top1'])
  expect(everybody[0]![1]).toMatchObject({ args: ['x'] })
  // the lists of both syndics end the waiting, and not the patience of the caller
  expect(top.seen.filter(({ data }) => data.get('fun') === 'saltutil.find_job')).toEqual([])
  expect(returnsOn(top)).toHaveLength(4)
  expect((await top.gather({ ...job, tgt: 'low*' })).map(([id]) => id).sort()).toEqual(['low1', 'low2'])
  expect(await top.gather({ ...job, tgt: 'nobody*' })).toEqual([])
  const listed = await top.gather({ ...job, tgt: ['low2', 'top1', 'nowhere'], tgtType: 'list' })
  expect(listed.map(([id, answer]) => [id, answer !== null]).sort()).toEqual([
    ['low2', true],
    ['nowhere', false],
    ['top1', true],
  ])
  expect((await top.run('manage.up')).value).toEqual(['low1', 'low2', 'middle1', 'top1'])
})

test('A return waits for a master above and for a syndic that are away', async () => {
  const { top, low } = await twoTiers()
  const syndic = await site.syndic('low', 'syndic-low')
  const begins = async (mark: string): Promise<string> => {
    const jid = await top.publish('low1', 'cmd.run', [waits(join(site.root, mark))])
    await low.event(new RegExp(`^salt/job/${jid}/new$`))
    return jid
  }
  const ends = (mark: string): void => writeFileSync(join(site.root, mark), '')
  const first = await begins('first')
  await top.stop()
  ends('first')
  await low.event(new RegExp(`^salt/job/${first}/ret/low1$`))
  await top.start()
  expect((await top.event(new RegExp(`^salt/job/${first}/ret/low1$`))).data.get('return')).toBe('done')
  const second = await begins('second')
  await syndic.close()
  ends('second')
  await low.event(new RegExp(`^salt/job/${second}/ret/low1$`))
  await site.syndic('low', 'syndic-low')
  await top.event(new RegExp(`^salt/job/${second}/ret/low1$`))
  // one more job shows that nothing comes twice after it
  const last = await top.ask('low1', 'test.ping')
  expect(last).toBe(true)
  for (const jid of [first, second]) expect(returnsOn(top, jid)).toHaveLength(1)
  expect(returnsOn(low)).toHaveLength(3)
})

test('A job of `unique_jid` comes back from below', async () => {
  const { top } = await twoTiers({ unique_jid: true })
  await site.syndic('low', 'syndic-low')
  expect(await top.ask('low1', 'test.ping')).toBe(true)
  expect(returnsOn(top)).toEqual([expect.stringMatching(/^salt\/job\/\d{20}_\d+\/ret\/low1$/)])
})

test('A job that is published while the syndic is away is handed on once', async () => {
  const { top, low } = await twoTiers()
  const syndic = await site.syndic('low', 'syndic-low')
  expect(await top.ask('low1', 'test.ping')).toBe(true)
  await syndic.close()
  const jid = await top.publish('low1', 'test.ping')
  await site.syndic('low', 'syndic-low')
  await top.event(new RegExp(`^salt/job/${jid}/ret/low1$`))
  expect(low.seen.filter(({ tag }) => tag === `salt/job/${jid}/new`)).toHaveLength(1)
})

test('Of several masters above, each gets the returns of its own jobs', async () => {
  const [top, other] = [await site.master('top', TOP, ABOVE), await site.master('other', OTHER_TOP, ABOVE)]
  const low = await site.master('low', LOW, { ...below([TOP, OTHER_TOP]), syndic_failover: 'ordered' })
  await site.minion('low1', { master: LOW })
  await site.syndic('low', 'syndic-low')
  await Promise.all([top, other].map((master) => master.event(/^salt\/syndic\/syndic-low\/start$/)))
  for (const master of [top, other]) expect(await master.ask('low1', 'test.ping')).toBe(true)
  const jid = await top.publish('low1', 'cmd.run', [waits(join(site.root, 'mark'))])
  await low.event(new RegExp(`^salt/job/${jid}/new$`))
  await top.stop()
  writeFileSync(join(site.root, 'mark'), '')
  await low.event(new RegExp(`^salt/job/${jid}/ret/low1$`))
  // events of no particular master above go to a connected one
  const own = await low.publish('low1', 'test.ping')
  await other.event(new RegExp(`^salt/job/${own}/ret/low1$`))
  await top.start()
  await top.event(new RegExp(`^salt/job/${jid}/ret/low1$`))
  expect(returnsOn(other, jid)).toEqual([])
  expect(returnsOn(top, own)).toEqual([])
})

test('A limited user reaches minions below by rights on them, which the master below judges', async () => {
  const rights = [{ 'low*': ['test.ping'] }, { 'db*': ['test.ping', 'test.arg'] }]
  const { top, low } = await twoTiers({ external_auth: { auto: { joe: rights } } })
  await site.minion('db9', { master: LOW, grains: { role: 'db' } })
  await site.syndic('low', 'syndic-low')
  await until('the syndic', () => top.opened.parts.syndics.listening().length === 1)
  const as = (tgt: string, fun: string, tgtType = 'glob') => {
    const kwargs = new Map(Object.entries({ eauth: 'auto', username: 'joe', password: 'x' }))
    return top.gather({ tgt, tgtType, fun, arg: [], kwargs })
  }
  expect(await as('low*', 'test.ping')).toEqual([['low1', true]])
  expect(await as('low1', 'test.ping')).toEqual([['low1', true]])
  const load = low.seen.find(({ tag }) => tag.endsWith('/publish'))!.data
  expect(load.get('user')).toBe('joe')
  for (const [tgt, fun] of [
    ['low*', 'test.arg'],
    ['*1', 'test.ping'],
    ['other', 'test.ping'],
  ] as const) {
    await expect(as(tgt, fun)).rejects.toThrow('Authorization error occurred.')
  }
  expect(low.seen.filter(({ tag }) => /^salt\/job\/.*\/new$/.test(tag))).toHaveLength(2)
})

test('Batches, subsets and --static of a master of masters take the minions below', async () => {
  const { top } = await twoTiers({ timeout: 60, gather_job_timeout: 60, syndic_wait: 60 })
  await site.minion('low2', { master: LOW })
  await site.minion('top1')
  await site.syndic('low', 'syndic-low')
  await until('the syndic', () => top.opened.parts.syndics.listening().length === 1)
  const shown = async (status: number, ...words: string[]): Promise<{ out: string; err: string }> => {
    const said = { out: '', err: '' }
    const out = (text: string): void => void (said.out += text)
    const err = (text: string): void => void (said.err += text)
    expect(await salt(['-c', top.config, ...words], { out, err, terminal: false })).toBe(status)
    return said
  }
  const everybody = { low1: true, low2: true, top1: true }
  const all = await shown(0, '--static', '--out', 'json', '*', 'test.ping')
  expect(all.err).toBe('')
  expect(JSON.parse(all.out)).toEqual(everybody)
  const batch = await shown(0, '-b', '1', '*', 'test.ping')
  expect(batch.err).toBe('')
  expect(batch.out.match(/Executing run on .*/g)).toEqual(
    ['low1', 'low2', 'top1'].map((id) => `Executing run on ['${id}']`),
  )
  for (const id of Object.keys(everybody)) expect(batch.out).toContain(`${id}:\n    True`)
  expect(batch.out).not.toContain('syndic-low')
  const some = await shown(0, '--subset', '2', 'low*', 'test.ping')
  expect(some.out.split('\n').sort()).toEqual(['', '    True', '    True', 'low1:', 'low2:'])
  const summary = await shown(0, '-v', '--summary', '*', 'test.ping')
  const nobody = await shown(2, 'nothere', 'test.ping')
  expect(nobody.err).toContain('No minion of this master, and none that a syndic reported, matched the target.\n')
  expect(summary.out).toContain(
    '# of minions targeted: 3\n# of minions returned: 3\n# of minions that did not return: 0',
  )
})
