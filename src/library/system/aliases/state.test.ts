import { expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import aliases from './state.ts'

const apply = async (fun: string, kwargs: Record<string, Value>, known: Record<string, string>, dry = false) => {
  const others = {
    'aliases.has_target': ([name, target]: readonly Value[]) => known[name as string] === target,
    'aliases.get_target': ([name]: readonly Value[]) => known[name as string] ?? '',
    'aliases.set_target': ([name, target]: readonly Value[]) => {
      known[name as string] = target as string
      return true
    },
    'aliases.rm_alias': ([name]: readonly Value[]) => delete known[name as string],
  }
  return toPlain(await tryState(aliases, fun, { kwargs, others, test: dry }))
}

test('alias.present sets a target, once, and not in a dry run', async () => {
  const known: Record<string, string> = {}
  const wanted = { name: 'root', target: 'me@example.com' }
  expect(await apply('present', wanted, known, true)).toMatchObject({ result: null, changes: {} })
  expect(known).toEqual({})
  expect(await apply('present', wanted, known)).toMatchObject({ result: true, changes: { alias: 'root' } })
  expect(known).toEqual({ root: 'me@example.com' })
  expect(await apply('present', wanted, known)).toMatchObject({ comment: 'Alias root already present', changes: {} })
})

test('alias.absent removes an alias, once', async () => {
  const known = { root: 'me@example.com' }
  expect(await apply('absent', { name: 'root' }, known)).toMatchObject({ comment: 'Removed alias root' })
  expect(known).toEqual({})
  expect(await apply('absent', { name: 'root' }, known)).toMatchObject({ comment: 'Alias root already absent' })
})
