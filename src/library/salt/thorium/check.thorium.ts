// States that succeed or fail by what is in the register: others require them.
import { compare, contains, equals, isList, len, numberOf, type Value } from '../../../data/mod.ts'
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

const name = arg.string('The name in the register')

/** What is asked of a value in the register, or the comment that it is not there. */
function judged(ctx: StateContext, name: string, holds: (value: Value) => boolean) {
  const value = registered(ctx, name)
  if (value === undefined) return reportOn(name)(false, `Value ${name} not in register`)
  return reportOn(name)(holds(value), '')
}

type Test = (left: Value, right: Value) => boolean

/** By the ends of their names. */
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
    args: { name, value: arg.any('What it is compared with') },
    run: (ctx, { name, value }) => judged(ctx, name, (own) => test(of(own), value)),
  })

const values = TESTS.map(([end, words, test]) => [
  end,
  comparison(`Succeeds when the value in the register is ${words} the given one.`, test, (value) => value),
])
const lengths = TESTS.map(([end, words, test]) => [
  `len_${end}`,
  comparison(`Succeeds when the length of the value in the register is ${words} the given one.`, test, len),
])

const COUNTS: ReadonlyArray<readonly [option: string, test: (left: number, right: number) => boolean]> = [
  ['count_lt', (left, right) => left < right],
  ['count_lte', (left, right) => left <= right],
  ['count_eq', (left, right) => left === right],
  ['count_gte', (left, right) => left >= right],
  ['count_gt', (left, right) => left > right],
  ['count_ne', (left, right) => left !== right],
]

const count = arg.any('How often it must be there', { optional: true })

export default defineState({
  name: 'check',
  doc: 'Succeeds or fails by what is in the register, for others to require.',
  functions: {
    ...(Object.fromEntries([...values, ...lengths]) as Record<string, StateFunction>),
    contains: state({
      doc: 'Succeeds when the value in the register contains the given one, or contains it as often as is said.',
      args: {
        name,
        value: arg.any('What is looked for'),
        count_lt: count,
        count_lte: count,
        count_eq: count,
        count_gte: count,
        count_gt: count,
        count_ne: count,
      },
      run: (ctx, { name, value, ...counts }) =>
        judged(ctx, name, (own) => {
          const given = COUNTS.filter(([option]) => counts[option as keyof typeof counts])
          if (given.length === 0) return holdsMember(own, value)
          const times = isList(own)
            ? [...own].filter((item) => equals(item, value)).length
            : Number(holdsMember(own, value))
          return given.every(([option, test]) => test(times, numberOf(counts[option as keyof typeof counts]) ?? 0))
        }),
    }),
    event: state({
      doc: 'Succeeds when an event of this turn has a tag that the name means.',
      args: { name: arg.string('A glob of tags, or a regular expression') },
      run: (ctx, { name }) => reportOn(name)(meantEvents(thoriumOf(ctx), name).length > 0, ''),
    }),
  },
})

/** What cannot contain anything does not contain it. */
function holdsMember(own: Value, value: Value): boolean {
  try {
    return contains(own, value)
  } catch {
    return false
  }
}
