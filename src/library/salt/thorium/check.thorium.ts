// States that succeed or fail by a value in the register, for other states to require.
import { isAnyError, recover } from '../../../base/mod.ts'
import { compare, contains, equals, isList, len, type Value } from '../../../data/mod.ts'
import {
  arg,
  defineState,
  meantEvents,
  reportOn,
  type StateContext,
  type StateFunction,
  state,
  thoriumOf,
} from '../../../sdk/mod.ts'
import { registered } from './register.ts'

const name = arg.string('Name in the register')

/** Report whether a condition holds for a value in the register. */
function judged(ctx: StateContext, name: string, holds: (value: Value) => boolean) {
  const value = registered(ctx, name)
  if (value === undefined) return reportOn(name)(false, `Value ${name} not in register`)
  return reportOn(name)(holds(value), '')
}

type Test = (left: Value, right: Value) => boolean

/** The comparisons by the end of the function name. */
const TESTS: ReadonlyArray<readonly [end: string, words: string, test: Test]> = [
  ['gt', 'greater than', (left, right) => compare('>', left, right)],
  ['gte', 'greater than or equal to', (left, right) => compare('>=', left, right)],
  ['lt', 'less than', (left, right) => compare('<', left, right)],
  ['lte', 'less than or equal to', (left, right) => compare('<=', left, right)],
  ['eq', 'equal to', equals],
  ['ne', 'not equal to', (left, right) => !equals(left, right)],
]

const comparison = (doc: string, test: Test, of: (value: Value) => Value): StateFunction =>
  state({
    doc,
    args: { name, value: arg.any('Value of any type to compare with') },
    run: (ctx, { name, value }) => judged(ctx, name, (own) => test(of(own), value)),
  })

const values = TESTS.map(([end, words, test]): [string, StateFunction] => [
  end,
  comparison(`Succeed if the value in the register is ${words} the given value.`, test, (value) => value),
])
const lengths = TESTS.map(([end, words, test]): [string, StateFunction] => [
  `len_${end}`,
  comparison(`Succeed if the length of the value in the register is ${words} the given value.`, test, len),
])

const count = arg.count('Number of times that the value must be there', { optional: true })
const counts = {
  count_lt: count,
  count_lte: count,
  count_eq: count,
  count_gte: count,
  count_gt: count,
  count_ne: count,
}

const COUNTS: ReadonlyArray<readonly [option: keyof typeof counts, test: (left: number, right: number) => boolean]> = [
  ['count_lt', (left, right) => left < right],
  ['count_lte', (left, right) => left <= right],
  ['count_eq', (left, right) => left === right],
  ['count_gte', (left, right) => left >= right],
  ['count_gt', (left, right) => left > right],
  ['count_ne', (left, right) => left !== right],
]

export default defineState({
  name: 'check',
  doc: 'Succeed or fail by a value in the register, for other states to require.',
  functions: {
    ...Object.fromEntries([...values, ...lengths]),
    contains: state({
      doc: 'Succeed if the value in the register contains a value, or contains it a number of times.',
      args: { name, value: arg.any('Value of any type to search for'), ...counts },
      run: (ctx, { name, value, ...wanted }) =>
        judged(ctx, name, (own) => {
          const given = COUNTS.filter(([option]) => wanted[option])
          if (given.length === 0) return holdsMember(own, value)
          const times = isList(own)
            ? [...own].filter((item) => equals(item, value)).length
            : Number(holdsMember(own, value))
          return given.every(([option, test]) => test(times, wanted[option] ?? 0))
        }),
    }),
    event: state({
      doc: 'Succeed if an event of this turn has a matching tag.',
      args: { name: arg.string('Glob of tags, or a regular expression') },
      run: (ctx, { name }) => reportOn(name)(meantEvents(thoriumOf(ctx), name).length > 0, ''),
    }),
  },
})

/** Return whether a value contains another one; false for a value that cannot contain any. */
function holdsMember(own: Value, value: Value): boolean {
  return recover(isAnyError, false, () => contains(own, value))
}
