// The environment of the minion's process, which commands inherit.
import { type Dict, dictEntries, equals, str, textOf, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

async function setval(ctx: FunctionContext, key: Value, value: Value, falseUnsets: Value): Promise<Value> {
  const name = textOf(key)
  if (value === false && falseUnsets === true) {
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

interface Setting {
  environ: Value
  false_unsets: Value
  clear_all: Value
  update_minion: Value
  permanent: Value
}

async function setenv(ctx: FunctionContext, args: Setting): Promise<Value> {
  const { environ, false_unsets } = args
  if (!(environ instanceof Map)) {
    ctx.log('debug', `environ: 'environ' argument is not a dict: '${str(environ)}'`)
    return false
  }
  const done = new Map<Value, Value>()
  if (args.clear_all === true) {
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
  if (args.update_minion === true) {
    const data = new Map<Value, Value>([
      ['environ', environ],
      ['false_unsets', false_unsets],
      ['clear_all', args.clear_all],
      ['permanent', args.permanent],
    ])
    await ctx.call('event.fire', [data, 'environ_setenv'])
  }
  return done
}

/** The name, or nothing (with a line in the log) when it is no text. */
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

async function item(ctx: FunctionContext, keys: Value, fallback: Value): Promise<Dict> {
  const env = await ctx.host.env()
  const list = textOf(keys) === undefined ? (Array.isArray(keys) ? (keys as Value[]) : []) : [keys]
  return new Map(list.map((key) => [key, env.get(textOf(key) ?? '') ?? fallback]))
}

const key = arg.any('The name of the variable')
const false_unsets = arg.any('Whether false removes a variable; else it becomes empty', { default: false })
const permanent = arg.any('For Windows: also in the registry', { default: false })

export default defineModule({
  name: 'environ',
  doc: 'Read and set environment variables of the minion.',
  functions: {
    setval: changes({
      doc: 'Set one variable.',
      args: { key, val: arg.any('Text, or false'), false_unsets, permanent },
      returns: ret.any('The value set; None when removed; false when it could not be set'),
      example: 'environ.setval foo bar',
      run: (ctx, { key, val, false_unsets }) => setval(ctx, key, val, false_unsets),
    }),
    setenv: changes({
      doc: 'Set several variables.',
      args: {
        environ: arg.any('Values by name'),
        false_unsets,
        clear_all: arg.any('Whether all other variables are emptied or removed', { default: false }),
        update_minion: arg.any('Whether the main minion process is told', { default: false }),
        permanent,
      },
      returns: ret.any('What was set, by name'),
      example: 'environ.setenv \'{"foo": "bar", "baz": "quux"}\'',
      run: setenv,
    }),
    get: reads({
      doc: 'The value of one variable.',
      args: { key, default: arg.any('For a variable that is not set', { default: '' }) },
      returns: ret.any('The value'),
      example: 'environ.get foo',
      run: async (ctx, { key, default: fallback }) => {
        const name = nameOf(ctx, key)
        return name === undefined ? false : ((await ctx.host.env()).get(name) ?? fallback)
      },
    }),
    has_value: reads({
      doc: 'Whether a variable is set, or set to a value.',
      args: { key, value: arg.any('The value', { optional: true }) },
      returns: ret.boolean('Whether it is'),
      example: 'environ.has_value foo',
      run: (ctx, { key, value }) => hasValue(ctx, key, value),
    }),
    item: reads({
      doc: 'The values of some variables.',
      args: { keys: arg.any('A name, or a list'), default: arg.any('For those not set', { default: '' }) },
      returns: ret.dict('Values by name'),
      example: "environ.item '[foo, baz]' default=None",
      run: (ctx, { keys, default: fallback }) => item(ctx, keys, fallback),
    }),
    items: reads({
      doc: 'All variables.',
      args: {},
      returns: ret.dict('Values by name'),
      example: 'environ.items',
      run: async (ctx) => new Map<Value, Value>(await ctx.host.env()),
    }),
  },
})
