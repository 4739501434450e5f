// Events over time: the journal of a master that is stopped and started, and readers that continue where they were.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toPlain, type Value } from '../../src/data/mod.ts'
import { type TestMaster, TestSite } from './site.ts'

let site: TestSite
let master: TestMaster
beforeAll(async () => {
  site = await TestSite.open()
  master = await site.master()
})
afterAll(() => site?.close())

const fire = async (...names: string[]): Promise<void> => {
  for (const name of names) await master.run('event.send', [`shop/${name}`, new Map([['name', name]])])
}

/** The last parts of the tags that state.event prints. */
async function watch(count: number, kwargs: Record<string, Value>): Promise<string[]> {
  const { printed } = await master.run('state.event', ['shop/*'], { count, ...kwargs })
  return printed.split('\n').flatMap((line) => /shop\/(\w+)\t/.exec(line)?.[1] ?? [])
}

describe('the journal of events', () => {
  it('goes on over a restart, and state.event begins where it is told to', async () => {
    await fire('a', 'b')
    await master.stop()
    await master.start()
    const listening = watch(4, { since: 1 })
    await fire('c', 'd')
    expect(await listening).toEqual(['a', 'b', 'c', 'd'])
    expect(await watch(2, { since: '10m' })).toEqual(['a', 'b'])
    const { printed } = await master.run('state.event', ['shop/*'], { since: 1, count: 4, numbers: true })
    const [first, , third] = printed.split('\n').map((line) => Number(line.split('\t')[0]))
    const listed = [...((await master.run('event.list', ['shop/*'])).value as Map<number, string>)]
    expect(listed.map(([, text]) => text.split(' ')[1])).toEqual(['shop/a', 'shop/b', 'shop/c', 'shop/d'])
    expect(await watch(1, { since: third! })).toEqual(['c'])
    expect(await watch(1, { resume: first! })).toEqual(['b'])
    const shown = await master.run('event.show', [first!])
    expect(toPlain(shown.value)).toMatchObject({ number: first, tag: 'shop/a', data: { name: 'a' } })
    const counted = await master.run('event.count', ['shop/*'])
    expect(toPlain(counted.value)).toEqual({ 'shop/a': 1, 'shop/b': 1, 'shop/c': 1, 'shop/d': 1 })
  })

  it('remembers under a name what was seen', async () => {
    const listening = watch(1, { resume: 'alerts' })
    // a name starts at the first event after its first use, so the event is fired until it is received
    let isHeard = false
    const heard = listening.then((events) => {
      isHeard = true
      return events
    })
    while (!isHeard) await fire('e')
    expect(await heard).toEqual(['e'])
    await fire('f')
    const after = await watch(1, { resume: 'alerts' })
    expect(['e', 'f']).toContain(after[0])
    await master.stop()
    const offline = master.run('state.event', ['shop/*'], { resume: 'alerts' })
    expect((await offline).value).toMatch(/could not be contacted/)
    expect((await offline).printed).toMatch(/shop\/f/)
    await master.start()
  })

  it('reports an invalid position', async () => {
    const { value } = await master.run('state.event', [], { since: 'yesterday' })
    expect(value).toMatch(/since='yesterday' is no number of an event/)
  })
})
