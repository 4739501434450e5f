// The configuration as functions see it: the options of the minion, then grains, pillar, the options of the master that
// `pillar_opts` put into the pillar, and defaults.
import {
  type Dict,
  dictGet,
  fnmatch,
  merge,
  PyError,
  str,
  strip,
  textOf,
  traverse,
  truthy,
  tuple,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  defineModule,
  type FunctionContext,
  functionDefaults,
  reads,
  ret,
  option as setting,
} from '../../../sdk/mod.ts'

const omit = (source: string) => arg.boolean(`Skip the ${source}`, { default: false })
const defaultValue = (fallback: Value) => arg.any('Value of any type to return if there is none', { default: fallback })
const NOTHING = tuple([])

function masterOptions(ctx: FunctionContext): Value {
  return ctx.pillar.get('master') ?? new Map()
}

/** Resolve a value that names a secret (`sdb://…`). */
function resolved(ctx: FunctionContext, value: Value): Value | Promise<Value> {
  const text = textOf(value)
  return text?.startsWith('sdb://') && ctx.has('sdb.get') ? ctx.call('sdb.get', [text]) : value
}

interface Omissions {
  omit_opts: boolean
  omit_grains: boolean
  omit_pillar: boolean
  omit_master: boolean
}

const omissions = (all: boolean): Omissions => ({
  omit_opts: all,
  omit_grains: all,
  omit_pillar: all,
  omit_master: all,
})

function get(
  ctx: FunctionContext,
  key: Value,
  {
    fallback,
    delimiter,
    strategy,
    omitted,
  }: { fallback: Value; delimiter: string; strategy: Value; omitted: Omissions },
): Value | Promise<Value> {
  const sources = strategy === null ? sourcesInOrder(ctx, omitted) : [merged(ctx, strategy)]
  for (const source of sources) {
    const value = traverse(source, key, { default: NOTHING, delimiter })
    // this text is Salt's own mark for "not found"
    if (value !== NOTHING && value !== '_|-') return resolved(ctx, value)
  }
  return fallback
}

function* sourcesInOrder(ctx: FunctionContext, omitted: Omissions): Generator<Value> {
  if (!omitted.omit_opts) yield ctx.opts
  if (!omitted.omit_grains) yield ctx.grains
  if (!omitted.omit_pillar) yield ctx.pillar
  if (!omitted.omit_master) yield masterOptions(ctx)
  yield functionDefaults()
}

function merged(ctx: FunctionContext, asked: Value): Value {
  let strategy = str(asked)
  if (strategy !== 'recurse' && strategy !== 'overwrite') {
    ctx.log('warning', `Unsupported merge strategy '${strategy}'. Falling back to 'recurse'.`)
    strategy = 'recurse'
  }
  const mergeLists = setting(ctx.opts, 'pillar_merge_lists')
  let data: Value = functionDefaults()
  for (const source of [masterOptions(ctx), ctx.pillar, ctx.grains, ctx.opts]) {
    data = merge(data, source, { strategy, mergeLists })
  }
  return data
}

function option(ctx: FunctionContext, name: Value, fallback: Value, omitted: Omissions): Value {
  for (const source of sourcesInOrder(ctx, omitted)) {
    const value = source instanceof Map ? dictGet(source, name) : undefined
    if (value !== undefined) return value
  }
  return fallback ?? ''
}

function matchingOptions(ctx: FunctionContext, pattern: string, fallback: Value, omitted: Omissions): Value {
  const options: Dict = new Map()
  const defaults = functionDefaults()
  const sources = [...sourcesInOrder(ctx, omitted)].slice(0, -1).reverse()
  for (const source of [...sources, defaults]) {
    if (!(source instanceof Map)) continue
    for (const [key, value] of source) {
      if (fnmatch(str(key), pattern) && !(source === defaults && options.has(key))) options.set(key, value)
    }
  }
  return options.size > 0 ? options : (fallback ?? new Map())
}

/** Join all values of a name: dicts by key, with earlier sources first, and lists end to end. */
function mergedOption(name: Value, fallback: Value, sources: readonly Value[]): Value {
  let result: Value = null
  for (const source of sources) {
    if (!(source instanceof Map) || !source.has(name)) continue
    const value = source.get(name) ?? null
    if (result === null) {
      result = value
      if (typeof result === 'string') return result
    } else if (result instanceof Map && value instanceof Map) result = new Map([...value, ...result])
    else if (Array.isArray(result) && Array.isArray(value)) result = [...result, ...value]
  }
  if (result !== null) return result
  return dictGet(functionDefaults(), name) ?? fallback
}

const PROTOCOLS = new Set(['salt', 'file', 'http', 'https', 'ftp', 'swift', 's3'])

/** Return a file mode as text of four digits; `keep` stays. */
function manageMode(mode: Value): string | null {
  if (mode === null) return null
  const digits = strip(strip(str(mode).replaceAll('0o', '0'), '"'), "'").replace(/^0+/, '')
  return /^[+-]/.test(digits) ? digits[0] + digits.slice(1).padStart(3, '0') : digits.padStart(4, '0')
}

export default defineModule({
  name: 'config',
  doc: 'Read the configuration of the minion.',
  functions: {
    get: reads({
      doc: 'Return the value at a path, from the options, grains, pillar and options of the master, in this order.',
      args: {
        key: arg.any('Path of the value: text, or a list of its parts'),
        default: defaultValue(''),
        delimiter: arg.string('Delimiter of the path', { default: ':' }),
        merge: arg.text('Strategy to merge all sources first: recurse or overwrite', { optional: true }),
        omit_opts: omit('options'),
        omit_pillar: omit('pillar'),
        omit_master: omit("master's options"),
        omit_grains: omit('grains'),
      },
      returns: ret.any('Value'),
      examples: ["salt '*' config.get pkg:apache", "salt '*' config.get lxc.container_profile:centos merge=recurse"],
      run: (ctx, { key, default: fallback, delimiter, merge, ...omitted }) =>
        get(ctx, key, { fallback, delimiter, strategy: merge, omitted }),
    }),
    option: reads({
      doc: 'Return the value of a name, from the same sources as `config.get`.',
      args: {
        value: arg.text('Name of the option, or a glob with `wildcard`'),
        default: defaultValue(null),
        omit_opts: omit('options'),
        omit_grains: omit('grains'),
        omit_pillar: omit('pillar'),
        omit_master: omit("master's options"),
        omit_all: arg.boolean('Use the default values only', { default: false, since: '3000' }),
        wildcard: arg.boolean('Return all values whose names match', { default: false, since: '3000' }),
      },
      returns: ret.any('Value, or values by name'),
      example: 'config.option redis.host',
      run: (ctx, { value, default: fallback, omit_all, wildcard, ...given }) => {
        const omitted = omit_all ? omissions(true) : given
        return wildcard ? matchingOptions(ctx, value, fallback, omitted) : option(ctx, value, fallback, omitted)
      },
    }),
    merge: reads({
      doc: 'Return the value of a name, joined from all sources.',
      args: {
        value: arg.text('Name of the option'),
        default: defaultValue(''),
        omit_opts: omit('options'),
        omit_master: omit("master's options"),
        omit_pillar: omit('pillar'),
      },
      returns: ret.any('Value'),
      example: 'config.merge schedule',
      run: (ctx, { value, default: fallback, omit_opts, omit_master, omit_pillar }) =>
        mergedOption(value, fallback, [
          ...(omit_opts ? [] : [ctx.opts]),
          ...(omit_master ? [] : [masterOptions(ctx)]),
          ...(omit_pillar ? [] : [ctx.pillar]),
        ]),
    }),
    dot_vals: reads({
      doc: 'Return all options whose names begin with a prefix and a dot.',
      args: { value: arg.string('Prefix of the names') },
      returns: ret.dict('Values by name'),
      example: 'config.dot_vals host',
      run: (ctx, { value }) => {
        const found: Dict = new Map()
        for (const source of [masterOptions(ctx), ctx.opts]) {
          if (!(source instanceof Map)) continue
          for (const [key, option] of source) if (str(key).startsWith(`${value}.`)) found.set(key, option)
        }
        return found
      },
    }),
    backup_mode: reads({
      doc: 'Return the backup mode: the given mode, or the configured mode.',
      args: { backup: arg.any('Mode; a true value of any type is returned unchanged', { default: '' }) },
      returns: ret.any('Mode'),
      run: (ctx, { backup }) => (truthy(backup) ? backup : option(ctx, 'backup_mode', null, omissions(false))),
    }),
    manage_mode: reads({
      doc: 'Return a file mode as text of four digits.',
      args: { mode: arg.any('Mode: a number, or text such as `644` or `keep`') },
      returns: ret.optional(ret.string('Mode; None for None')),
      example: 'config.manage_mode 644',
      run: (_ctx, { mode }) => manageMode(mode),
    }),
    valid_fileproto: reads({
      doc: 'Return whether files can be fetched by the protocol of a URI.',
      args: { uri: arg.any('URI as text; other types are refused') },
      returns: ret.boolean('Whether the protocol is supported'),
      example: 'config.valid_fileproto salt://path/to/file',
      run: (_ctx, { uri }) => {
        const text = textOf(uri)
        if (text === undefined) throw new PyError('AttributeError', 'a URI is text')
        return PROTOCOLS.has(/^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase() ?? '')
      },
    }),
    items: reads({
      doc: 'Return all options of this minion.',
      returns: ret.dict('Options'),
      run: (ctx) => ctx.opts,
    }),
  },
})
