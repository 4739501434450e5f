import { describe, expect, test } from 'vitest'
import { changed, ensure, failed, type Steps, settled } from './ensure.ts'

/** A state that sets the machine's one value. */
function setting(machine: { value: number }, wanted: number): Steps<number> {
  return {
    name: 'value',
    look: () => {
      if (wanted < 0) return failed('No value is negative')
      return machine.value === wanted ? settled('The value is right') : machine.value
    },
    foresee: (old) => `The value ${old} is set to be changed`,
    act: (old) => {
      machine.value = wanted
      return changed('The value was changed', { old, new: wanted })
    },
  }
}

describe('ensure', () => {
  test('reports a machine that is as wanted, also in a dry run', async () => {
    const report = { name: 'value', changes: {}, result: true, comment: 'The value is right' }
    expect(await ensure({ test: false }, setting({ value: 1 }, 1))).toEqual(report)
    expect(await ensure({ test: true }, setting({ value: 1 }, 1))).toEqual(report)
  })

  test('closes the gap', async () => {
    const machine = { value: 1 }
    expect(await ensure({ test: false }, setting(machine, 2))).toEqual({
      name: 'value',
      changes: { old: 1, new: 2 },
      result: true,
      comment: 'The value was changed',
    })
    expect(machine.value).toBe(2)
  })

  test('only foresees in a dry run', async () => {
    const machine = { value: 1 }
    const comment = 'The value 1 is set to be changed'
    expect(await ensure({ test: true }, setting(machine, 2))).toEqual({
      name: 'value',
      changes: {},
      result: null,
      comment,
    })
    expect(machine.value).toBe(1)
  })

  test('fails without acting where nothing can be done', async () => {
    const machine = { value: 1 }
    expect(await ensure({ test: false }, setting(machine, -1))).toMatchObject({ result: false, changes: {} })
    expect(machine.value).toBe(1)
  })
})
