// Hints come from minions: the master keeps hints within the limits only, and no hint controls a terminal or reveals
// files of the master to a minion.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newJid } from '../../src/base/mod.ts'
import { showHints } from '../../src/cli/salt/hints.ts'
import { JobHints } from '../../src/client/mod.ts'
import { type Dict, encodeMsgpack, fromPlain, type Plain, type Value } from '../../src/data/mod.ts'
import type { MasterChannel } from '../../src/wire/mod.ts'
import { Besieged, dict } from './besieged.ts'

describe('a minion that sends hints', () => {
  let site: Besieged
  let evil: MasterChannel
  beforeAll(async () => {
    site = await Besieged.start()
    evil = await site.minion('evil')
  })
  afterAll(() => site.stop())

  /** The hints that the master keeps of a return, and those of its event. */
  async function kept(given: Plain): Promise<Value | undefined> {
    const [jid, hints] = [newJid(), fromPlain(given)]
    site.events.splice(0)
    await evil.send(dict({ cmd: '_return', jid, fun: 'test.ping', fun_args: [], return: true, retcode: 0, hints }))
    const stored = site.parts.jobs.returns(jid).get('evil')!.get('hints')
    const told = site.events.find(({ tag }) => tag === `salt/job/${jid}/ret/evil`)!.data.get('hints')
    expect(told).toEqual(stored)
    return stored
  }

  it.each<[string, Plain]>([
    ['a text', 'x'],
    ['a number', 5],
    ['a dict', { text: 'x' }],
    ['lists of lists', [[['x']]]],
    ['texts that are none', [{ text: 5 }, { text: null }, { text: ['x'] }, { text: '' }, {}]],
  ])('has nothing kept of %s', async (_what, hints) => {
    expect(await kept(hints)).toBeUndefined()
    expect(site.logs.some((line) => line.includes('Dropped hints of minion evil'))).toBe(true)
  })

  it('has a bounded number of them kept, each of a bounded size', async () => {
    const hints = Array.from({ length: 2000 }, (_, n) => ({ text: `${n} ${'é'.repeat(3000)}`, level: 'warning' }))
    const stored = (await kept(hints)) as Value[]
    expect(stored).toHaveLength(50)
    for (const hint of stored) expect(Buffer.byteLength((hint as Dict).get('text') as string)).toBeLessThanOrEqual(1024)
    const large = (await kept([{ text: 'x'.repeat(10 << 20), at: `${'y'.repeat(10 << 20)}:1` }])) as Value[]
    expect(encodeMsgpack(large, 'bus').length).toBeLessThan(1200)
  })

  it('has no further keys and no forged place kept', async () => {
    const hint = { text: 'a', level: 'critical', at: 'a\n[ERROR   ] b:1', more: 'x'.repeat(1000) }
    expect(await kept([hint, { text: 'b', at: 'no line' }])).toEqual([
      dict({ level: 'warning', text: 'a' }),
      dict({ level: 'warning', text: 'b' }),
    ])
  })

  it('cannot steer a terminal or forge a line', async () => {
    const hints = new JobHints()
    hints.note('evil', dict({ hints: [dict({ text: 'a\r\x1b[2J\n[CRITICAL] forged' })] }))
    let said = ''
    await showHints(hints, dict({}), { out: () => undefined, err: (text) => void (said += text), terminal: false })
    expect(said).toBe('[WARNING ] evil: a\\x0d\\x1b[2J\n    [CRITICAL] forged\n')
  })

  it('learns and shows nothing of files outside of what is served', async () => {
    mkdirSync(join(site.root, 'srv/salt'), { recursive: true })
    writeFileSync(join(site.root, 'srv/salt/web.sls'), '')
    writeFileSync(join(site.root, 'srv/secret'), '')
    const told = async (at: string): Promise<string> => {
      const hints = new JobHints()
      hints.note('evil', dict({ hints: [dict({ text: 'x', at })] }))
      return (await hints.lines(site.parts.opts)).map(({ text }) => text).join()
    }
    expect(await told('salt://web.sls:3')).toBe(`evil: ${join(site.root, 'srv/salt/web.sls')}:3: x`)
    for (const at of ['salt://../secret:3', 'salt:///../secret:3', 'salt://web.sls?saltenv=../..:3', 'salt://no.sls:1'])
      expect(await told(at)).toBe(`evil: ${at}: x`)
  })

  it('is not the only one that is heard: what many minions tell is told once', async () => {
    const hints = new JobHints()
    const same = dict({ hints: [dict({ text: 'x', at: '/a:1' })] })
    for (let n = 1; n <= 42; n++) hints.note(`web${n}`, same)
    for (let n = 0; n < 200; n++) hints.note('evil', dict({ hints: [dict({ text: `mine ${n}` })] }))
    const told = (await hints.lines(site.parts.opts)).map(({ text }) => text)
    expect(told[0]).toBe('web1, web2 and 40 more: /a:1: x')
    expect(told).toHaveLength(101)
    expect(told.at(-1)).toBe('101 further hints are not shown')
  })
})
