// Calculates with the last values of a list in the register.
import { lookup } from '../../../base/mod.ts'
import { compare, type Dict, float, isDict, isList, numberOf, PyError, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  defineState,
  reportOn,
  type StateContext,
  type StateFunction,
  state,
} from '../../../sdk/mod.ts'
import { registered } from './register.ts'

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b)

function medianGrouped(values: readonly number[]): number {
  const all = sorted(values)
  const middle = all[Math.floor(all.length / 2)]!
  const below = all.filter((value) => value < middle).length
  const same = all.filter((value) => value === middle).length
  return middle - 0.5 + (all.length / 2 - below) / same
}

/** Return the most frequent value; of several, the first one. */
function mode(values: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return [...counts].find(([, count]) => count === most)![0]
}

const low = (values: readonly number[]): number => sorted(values)[Math.ceil(values.length / 2) - 1]!
const high = (values: readonly number[]): number => sorted(values)[Math.floor(values.length / 2)]!

interface Operator {
  doc: string
  of(values: readonly number[]): number
}

const OPERATORS: Readonly<Record<string, Operator>> = lookup({
  add: { doc: 'the sum', of: sum },
  mul: { doc: 'the product', of: (values) => values.reduce((product, value) => product * value, 1) },
  mean: { doc: 'the mean', of: (values) => sum(values) / values.length },
  median: { doc: 'the median', of: (values) => (low(values) + high(values)) / 2 },
  median_low: { doc: 'the low median', of: low },
  median_high: { doc: 'the high median', of: high },
  median_grouped: { doc: 'the median of grouped values', of: medianGrouped },
  mode: { doc: 'the most frequent', of: mode },
})

const calcArgs = {
  name: arg.string('Name of a list in the register'),
  num: arg.integer('Number of the last values to use'),
}
const limits = {
  minimum: arg.number('Least result that succeeds; 0 for no limit', { default: 0 }),
  maximum: arg.number('Greatest result that succeeds; 0 for no limit', { default: 0 }),
  ref: arg.text('Key of the value in the dicts of the list', { optional: true }),
}

/** Return the last values, newest first: each item, or its value under `ref`. */
function lastValues(list: readonly Value[], num: number, ref: string | null): number[] {
  const last = num > 0 ? list.slice(-num).reverse() : []
  return last.map((item) => {
    const value = ref === null ? item : isDict(item) ? (item.get(ref) ?? null) : null
    const number = numberOf(value)
    if (number === undefined) throw new PyError('TypeError', "can't convert type 'NoneType' to numerator/denominator")
    return number
  })
}

function calculated(ctx: StateContext, oper: string, given: Bound<typeof calcArgs & typeof limits>) {
  const { name, num, minimum, maximum, ref } = given
  const report = reportOn(name)
  const list = registered(ctx, name)
  if (list === undefined) return report(false, `${name} not found in register`)
  const operator = OPERATORS[oper]
  if (!operator) return report(false, `There is no operator ${oper}`)
  const values = lastValues(isList(list) ? [...list] : [], Number(num), ref)
  if (values.length === 0) return report(false, `There are no values in ${name}`)
  const answer = operator.of(values)
  const isWhole = Number.isInteger(answer) && (oper !== 'median' || values.length % 2 === 1)
  const shown: Value = isWhole ? answer : float(answer)
  const isLow = compare('>', minimum, 0) && compare('<', shown, minimum)
  const isHigh = compare('>', maximum, 0) && compare('>', shown, maximum)
  const changes: Dict = new Map<Value, Value>([
    ['Number of values', values.length],
    ['Operator', oper],
    ['Answer', shown],
  ])
  return report(!isLow && !isHigh, '', changes)
}

const functions = Object.entries(OPERATORS).map(([oper, { doc }]): [string, StateFunction] => [
  oper,
  state({
    doc: `Calculate ${doc} of the last values. Fail outside of the limits.`,
    args: { ...calcArgs, ...limits },
    run: (ctx, given) => calculated(ctx, oper, given),
  }),
])

export default defineState({
  name: 'calc',
  doc: 'Calculate with the last values of a list in the register, and fail outside of limits.',
  functions: {
    calc: state({
      doc: 'Apply an operator to the last values. Fail outside of the limits.',
      args: { ...calcArgs, oper: arg.string(`Operator: ${Object.keys(OPERATORS).join(', ')}`), ...limits },
      run: (ctx, { oper, ...given }) => calculated(ctx, oper, given),
    }),
    ...Object.fromEntries(functions),
  },
})
