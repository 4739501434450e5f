// Calls the configured functions of the minion, and reports their results.
import { type Dict, dictFrom, isDict, isList, PyError, str, truthy, type Value } from '../../../data/mod.ts'
import { type BeaconContext, defineBeacon } from '../../../sdk/mod.ts'

type Has = BeaconContext['has']

function problemOf(has: Has, entry: Value): string | undefined {
  if (!isDict(entry)) return has(str(entry)) ? undefined : `${str(entry)} not in __salt__`
  const [fun, given] = [...entry][0] ?? [null, null]
  for (const [key, value] of isDict(given) ? given : []) {
    if (key !== 'args' && key !== 'kwargs') return `key ${str(key)} not allowed under fun ${str(fun)}`
    if (!isList(value)) {
      return `${key} key for fun ${str(fun)} must be list${key === 'args' ? '' : ' of key value pairs'}`
    }
    const wrong = key === 'kwargs' ? [...value].find((item) => !isDict(item)) : undefined
    if (wrong !== undefined) return `${str(wrong)} is not a key / value pair`
  }
  return has(str(fun)) ? undefined : `${str(fun)} not in __salt__`
}

function wanted(config: Dict): Value[] {
  const functions = config.get('salt_fun')
  if (functions === undefined) throw new PyError('KeyError', "'salt_fun'")
  return isList(functions) ? [...functions] : [functions]
}

function callOf(entry: Value): { fun: string; args: Value[]; kwargs: Map<string, Value> } {
  if (!isDict(entry)) return { fun: str(entry), args: [], kwargs: new Map() }
  const [fun, given] = [...entry][0]!
  const part = (name: string): Value[] => {
    const value = isDict(given) ? (given.get(name) ?? null) : null
    return isList(value) ? [...value] : []
  }
  const pairs = part('kwargs').flatMap((item) => (isDict(item) ? [...item] : []))
  return { fun: str(fun), args: part('args'), kwargs: new Map(pairs.map(([key, value]) => [str(key), value])) }
}

export default defineBeacon({
  name: 'salt_monitor',
  doc: 'Report what functions return. `salt_fun` is a function, or a list of functions and of dicts with `args` and `kwargs`.',
  valid: 'valid config',
  validate: (config, has) => {
    for (const entry of wanted(config)) {
      const problem = problemOf(has, entry)
      if (problem !== undefined) return problem
    }
    return undefined
  },
  beacon: async (ctx, config) => {
    const isOne = typeof config.get('salt_fun') === 'string'
    const found: Dict[] = []
    for (const entry of wanted(config)) {
      const { fun, args, kwargs } = callOf(entry)
      const ret = await ctx.call(fun, args, kwargs)
      if (!isOne && !truthy(ret)) continue
      const data: Dict = dictFrom({ salt_fun: fun, ret })
      if (args.length > 0) data.set('args', args)
      if (kwargs.size > 0) data.set('kwargs', new Map<Value, Value>(kwargs))
      found.push(data)
    }
    return found
  },
})
