// Events of failed states, which the master makes out of a minion's return.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newJid } from '../../src/base/mod.ts'
import type { Dict } from '../../src/data/mod.ts'
import { Besieged, dict } from './besieged.ts'

describe('a minion', () => {
  let site: Besieged
  beforeAll(async () => {
    site = await Besieged.start({ minion_events_per_second: 10 })
  })
  afterAll(() => site.stop())

  const fails = async (id: string, count: number): Promise<string[]> => {
    const minion = await site.minion(id)
    const jid = newJid()
    const states = Array.from({ length: count }, (_, n) => [`test_|-a_|-${n}_|-nop`, dict({ result: false })] as const)
    const load = { cmd: '_return', id, jid, fun: 'state.apply', fun_args: [], success: false, retcode: 2 }
    await minion.send(dict({ ...load, return: new Map(states) as Dict }))
    return site.events.filter(({ data }) => data.get('jid') === jid).map(({ tag }) => tag)
  }

  it('whose states fail is told by events of them', async () => {
    const tags = await fails('honest', 2)
    expect(tags.filter((tag) => tag.includes('/error/'))).toHaveLength(2)
  })

  it('causes no more events by failed states than it may fire', async () => {
    const tags = await fails('evil', 5000)
    expect(tags.filter((tag) => tag.endsWith('/ret/evil'))).toHaveLength(1)
    expect(tags.filter((tag) => tag.includes('/error/'))).toEqual([])
    expect(site.logs.some((line) => line.includes('minion_events_per_second'))).toBe(true)
  })
})
