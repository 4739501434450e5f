// The environment of the minion process, which commands inherit.
import { type Dict, dictEntries, dictFrom, equals, str, textOf, type Value } from '../../../data/mod.ts'
import { arg, type Bound, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

async function setval(ctx: FunctionContext, key: Value, value: Value, falseUnsets: boolean): Promise<Value> {
  const name = textOf(key)
  if (value === false && falseUnsets) {
    if (name === undefined) return complaint(ctx, `Exception occurred when unsetting environ key '${str(key)}'`)
    await ctx.host.setEnv(name, null)
    return null
  }
  const text = value === false ? '' : textOf(value)
  if (text === undefined) {
    ctx.log('debug', `environ: 'val' argument for key '${str(key)}' is not a string or False: '${str(value)}'`)
    return false
  }
  if (name === undefined || name === '' || /[=\0]/.test(name) || text.includes('\0')) {
    return complaint(ctx, `Exception occurred when setting environ key '${str(key)}'`)
  }
  await ctx.host.setEnv(name, text)
  return text
}

function complaint(ctx: FunctionContext, text: string): false {
  ctx.log('error', `environ: ${text}`)
  return false
}

type Setting = Bound<typeof setenvArgs>

async function setenv(ctx: FunctionContext, request: Setting): Promise<Value> {
  const { environ, false_unsets, clear_all, update_minion, permanent } = request
  if (!(environ instanceof Map)) {
    ctx.log('debug', `environ: 'environ' argument is not a dict: '${str(environ)}'`)
    return false
  }
  const done = new Map<Value, Value>()
  if (clear_all) {
    for (const name of (await ctx.host.env()).keys()) {
      if (!environ.has(name)) done.set(name, await setval(ctx, name, false, false_unsets))
    }
  }
  for (const [key, value] of dictEntries(environ)) {
    if (value !== false && textOf(value) === undefined) {
      ctx.log('debug', `environ: 'val' argument for key '${str(key)}' is not a string or False: '${str(value)}'`)
      return false
    }
    done.set(key, await setval(ctx, key, value, value === false ? false_unsets : false))
  }
  if (update_minion) {
    const data = dictFrom({ environ, false_unsets, clear_all, permanent })
    await ctx.call('event.fire', [data, 'environ_setenv'])
  }
  return done
}

/** Return the name; log and return undefined if it is not a text. */
function nameOf(ctx: FunctionContext, key: Value): string | undefined {
  const name = textOf(key)
  if (name === undefined) ctx.log('debug', `environ: 'key' argument is not a string type: '${str(key)}'`)
  return name
}

async function hasValue(ctx: FunctionContext, key: Value, value: Value): Promise<boolean> {
  const name = nameOf(ctx, key)
  const held = name === undefined ? undefined : (await ctx.host.env()).get(name)
  return held !== undefined && (value === null || equals(held, value))
}

async function item(ctx: FunctionContext, keys: string[], fallback: Value): Promise<Dict> {
  const env = await ctx.host.env()
  return new Map(keys.map((key) => [key, env.get(key) ?? fallback]))
}

const key = arg.any('Variable name, as text; other types are refused')
const false_unsets = arg.flag('Whether False removes a variable instead of emptying it', { default: false })
const permanent = arg.flag('Whether to write to the registry as well, on Windows', { default: false })

const setenvArgs = {
  environ: arg.any('Dict of values by name'),
  false_unsets,
  clear_all: arg.flag('Whether to empty or remove all other variables', { default: false }),
  update_minion: arg.flag('Whether to notify the main minion process', { default: false }),
  permanent,
}

export default defineModule({
  name: 'environ',
  doc: 'Read and set environment variables of the minion.',
  functions: {
    setval: changes({
      doc: 'Set a variable.',
      args: { key, val: arg.any('Value, as text; False empties or removes the variable'), false_unsets, permanent },
      returns: ret.any('The value; None if removed; False if it could not be set'),
      example: 'environ.setval foo bar',
      run: (ctx, { key, val, false_unsets }) => setval(ctx, key, val, false_unsets),
    }),
    setenv: changes({
      doc: 'Set several variables.',
      args: setenvArgs,
      returns: ret.any('The values by name'),
      example: 'environ.setenv \'{"foo": "bar", "baz": "quux"}\'',
      run: setenv,
    }),
    get: reads({
      doc: 'Return the value of a variable.',
      args: { key, default: arg.any('Value returned for a variable that is not set', { default: '' }) },
      returns: ret.any('The value'),
      example: 'environ.get foo',
      run: async (ctx, { key, default: fallback }) => {
        const name = nameOf(ctx, key)
        return name === undefined ? false : ((await ctx.host.env()).get(name) ?? fallback)
      },
    }),
    has_value: reads({
      doc: 'Return whether a variable is set, or has a value.',
      args: { key, value: arg.any('Value, as text; any value if None', { optional: true }) },
      returns: ret.boolean('Whether it is set'),
      example: 'environ.has_value foo',
      run: (ctx, { key, value }) => hasValue(ctx, key, value),
    }),
    item: reads({
      doc: 'Return the values of variables.',
      args: {
        keys: arg.words('Variable names, as a list or with commas'),
        default: arg.any('Value returned for a variable that is not set', { default: '' }),
      },
      returns: ret.dict('Values by name'),
      example: "environ.item '[foo, baz]' default=None",
      run: (ctx, { keys, default: fallback }) => item(ctx, keys, fallback),
    }),
    items: reads({
      doc: 'Return all variables.',
      returns: ret.dict('Values by name'),
      run: async (ctx) => new Map<Value, Value>(await ctx.host.env()),
    }),
  },
})
