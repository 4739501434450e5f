import { expect, test } from 'vitest'
import { type Dict, dictFrom, encodeMsgpack, type Value } from '../data/mod.ts'
import { RefusedJobs } from './refusals.ts'

const REFUSAL = { name: 'AuthorizationError', message: 'Authorization error occurred.' } as const

function refusals(perSecond = 20) {
  const events: Array<{ tag: string; data: Dict }> = []
  const lines: string[] = []
  const clock = { ms: 0 }
  const bus = { fire: (tag: string, data: Dict) => events.push({ tag, data }) }
  const log = (_level: string, text: string): unknown => lines.push(text)
  const jobs = new RefusedJobs(bus as never, log as never, { perSecond, now: () => clock.ms })
  return { events, lines, clock, refuse: (load: Dict) => jobs.refuse(load, REFUSAL) }
}

test('An event about a refused job contains the request without secrets', () => {
  const { events, refuse } = refusals()
  const kwargs = dictFrom({ username: 'ops', password: 'pw', delimiter: ':' })
  refuse(dictFrom({ cmd: 'publish', tgt: 'web1', fun: 'cmd.run', arg: ['id'], jid: '', key: 'k', kwargs }))
  const error = dictFrom(REFUSAL)
  const masked = dictFrom({ username: 'ops', password: '**********', delimiter: ':' })
  expect(events).toEqual([
    {
      tag: 'salt/job/error',
      data: dictFrom({
        ...{ cmd: 'publish', tgt: 'web1', fun: 'cmd.run', arg: ['id'], jid: '', key: '**********' },
        ...{ kwargs: masked, error },
      }),
    },
  ])
})

test('An event about a refused job is small, whatever was sent', () => {
  const { events, refuse } = refusals(100)
  let deep: Value = 'x'
  for (let level = 0; level < 1000; level++) deep = [deep]
  const long = 'x'.repeat(1e6)
  const many = dictFrom(
    Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`${index}${'k'.repeat(999)}`, index])),
  )
  for (const value of [deep, long, many, Array(1e6).fill(long), new Uint8Array(1e6)]) refuse(dictFrom({ arg: value }))
  expect(events).toHaveLength(5)
  for (const { data } of events) expect(encodeMsgpack(data, 'bus').length).toBeLessThan(64 * 1024)
})

test('A second has a largest number of events about refused jobs, and the rest are counted in a line', () => {
  const { events, lines, clock, refuse } = refusals(3)
  for (let index = 0; index < 10; index++) expect(refuse(new Map()).get('error')).toBeDefined()
  expect(events).toHaveLength(3)
  clock.ms = 1000
  refuse(new Map())
  expect(events).toHaveLength(4)
  expect(lines).toEqual(['7 refused jobs caused no event: more than 3 in a second'])
})
