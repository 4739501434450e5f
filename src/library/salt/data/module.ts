// The data store of the minion: one file of msgpack in the cache directory.
import { recover } from '../../../base/mod.ts'
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

const pathOf = (ctx: FunctionContext): string => `${option(ctx.opts, 'cachedir')}/datastore`

async function store(ctx: FunctionContext): Promise<Dict> {
  return recover(isHostError, new Map(), async () => {
    const held = decodeMsgpack(await ctx.host.read(pathOf(ctx)), { dialect: 'bus' })
    return held instanceof Map ? held : new Map()
  })
}

async function dump(ctx: FunctionContext, data: Dict): Promise<boolean> {
  return recover(isHostError, false, async () => {
    await ctx.host.write(pathOf(ctx), encodeMsgpack(data, 'bus'))
    return true
  })
}

async function set(ctx: FunctionContext, key: Value, value: Value): Promise<true> {
  const held = await store(ctx)
  dictSet(held, key, value)
  await dump(ctx, held)
  return true
}

async function clear(ctx: FunctionContext): Promise<true> {
  try {
    await ctx.host.remove(pathOf(ctx))
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

const key = arg.any('Key of any type')
const value = arg.any('Value of any type')

const all = reads({
  doc: 'Return all data of the data store.',
  example: 'data.items',
  returns: ret.dict('Data'),
  run: store,
})

export default defineModule({
  name: 'data',
  doc: 'Read and change the data store of the minion.',
  functions: {
    clear: changes({
      doc: 'Remove all data of the data store.',
      returns: ret.boolean('True'),
      run: clear,
    }),
    dump: changes({
      doc: 'Replace the data of the data store.',
      args: { new_data: arg.dict('New data') },
      returns: ret.boolean('Whether the data store was written'),
      example: 'data.dump \'{"eggs": "spam"}\'',
      run: (ctx, { new_data }) => dump(ctx, new_data),
    }),
    update: changes({
      doc: 'Set a value.',
      args: { key, value },
      returns: ret.boolean('True'),
      example: 'data.update <key> <value>',
      run: (ctx, { key, value }) => set(ctx, key, value),
    }),
    cas: changes({
      doc: 'Set a value if its current value is the expected value.',
      args: { key, value, old_value: value },
      returns: ret.boolean('Whether the value was set'),
      example: 'data.cas <key> <value> <old_value>',
      run: async (ctx, { key, value, old_value }) => {
        const held = dictGet(await store(ctx), key)
        return held !== undefined && equals(held, old_value) && set(ctx, key, value)
      },
    }),
    pop: changes({
      doc: 'Remove a value and return it.',
      args: { key, default: arg.any('Value of any type to return if there is none', { optional: true }) },
      returns: ret.any('Value'),
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
      doc: 'Return one value of the data store, or several values.',
      args: {
        key: arg.any('Key as text, or a list of keys'),
        default: arg.any('Value to return for a missing key. Default: None, or nothing in a list', {
          optional: true,
        }),
      },
      returns: ret.any('Value, or a list of values'),
      examples: ["salt '*' data.get key", 'salt \'*\' data.get \'["key1", "key2"]\''],
      run: (ctx, { key, default: fallback }) => get(ctx, key, fallback),
    }),
    keys: reads({
      doc: 'Return the keys of the data store.',
      returns: ret.list('Keys'),
      run: async (ctx) => [...(await store(ctx)).keys()],
    }),
    values: reads({
      doc: 'Return the values of the data store.',
      returns: ret.list('Values'),
      run: async (ctx) => [...(await store(ctx)).values()],
    }),
    has_key: reads({
      doc: 'Return whether the data store has a key.',
      args: { key },
      returns: ret.boolean('Whether the key exists'),
      example: 'data.has_key mykey',
      run: async (ctx, { key }) => dictHas(await store(ctx), key),
    }),
  },
})
