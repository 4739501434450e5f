// These tests are judged by the compiler: the step `types` of the gate fails when one does not hold.
import { describe, expectTypeOf, test } from 'vitest'
import type { Dict, Value } from '../data/mod.ts'
import type { FunctionContext } from './context.ts'
import { reads, ret } from './declare.ts'

type Called<Name extends string> = Awaited<ReturnType<typeof called<Name>>>
const called = <Name extends string>(ctx: FunctionContext, name: Name) => ctx.call(name)

describe('the result type of a call', () => {
  test('is what the function declares', () => {
    expectTypeOf<Called<'cron.list_tab'>>().toEqualTypeOf<Dict>()
    expectTypeOf<Called<'cmd.run'>>().toEqualTypeOf<string>()
    expectTypeOf<Called<'cmd.which'>>().toEqualTypeOf<string | null>()
    expectTypeOf<Called<'cp.cache_file'>>().toEqualTypeOf<string | false>()
  })

  test('is what all providers of a virtual name declare', () => {
    expectTypeOf<Called<'pkg.list_pkgs'>>().toEqualTypeOf<Dict>()
  })

  test('is the union of what the functions declare when one of several is called', () => {
    expectTypeOf<Called<'cmd.run' | 'cmd.run_all'>>().toEqualTypeOf<string | Dict>()
  })

  test('is any value for other names', () => {
    expectTypeOf<Called<'shop.orders'>>().toEqualTypeOf<Value>()
    expectTypeOf<Called<string>>().toEqualTypeOf<Value>()
    expectTypeOf<Called<`pkg.${string}`>>().toEqualTypeOf<Value>()
  })
})

describe('a body', () => {
  const declared = { doc: 'Answer.', args: {} } as const

  test('returns what is declared', () => {
    reads({ ...declared, returns: ret.dict('Facts'), run: () => ({ size: 1, names: ['a'] }) })
    reads({ ...declared, returns: ret.dict('Facts'), run: async () => new Map() })
    reads({ ...declared, returns: ret.optional(ret.texts('Names')), run: () => null })
    reads({ doc: 'Answer.', example: 'shop.answer', args: {}, run: async () => [], returns: ret.texts('Names') })
  })

  test('returns nothing else', () => {
    // @ts-expect-error: text
    reads({ ...declared, returns: ret.dict('Facts'), run: () => 'none' })
    // @ts-expect-error: None
    reads({ ...declared, returns: ret.texts('Names'), run: async () => null })
    // @ts-expect-error: a number in the list
    reads({ doc: 'Answer.', example: 'shop.answer', args: {}, run: () => [1], returns: ret.texts('Names') })
  })

  test('returns any value, or nothing, when nothing is declared', () => {
    reads({ ...declared, run: () => 'text' })
    reads({ ...declared, run: async () => {} })
  })
})
