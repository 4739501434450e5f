// The remaining validity of certificates.
import { expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import tls from './state.ts'

const DAY = 86_400

test.each<[number, number, Record<string, Value>, string]>([
  [-1, 10, {}, 'true Certificate is valid for 9 days, '],
  [-1, 10, { weeks: 1, hours: 2 }, 'true Certificate is valid for 9 days, '],
  [-1, 10, { weeks: 2, days: 1 }, 'false Certificate will expire in 9 days, '],
  [1, 10, {}, 'false Certificate is not yet valid'],
  [-10, -1, {}, 'false Certificate is expired'],
])('tls.valid_certificate from day %d to %d, %j', async (from, to, kwargs, said) => {
  const now = Date.now() / 1000
  const facts = new Map<Value, Value>([
    ['not_before', Math.round(now + from * DAY)],
    ['not_after', Math.round(now + to * DAY) - 3600],
  ])
  const others = { 'tls.cert_info': () => facts }
  const ret = toPlain(await tryState(tls, 'valid_certificate', { kwargs: { name: '/c', ...kwargs }, others }))
  const { result, comment } = ret as { result: boolean; comment: string }
  expect(`${result} ${comment}`).toContain(said)
})
