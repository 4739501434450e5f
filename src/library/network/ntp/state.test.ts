import { expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import ntp from './state.ts'

async function apply(servers: Value, test = false) {
  let now: Value = ['b', 'a']
  const others = {
    'ntp.get_servers': () => now,
    'ntp.set_servers': (wanted: readonly Value[]) => {
      now = [...wanted]
      return true
    },
  }
  return toPlain(await tryState(ntp, 'managed', { kwargs: { name: 'x', servers }, others, test }))
}

test('ntp.managed sets the servers that differ', async () => {
  expect(await apply(['a', 'b'])).toMatchObject({ result: true, changes: {} })
  expect(await apply(['c'])).toMatchObject({
    result: true,
    comment: 'NTP servers updated',
    changes: { old: ['a', 'b'], new: ['c'] },
  })
  expect(await apply(['c'], true)).toMatchObject({ result: null, comment: 'NTP servers will be updated to: c' })
  expect(await apply('c')).toMatchObject({ result: false, comment: 'NTP servers must be a list of strings' })
})
