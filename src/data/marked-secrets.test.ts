import { expect, test } from 'vitest'
import { hideMarked, markedIn, markSecret, markTexts, maskMarked } from './marked-secrets.ts'
import { fromPlain, toPlain } from './plain.ts'

test('Marked texts are hidden in texts, values and keys; short ones stay', () => {
  markSecret(fromPlain({ password: 'pw12', url: 'http://marked', port: 80, nested: ['deep-secret'] }))
  expect(hideMarked('pw12 at http://marked:80 with deep-secret')).toBe('********** at **********:80 with **********')
  const value = fromPlain({ 'cmd_|-echo deep-secret': { changes: ['pw12', 5], comment: 'nothing' } })
  expect(toPlain(maskMarked(value))).toEqual({
    'cmd_|-echo **********': { changes: ['**********', 5], comment: 'nothing' },
  })
})

test('A value without marked texts is the same value', () => {
  const value = fromPlain({ a: ['b'] })
  expect(maskMarked(value)).toBe(value)
})

test('Marked texts can be sent to another process', () => {
  markTexts(['told-elsewhere'])
  expect([...markedIn(fromPlain({ a: ['x told-elsewhere y', 'deep'] }))]).toEqual(['told-elsewhere'])
})
