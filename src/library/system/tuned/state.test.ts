import { expect, test } from 'vitest'
import { toPlain } from '../../../data/mod.ts'
import { type StateTrial, tryState } from '../../../sdk/mod.ts'
import states from './state.ts'

/** A machine with three profiles; `isWilling`: whether tuned-adm carries out commands. */
function machine(active: string, isWilling = true) {
  const told: string[] = []
  const others: StateTrial['others'] = {
    'tuned.active': () => active,
    'tuned.list': () => ['balanced', 'powersave', 'virtual-guest'],
    'tuned.profile': ([name]) => {
      told.push(String(name))
      if (isWilling) active = String(name)
      return isWilling && name!
    },
    'tuned.off': () => {
      told.push('off')
      if (isWilling) active = 'none'
      return isWilling
    },
  }
  const apply = async (fun: string, name: string, test = false) =>
    toPlain(await tryState(states, fun, { kwargs: { name }, others, test }))
  return { apply, told }
}

test('profile activates a profile once, and a dry run changes nothing', async () => {
  const { apply, told } = machine('balanced')
  expect(await apply('profile', 'virtual-guest', true)).toMatchObject({
    result: null,
    comment: 'The state of "balanced" will be changed.',
    changes: { old: 'balanced', new: 'Profile will be set to virtual-guest' },
  })
  expect(told).toEqual([])
  expect(await apply('profile', 'virtual-guest')).toMatchObject({
    result: true,
    comment: 'The state of "virtual-guest" was changed!',
    changes: { old: 'balanced', new: 'virtual-guest' },
  })
  const settled = { result: true, changes: {}, comment: 'System already in the correct state' }
  expect(await apply('profile', 'virtual-guest')).toMatchObject(settled)
  expect(told).toEqual(['virtual-guest'])
})

test('profile distinguishes a profile from one with a longer name, and accepts several', async () => {
  const { apply, told } = machine('balanced powersave')
  expect(await apply('profile', 'balanced  powersave')).toMatchObject({ result: true, changes: {} })
  expect(await apply('profile', 'balanced')).toMatchObject({ result: true, changes: { new: 'balanced' } })
  expect(told).toEqual(['balanced'])
})

test('profile refuses an unknown name, also in a dry run, and reports a failure', async () => {
  const { apply, told } = machine('none', false)
  const refused = { result: false, changes: {}, comment: 'Invalid Profile Name' }
  for (const name of ['fast', 'balanced fast', '', '--help']) {
    expect(await apply('profile', name)).toMatchObject(refused)
    expect(await apply('profile', name, true)).toMatchObject(refused)
  }
  expect(told).toEqual([])
  const failure = { result: false, changes: {}, comment: 'Failed to activate profile balanced' }
  expect(await apply('profile', 'balanced')).toMatchObject(failure)
})

test('off turns profiles off once, and a dry run changes nothing', async () => {
  const { apply, told } = machine('balanced')
  expect(await apply('off', 'any', true)).toMatchObject({
    name: 'off',
    result: null,
    changes: { old: 'balanced', new: 'Profile will be set to off' },
  })
  expect(told).toEqual([])
  expect(await apply('off', 'any')).toMatchObject({ result: true, changes: { old: 'balanced', new: 'off' } })
  expect(await apply('off', 'any')).toMatchObject({ result: true, changes: {} })
  expect(told).toEqual(['off'])
  expect(await machine('balanced', false).apply('off', 'any')).toMatchObject({ result: false, changes: {} })
})
