import { expect, test } from 'vitest'
import { isJid, newJid } from './jid.ts'

const NOON = Date.UTC(2030, 0, 1, 12)

test('A job id is the time to the microsecond', () => {
  expect(newJid(false, NOON)).toMatch(/^20300101120000000\d{3}$/)
})

test('Job ids of the same moment differ, and each is later than the one before', () => {
  const ids = Array.from({ length: 5000 }, () => newJid(false, NOON + 1))
  expect(ids).toEqual([...new Set(ids)].sort())
})

test('A clock that is some milliseconds behind does not make ids go back, one that was set back does', () => {
  const before = newJid(false, NOON + 1000)
  expect(newJid(false, NOON + 900) > before).toBe(true)
  expect(newJid(false, NOON - 3_600_000)).toMatch(/^20300101110000000/)
})

test('A job id from a peer is twenty digits, with the number of a process behind them or not', () => {
  expect(['20300101120000000001', '20300101120000000001_4711', newJid(), newJid(true)].map(isJid)).not.toContain(false)
  const others = [
    '',
    'req',
    '../x',
    '20300101120000000001\n',
    '20300101120000000001_',
    `20300101120000000001_${'1'.repeat(99)}`,
  ]
  expect([...others, 20300101120000000001n, null].map(isJid)).not.toContain(true)
})
