// The minion's own small data store: one file of msgpack in the cache directory.
import {
  type Dict,
  decodeMsgpack,
  dictDelete,
  dictGet,
  dictHas,
  dictSet,
  encodeMsgpack,
  equals,
  iterate,
  textOf,
  type Value,
} from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, isHostError, option, reads, ret } from '../../../sdk/mod.ts'

const placeOf = (ctx: FunctionContext): string => `${option(ctx.opts, 'cachedir')}/datastore`

async function store(ctx: FunctionContext): Promise<Dict> {
  try {
    const held = decodeMsgpack(await ctx.host.read(placeOf(ctx)), { dialect: 'bus' })
    return held instanceof Map ? held : new Map()
  } catch (error) {
    if (isHostError(error)) return new Map()
    throw error
  }
}

async function dump(ctx: FunctionContext, data: Dict): Promise<boolean> {
  try {
    await ctx.host.write(placeOf(ctx), encodeMsgpack(data, 'bus'))
    return true
  } catch (error) {
    if (isHostError(error)) return false
    throw error
  }
}

async function set(ctx: FunctionContext, key: Value, value: Value): Promise<true> {
  const held = await store(ctx)
  dictSet(held, key, value)
  await dump(ctx, held)
  return true
}

async function clear(ctx: FunctionContext): Promise<true> {
  try {
    await ctx.host.remove(placeOf(ctx))
  } catch (error) {
    if (!isHostError(error)) throw error
  }
  return true
}

async function get(ctx: FunctionContext, key: Value, fallback: Value): Promise<Value> {
  const held = await store(ctx)
  const text = textOf(key)
  if (text !== undefined) return held.get(text) ?? fallback
  const values: Value[] = []
  for (const name of iterate(key)) {
    const value = dictGet(held, name) ?? (fallback === null ? undefined : fallback)
    if (value !== undefined) values.push(value)
  }
  return values
}

const all = reads({
  doc: 'All that is in the data store.',
  args: {},
  returns: ret.dict('The data'),
  example: 'data.items',
  run: store,
})

export default defineModule({
  name: 'data',
  doc: 'Data that a minion keeps for itself.',
  functions: {
    clear: changes({
      doc: 'Remove everything from the data store.',
      args: {},
      returns: ret.boolean('True'),
      example: 'data.clear',
      run: clear,
    }),
    dump: changes({
      doc: 'Put new data in place of the data store.',
      args: { new_data: arg.dict('The data') },
      returns: ret.boolean('Whether it was written'),
      example: 'data.dump \'{"eggs": "spam"}\'',
      run: (ctx, { new_data }) => dump(ctx, new_data),
    }),
    update: changes({
      doc: 'Set one value.',
      args: { key: arg.any('The key'), value: arg.any('The value') },
      returns: ret.boolean('True'),
      example: 'data.update <key> <value>',
      run: (ctx, { key, value }) => set(ctx, key, value),
    }),
    cas: changes({
      doc: 'Set one value if it is what it is thought to be.',
      args: { key: arg.any('The key'), value: arg.any('The value'), old_value: arg.any('The value it has') },
      returns: ret.boolean('Whether it was set'),
      example: 'data.cas <key> <value> <old_value>',
      run: async (ctx, { key, value, old_value }) => {
        const held = dictGet(await store(ctx), key)
        return held !== undefined && equals(held, old_value) && set(ctx, key, value)
      },
    }),
    pop: changes({
      doc: 'Remove one value.',
      args: { key: arg.any('The key'), default: arg.any('When there is none', { optional: true }) },
      returns: ret.any('The value'),
      example: 'data.pop <key> <default val>',
      run: async (ctx, { key, default: fallback }) => {
        const held = await store(ctx)
        const value = dictDelete(held, key)
        await dump(ctx, held)
        return value ?? fallback
      },
    }),
    load: all,
    items: { ...all },
    get: reads({
      doc: 'One value of the data store, or several.',
      args: {
        key: arg.any('A key, or a list of keys'),
        default: arg.any('Stands for a value that is missing; of several, missing ones are left out without it', {
          optional: true,
        }),
      },
      returns: ret.any('The value, or the values'),
      examples: ["salt '*' data.get key", 'salt \'*\' data.get \'["key1", "key2"]\''],
      run: (ctx, { key, default: fallback }) => get(ctx, key, fallback),
    }),
    keys: reads({
      doc: 'The keys of the data store.',
      args: {},
      returns: ret.list('The keys'),
      example: 'data.keys',
      run: async (ctx) => [...(await store(ctx)).keys()],
    }),
    values: reads({
      doc: 'The values of the data store.',
      args: {},
      returns: ret.list('The values'),
      example: 'data.values',
      run: async (ctx) => [...(await store(ctx)).values()],
    }),
    has_key: reads({
      doc: 'Whether the data store has a key.',
      args: { key: arg.any('The key') },
      returns: ret.boolean('Whether it is there'),
      example: 'data.has_key mykey',
      run: async (ctx, { key }) => dictHas(await store(ctx), key),
    }),
  },
})
