// System statistics from the functions of `status`.
import {
  type Dict,
  dictFrom,
  getIndex,
  isDict,
  isFailure,
  isList,
  keyError,
  PyError,
  str,
  typeError,
  typeName,
  type Value,
} from '../../../data/mod.ts'
import { type BeaconContext, defineBeacon, intOf, ownOptions } from '../../../sdk/mod.ts'

const EVERYTHING: Dict = new Map<Value, Value>(
  ['loadavg', 'cpustats', 'meminfo', 'vmstats', 'time'].map((fun) => [fun, ['all']]),
)

/** Like `data[item]`. */
function itemOf(data: Value, item: Value): Value {
  if (isDict(data)) {
    const found = data.get(item)
    if (found === undefined) throw keyError(item)
    return found
  }
  if (isList(data)) return getIndex([...data], item)
  if (typeof data === 'string') return getIndex(data, item)
  throw typeError(`'${typeName(data)}' object is not subscriptable`)
}

const isRaised = (error: unknown, type: string): error is PyError => error instanceof PyError && error.code === type

/** Copy an item by its name or number; a missing item replaces the result by an error text. */
function withItem(facts: Value, data: Value, item: Value): Value {
  const put = (key: Value): void => {
    const value = itemOf(data, key)
    if (!isDict(facts)) throw typeError("'str' object does not support item assignment")
    facts.set(item, value)
  }
  try {
    try {
      put(item)
    } catch (error) {
      if (!isRaised(error, 'TypeError')) throw error
      put(intOf(item))
    }
    return facts
  } catch (error) {
    if (!isRaised(error, 'KeyError')) throw error
    return `Status beacon is incorrectly configured: ${error.message}`
  }
}

async function factsOf(ctx: BeaconContext, fun: string, wanted: Value): Promise<Value> {
  if (!ctx.has(`status.${fun}`)) throw keyError(`status.${fun}`)
  let data: Value
  try {
    data = await ctx.call(`status.${fun}`)
  } catch (error) {
    if (!isFailure(error)) throw error
    ctx.log('debug', `Status beacon attempted to process function ${fun} but encountered error: ${error.message}`)
    return new Map()
  }
  let facts: Value = new Map()
  for (const item of isList(wanted) ? [...wanted] : [wanted]) {
    facts = item === 'all' ? data : withItem(facts, data, item)
  }
  return facts
}

export default defineBeacon({
  name: 'status',
  doc: 'Report system statistics: load, memory, CPU and more.',
  validate: () => undefined,
  beacon: async (ctx, config) => {
    const own = ownOptions(config)
    const all: Dict = new Map()
    for (const [fun, wanted] of own.size > 0 ? own : EVERYTHING) all.set(fun, await factsOf(ctx, str(fun), wanted))
    const tag = new Date().toISOString().replace('Z', '000')
    return [dictFrom({ tag, data: all })]
  },
})
