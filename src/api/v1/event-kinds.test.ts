import { describe, expect, it } from 'vitest'
import { EventKinds, eventKind } from './event-kinds.ts'

const JID = '20261116165432123456'

describe('the kind of an event', () => {
  it.each([
    [`salt/job/${JID}/new`, 'salt/job/*/new'],
    [`salt/job/${JID}/ret/web1`, 'salt/job/*/ret'],
    [`salt/job/${JID}/prog/web1/3`, 'salt/job/*/prog'],
    ['salt/minion/web1.example.com/start', 'salt/minion/*/start'],
    ['salt/beacon/web1/load/', 'salt/beacon/*/load'],
    ['salt/auth', 'salt/auth'],
    [`salt/run/${JID}/ret`, 'salt/run/*/ret'],
    [JID, '*'],
    ['my/own/tag', 'my/own/tag'],
    ['a/b/c/d/e/f', 'a/b/c/d'],
    [`my/${'x'.repeat(100)}`, 'my/*'],
  ])('%s is %s', (tag, kind) => {
    expect(eventKind(tag)).toBe(kind)
  })

  it('is counted, the busiest first, with a bound on kinds', () => {
    const kinds = new EventKinds()
    for (let i = 0; i < 2000; i++) kinds.add(`own${i}`)
    for (let i = 0; i < 5; i++) kinds.add(`salt/job/${JID}/ret/web${i}`)
    kinds.add('own0')
    const [other, own] = kinds.busiest(2)
    expect([other!.tag, own!.tag]).toEqual(['other', 'own0'])
    expect(kinds.busiest(10_000).length).toBeLessThanOrEqual(501)
    for (let i = 0; i < 5; i++) kinds.turn()
    expect(kinds.busiest(8)).toEqual([])
  })
})
