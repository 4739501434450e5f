import { expect, it } from 'vitest'
import type { Dict, Value } from '../../../data/mod.ts'
import { type StateTrial, tryState } from '../../../sdk/mod.ts'
import debconf from './state.ts'

const answer = (type: string, value: Value): Dict =>
  new Map<Value, Value>([
    ['type', type],
    ['value', value],
  ])

const data: Dict = new Map([
  ['mail/name', answer('string', 'example.com')],
  ['mail/on', answer('boolean', true)],
  ['mail/secret', answer('password', 'x')],
])

const set: Value[] = []
const others: StateTrial['others'] = {
  'debconf.show': () => [['mail/name', 'string', 'example.com']],
  'debconf.set': (args) => {
    set.push([...args])
    return true
  },
}

it('debconf.set foretells answers that differ', async () => {
  const report = await tryState(debconf, 'set', { kwargs: { name: 'mail', data }, others, test: true })
  expect(report.get('result')).toBeNull()
  expect(report.get('changes')).toEqual(
    new Map([
      ['mail/on', 'New value: true'],
      ['mail/secret', 'New value: x'],
    ]),
  )
})

it('debconf.set sets them, and hides passwords', async () => {
  const report = await tryState(debconf, 'set', { kwargs: { name: 'mail', data }, others })
  expect(report.get('comment')).toBe('Unchanged answers: mail/name ')
  expect(report.get('changes')).toEqual(
    new Map([
      ['mail/on', 'true'],
      ['mail/secret', '(password hidden)'],
    ]),
  )
  expect(set).toEqual([
    ['mail', 'mail/on', 'boolean', 'true'],
    ['mail', 'mail/secret', 'password', 'x'],
  ])
})
