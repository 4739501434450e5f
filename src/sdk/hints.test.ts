import { describe, expect, test } from 'vitest'
import { type Dict, fromPlain } from '../data/mod.ts'
import { HintList, hintAbout, readHints } from './hints.ts'

const opts = fromPlain({ cachedir: '/var/cache/salt/minion' }) as Dict

describe('the hints of a job', () => {
  test('are in its return, each once', () => {
    const hints = new HintList()
    for (let i = 0; i < 3; i++) hints.add({ level: 'warning', text: 'a', at: 'salt://web.sls:2' })
    const ret = hints.addTo(new Map([['return', true]]))
    expect(readHints(ret)).toEqual({ hints: [{ level: 'warning', text: 'a', at: 'salt://web.sls:2' }], whole: true })
  })

  test('leave a return without any as it is', () => {
    expect(new HintList().addTo(new Map())).toEqual(new Map())
  })

  test('have a largest number and size', () => {
    const hints = new HintList()
    for (let i = 0; i < 1000; i++) hints.add({ level: 'error', text: `${i}${'日'.repeat(1000)}` })
    expect(hints.all).toHaveLength(50)
    for (const { text } of hints.all) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024)
    expect(hints.all[0]!.text.endsWith('日…')).toBe(true)
  })
})

describe('a message as a hint', () => {
  test.each([
    ['/var/cache/salt/minion/files/base/web/init.sls', 'salt://web/init.sls:3'],
    ['/var/cache/salt/minion/files/dev/web/init.sls', 'salt://web/init.sls?saltenv=dev:3'],
    ['/srv/salt/web/init.sls', '/srv/salt/web/init.sls:3'],
  ])('names the served file in place of the copy: %s', (file, at) => {
    expect(hintAbout('error', { text: 'x', at: { file, line: 3 } }, opts).at).toBe(at)
  })

  test('is one line with the advice behind it', () => {
    const told = hintAbout('error', { text: 'No such thing.\nTraceback', hint: "Did you mean 'x'?" }, opts)
    expect(told).toEqual({ level: 'error', text: "No such thing. Did you mean 'x'?" })
  })
})
