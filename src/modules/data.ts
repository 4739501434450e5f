// The minion's own small data store. Reading only: what `data.update` and its like wrote is in the loader's memory.
import { type Dict, dictGet, dictHas, iterate, textOf, type Value } from '../data/mod.ts'
import { arg, defineModule, type FunctionContext, fn, ret } from '../sdk/mod.ts'

const STORE = 'data.store'

function store(ctx: FunctionContext): Dict {
  const held = ctx.memory.get(STORE)
  return held instanceof Map ? held : new Map()
}

function get(ctx: FunctionContext, key: Value, fallback: Value): Value {
  const held = store(ctx)
  const text = textOf(key)
  if (text !== undefined) return held.get(text) ?? fallback
  const values: Value[] = []
  for (const name of iterate(key)) {
    const value = dictGet(held, name) ?? (fallback === null ? undefined : fallback)
    if (value !== undefined) values.push(value)
  }
  return values
}

const all = fn({
  doc: 'All that is in the data store.',
  args: {},
  returns: ret.dict('The data'),
  examples: ["salt '*' data.items"],
  effect: 'read',
  run: store,
})

export default defineModule({
  name: 'data',
  doc: 'Data that a minion keeps for itself.',
  functions: {
    load: all,
    items: all,
    get: fn({
      doc: 'One value of the data store, or several.',
      args: {
        key: arg.any('A key, or a list of keys'),
        default: arg.any('Stands for a value that is missing; of several, missing ones are left out without it', {
          optional: true,
        }),
      },
      returns: ret.any('The value, or the values'),
      examples: ["salt '*' data.get key", 'salt \'*\' data.get \'["key1", "key2"]\''],
      effect: 'read',
      run: (ctx, { key, default: fallback }) => get(ctx, key, fallback),
    }),
    keys: fn({
      doc: 'The keys of the data store.',
      args: {},
      returns: ret.list('The keys'),
      examples: ["salt '*' data.keys"],
      effect: 'read',
      run: (ctx) => [...store(ctx).keys()],
    }),
    values: fn({
      doc: 'The values of the data store.',
      args: {},
      returns: ret.list('The values'),
      examples: ["salt '*' data.values"],
      effect: 'read',
      run: (ctx) => [...store(ctx).values()],
    }),
    has_key: fn({
      doc: 'Whether the data store has a key.',
      args: { key: arg.any('The key') },
      returns: ret.boolean('Whether it is there'),
      examples: ["salt '*' data.has_key mykey"],
      effect: 'read',
      run: (ctx, { key }) => dictHas(store(ctx), key),
    }),
  },
})
