import { afterEach, expect, test, vi } from 'vitest'
import { dictFrom, type Value } from '../../../data/mod.ts'
import type { FunctionContext } from '../../../sdk/mod.ts'
import local from './local.returner.ts'
import multi from './multi_returner.returner.ts'

afterEach(() => vi.restoreAllMocks())

test('local prints its input', () => {
  const printed: unknown[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(text) > 0)
  const ctx = {} as FunctionContext
  local.functions.returner!(ctx, dictFrom({ id: 'web1', return: true }))
  local.functions.event_return!(ctx, [dictFrom({ tag: 'a' })])
  expect(printed).toEqual(["{'id': 'web1', 'return': True}\n", "[{'tag': 'a'}]\n"])
})

/** A site whose returners `one` and `two` store jobs, and `bad` fails. */
function site(names: string[]) {
  const stored: string[] = []
  const ctx = {
    opts: dictFrom({ multi_returner: names }) as Map<string, Value>,
    returner: async (name: string, fun: string) => {
      if (name === 'none') return undefined
      return async () => {
        if (name === 'bad') throw new Error('no server')
        stored.push(`${name}.${fun}`)
        return dictFrom({ [name]: fun })
      }
    },
  } as unknown as FunctionContext
  return { ctx, stored }
}

test('multi_returner hands to all and merges', async () => {
  const { ctx, stored } = site(['one', 'two'])
  await multi.functions.returner!(ctx, new Map())
  expect(stored).toEqual(['one.returner', 'two.returner'])
  expect(Object.fromEntries(await multi.functions.get_jid!(ctx, '1'))).toEqual({ one: 'get_jid', two: 'get_jid' })
})

test.each<[string[], string, string[]]>([
  [['bad', 'none', 'two'], 'bad: no server; The returner none.returner is not available', ['two.returner']],
  [[], 'The option multi_returner names no returners', []],
  [['multi_returner'], 'The option multi_returner names multi_returner itself', []],
])('multi_returner with %j reports the failures', async (names, message, expected) => {
  const { ctx, stored } = site(names)
  await expect(multi.functions.returner!(ctx, new Map())).rejects.toThrow(message)
  expect(stored).toEqual(expected)
})
