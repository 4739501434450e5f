// Numbers of the machine, as the functions of `status` give them.
import { type Dict, isDict, isList, numberOf, SaltError, str, type Value } from '../data/mod.ts'
import { type BeaconContext, defineBeacon, ownOptions } from '../sdk/mod.ts'

const EVERYTHING: Dict = new Map<Value, Value>(
  ['loadavg', 'cpustats', 'meminfo', 'vmstats', 'time'].map((fun) => [fun, ['all']]),
)

function itemOf(data: Value, item: Value): Value | undefined {
  if (isDict(data)) return data.get(item)
  const index = numberOf(item)
  return index === undefined || !isList(data) ? undefined : [...data][index]
}

async function factsOf(ctx: BeaconContext, fun: string, wanted: Value): Promise<Value> {
  let data: Value
  try {
    data = await ctx.call(`status.${fun}`)
  } catch (error) {
    if (!(error instanceof SaltError) || error.code !== 'CommandExecutionError') throw error
    ctx.log('debug', `Status beacon attempted to process function ${fun} but encountered error: ${error.message}`)
    return new Map()
  }
  let facts: Value = new Map()
  for (const item of isList(wanted) ? [...wanted] : [wanted]) {
    if (item === 'all') facts = data
    else {
      const found = itemOf(data, item)
      if (found === undefined) facts = `Status beacon is incorrectly configured: '${str(item)}'`
      else if (isDict(facts)) facts.set(item, found)
    }
  }
  return facts
}

export default defineBeacon({
  name: 'status',
  doc: 'Tells numbers of the machine: load, memory, CPU and more.',
  validate: () => undefined,
  beacon: async (ctx, config) => {
    const own = ownOptions(config)
    const all: Dict = new Map()
    for (const [fun, wanted] of own.size > 0 ? own : EVERYTHING) all.set(fun, await factsOf(ctx, str(fun), wanted))
    const tag = new Date().toISOString().replace('Z', '000')
    return [
      new Map<Value, Value>([
        ['tag', tag],
        ['data', all],
      ]),
    ]
  },
})
