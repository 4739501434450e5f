// Orchestrations on a running master: steps beside each other, held, let go on and ended from outside.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Dict, toPlain, type Value } from '../../src/data/mod.ts'
import { type TestMaster, TestSite } from './site.ts'

let site: TestSite
let master: TestMaster

const waiting = (id: string, tag: string): string => `
${id}:
  salt.wait_for_event:
    - name: ${tag}
    - id_list: [x]
    - timeout: 300
`
const doing = (id: string): string => `
${id}:
  test.nop: []
`

beforeAll(async () => {
  site = await TestSite.open()
  const roots = join(site.root, 'srv')
  mkdirSync(roots, { recursive: true })
  const put = (name: string, text: string): void => writeFileSync(join(roots, `${name}.sls`), text)
  const last = `
last:
  test.nop:
    - require:
      - salt: first
      - salt: second
`
  put('together', `${waiting('first', 'together/go')}${waiting('second', 'together/go')}${last}`)
  put('held', `${waiting('first', 'held/go')}${doing('second')}${doing('third')}`)
  put('ended', `${waiting('first', 'ended/go')}${doing('second')}${doing('third')}`)
  master = await site.master('master')
})
afterAll(() => site?.close())

/** The results by ID, of a run of any kind. */
function results(value: Value): Record<string, boolean | null> {
  const all = (value as Dict).get('data') ?? value
  const [states] = [...(all as Dict).values()] as [Dict]
  return Object.fromEntries(
    [...states.values()].map((state) => [
      String((state as Dict).get('__id__')),
      (state as Dict).get('result') as boolean,
    ]),
  )
}

/** Begins an orchestration, and gives its number with the promise of its end. */
async function begin(mods: string, kwargs = {}): Promise<{ jid: string; ended: Promise<Value> }> {
  const known = new Set(master.seen.map(({ tag }) => tag))
  const ended = master.run('state.orchestrate', [mods], kwargs).then(({ value }) => value)
  for (;;) {
    const found = master.seen.find(
      ({ tag, data }) => !known.has(tag) && tag.endsWith('/new') && data.get('fun') === 'runner.state.orchestrate',
    )
    if (found) return { jid: String(found.data.get('jid')), ended }
    await sleep(20)
  }
}

const stepsOf = async (jid: string): Promise<Array<{ state: string }>> => {
  const shown = (await master.run('state.orchestrate_show', [jid])).value
  return shown instanceof Map ? (toPlain(shown) as unknown as { steps: Array<{ state: string }> }).steps : []
}

/** Wait until this many steps of a run have begun. */
async function begun(jid: string, count = 1): Promise<void> {
  while ((await stepsOf(jid)).length < count) await sleep(50)
}

/** Fire an event repeatedly until the waiting step receives it. */
async function goOn<T>(tag: string, waits: Promise<T>): Promise<T> {
  let isOver = false
  const over = waits.finally(() => {
    isOver = true
  })
  while (!isOver) await master.run('event.send', [tag, new Map([['id', 'x']])])
  return over
}

describe('an orchestration', () => {
  it('begins steps together that do not require each other, where that is wanted', async () => {
    const { jid, ended } = await begin('together', { parallel: true })
    await begun(jid, 2)
    expect(results(await goOn('together/go', ended))).toEqual({ first: true, second: true, last: true })
    const shown = toPlain((await master.run('state.orchestrate_show', [jid])).value) as { steps: object[] }
    expect(shown.steps).toMatchObject([{ state: 'done' }, { state: 'done' }, { state: 'done' }])
  })

  it('is held before an ID, and goes on when it is let', async () => {
    const { jid, ended } = await begin('held')
    await begun(jid)
    await master.run('state.pause', [jid, 'second'])
    const firstDone = (async () => {
      while ((await stepsOf(jid))[0]?.state !== 'done') await sleep(50)
    })()
    await goOn('held/go', firstDone)
    expect(await stepsOf(jid)).toHaveLength(1)
    await master.run('state.resume', [jid, 'second'])
    expect(results(await ended)).toEqual({ first: true, second: true, third: true })
  })

  it('is ended before an ID', async () => {
    const { jid, ended } = await begin('ended')
    await begun(jid)
    await master.run('state.soft_kill', [jid, 'second'])
    expect(results(await goOn('ended/go', ended))).toEqual({ first: true })
  })

  it('may be a single function, high data, or only shown', async () => {
    const single = await master.run('state.orchestrate_single', ['test.nop', 'one'])
    expect(Object.values(results(single.value))).toEqual([true])
    const data = new Map<Value, Value>([['one', new Map<Value, Value>([['test', ['nop']]])]])
    expect(results((await master.run('state.orchestrate_high', [data])).value)).toEqual({ one: true })
    const shown = JSON.stringify(toPlain((await master.run('state.orchestrate_show_sls', ['held'])).value))
    expect(shown).toContain('"wait_for_event"')
  })
})
