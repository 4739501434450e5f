// Pillar data of this minion. Called from templates, functions answer with the values themselves; called by a person,
// 3008 shows non-empty text as asterisks unless `unmask` says otherwise.
import {
  contains,
  type Dict,
  deepCopy,
  dictSet,
  equals,
  filterBy,
  HIDDEN,
  isList,
  iterate,
  OrderedDict,
  PyError,
  PySet,
  quote,
  SaltError,
  str,
  Tuple,
  traverse,
  truthy,
  tuple,
  typeName,
  update,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  defineModule,
  deserialize,
  type FunctionContext,
  option,
  type PillarRequest,
  reads,
  ret,
  shownOrigin,
} from '../../../sdk/mod.ts'

/** What Salt takes as "no default was given". */
const NOT_SET = '<Constant.NOT_SET>'

const unmask = arg.any('Show values as they are', { optional: true, since: '3008.0' })
const delimiter = arg.string('Separates the levels of a path', { default: ':' })
const environments = {
  pillarenv: arg.any('Compile a fresh pillar from this environment', { optional: true }),
  saltenv: arg.any('Counts only with pillarenv_from_saltenv', { optional: true }),
}
const overrides = {
  pillar: arg.any('Further pillar data, laid over the compiled one', { optional: true }),
  pillar_enc: arg.any('The renderer that decrypts `pillar` first', { optional: true }),
}

interface Environments {
  pillarenv: Value
  saltenv: Value
}

interface FreshArgs extends Environments {
  args: Value[]
  pillar: Value
  pillar_enc: Value
  unmask: Value
}

/** Every non-empty text as asterisks; keys, numbers and empty values stay. */
function mask(value: Value): Value {
  if (typeof value === 'string') return value === '' ? value : HIDDEN
  if (isList(value)) return value.map(mask)
  if (!(value instanceof Map)) return value
  const masked: Dict = new Map()
  for (const [key, item] of value) masked.set(key, mask(item))
  return masked
}

function shown(ctx: FunctionContext, value: Value, asked: Value): Value {
  const plain = asked === null ? !ctx.masked : truthy(asked)
  return plain ? value : mask(value)
}

/** A fresh pillar comes as `items` shows it: masked where a person asks, whatever `unmask` says afterwards. */
function inMemoryOrFresh(ctx: FunctionContext, { pillarenv, saltenv }: Environments): Dict | Promise<Dict> {
  if (pillarenv === null && saltenv === null) return ctx.pillar
  return fresh(ctx, { pillarenv, saltenv }).then((pillar) => shown(ctx, pillar, null) as Dict)
}

function fresh(ctx: FunctionContext, given: Partial<FreshArgs> & Environments): Promise<Dict> {
  return ctx.freshPillar(freshRequest(ctx, given))
}

function freshRequest(ctx: FunctionContext, given: Partial<FreshArgs> & Environments): PillarRequest {
  const { pillar = null, pillar_enc = null } = given
  let { pillarenv } = given
  if (pillarenv === null) {
    const fromSaltenv = option(ctx.opts, 'pillarenv_from_saltenv')
    pillarenv = fromSaltenv ? given.saltenv || option(ctx.opts, 'saltenv') : option(ctx.opts, 'pillarenv')
  }
  return {
    pillarenv: pillarenv === null ? null : str(pillarenv),
    override: pillar instanceof Map ? pillar : null,
    overrideEncoding: pillar_enc === null ? null : str(pillar_enc),
  }
}

interface GetArgs extends Environments {
  key: Value
  default: Value
  merge: boolean
  merge_nested_lists: Value
  delimiter: string
  unmask: Value
}

function get(ctx: FunctionContext, asked: GetArgs): Value | Promise<Value> {
  const data = inMemoryOrFresh(ctx, asked)
  return data instanceof Promise ? data.then((pillar) => lookUp(ctx, pillar, asked)) : lookUp(ctx, data, asked)
}

function lookUp(ctx: FunctionContext, pillar: Dict, asked: GetArgs): Value {
  const { key, delimiter } = asked
  // an undefined default of a template fails here, looked up or not
  const notGiven = equals(asked.default, NOT_SET)
  const mayRaise = option(ctx.opts, 'pillar_raise_on_missing') && notGiven
  const fallback = notGiven ? '' : asked.default
  if (asked.merge) {
    const merged = mergedWithDefault(ctx, pillar, asked, mayRaise ? null : fallback)
    if (merged !== undefined) return shown(ctx, merged, asked.unmask)
  }
  if (!mayRaise) return shown(ctx, traverse(pillar, key, { default: fallback, delimiter }), asked.unmask)
  return shown(ctx, found(pillar, key, delimiter), asked.unmask)
}

/** The value, or Salt's KeyError. */
function found(pillar: Dict, key: Value, delimiter: string): Value {
  const nothing = tuple([])
  const value = traverse(pillar, key, { default: nothing, delimiter })
  if (value === nothing) throw new PyError('KeyError', quote(`Pillar key not found: ${str(key)}`))
  return value
}

/** Undefined where Salt skips the merge because the types do not fit. */
function mergedWithDefault(
  ctx: FunctionContext,
  pillar: Dict,
  { key, delimiter, merge_nested_lists }: GetArgs,
  fallback: Value,
): Value | undefined {
  const empty: Value | undefined = fallback instanceof Map ? new Map() : isList(fallback) ? [] : undefined
  if (empty === undefined) {
    ctx.log(
      'error',
      `pillar.get: Default (${str(fallback)}) is of type '${typeName(fallback)}', must be a dict or list to merge. Merge will be skipped.`,
    )
    return undefined
  }
  const value = traverse(pillar, key, { default: empty, delimiter })
  if (fallback instanceof Map && value instanceof Map) {
    const mergeLists = merge_nested_lists ?? option(ctx.opts, 'pillar_merge_lists')
    return update(deepCopy(fallback), value, { mergeLists: truthy(mergeLists) })
  }
  if (isList(fallback) && isList(value)) {
    const merged = deepCopy(fallback)
    return [...merged, ...value.filter((item) => !contains(merged, item))]
  }
  const kind = isList(fallback) ? 'list' : 'dict'
  ctx.log(
    'error',
    `pillar.get: Default (${str(fallback)}) is a ${kind}, but the returned pillar value (${str(value)}) is of type '${typeName(value)}'. Merge will be skipped.`,
  )
  return undefined
}

interface ItemArgs extends Environments {
  args: Value[]
  default: Value
  delimiter: Value
  unmask: Value
}

async function item(ctx: FunctionContext, asked: ItemArgs): Promise<Dict> {
  const pillar = await inMemoryOrFresh(ctx, asked)
  const items: Dict = new Map()
  for (const key of asked.args) {
    const value = traverse(pillar, key, { default: asked.default ?? '', delimiter: str(asked.delimiter ?? ':') })
    dictSet(items, key, value)
  }
  return shown(ctx, items, asked.unmask) as Dict
}

async function items(ctx: FunctionContext, asked: FreshArgs): Promise<Dict> {
  if (asked.args.length === 0) return shown(ctx, await fresh(ctx, asked), asked.unmask) as Dict
  const { args, pillarenv, saltenv } = asked
  return item(ctx, { args, default: null, delimiter: null, pillarenv, saltenv, unmask: null })
}

interface ExplainArgs extends Environments {
  key: string
  delimiter: string
  unmask: Value
}

/** Of values that do not merge, the last source's stays. */
async function explain(ctx: FunctionContext, asked: ExplainArgs): Promise<Value[]> {
  const origins = await ctx.pillarOrigins(asked.key.split(asked.delimiter), freshRequest(ctx, asked))
  return origins.map((origin) => shownOrigin(origin, shown(ctx, origin.value, asked.unmask)))
}

/** The same shape, with type names in place of values. */
function obfuscated(value: Value): Value {
  if (value instanceof Map) {
    const result: Dict = value instanceof OrderedDict ? new OrderedDict() : new Map()
    for (const [key, item] of value) result.set(key, obfuscated(item))
    return result
  }
  if (value instanceof Tuple) return tuple(value.map(obfuscated))
  if (isList(value)) return value.map(obfuscated)
  if (value instanceof PySet) return new PySet(Array.from(iterate(value), obfuscated))
  return `<${typeName(value)}>`
}

const freshArgs = { args: arg.rest('Keys, as for `item`'), ...overrides, ...environments, unmask }

const getDeclaration = reads({
  calledAs: 'get',
  doc: 'Return the in-memory pillar value at this path, or the default.',
  args: {
    key: arg.any('The path to the value'),
    default: arg.any('Returned when there is no such value', { default: NOT_SET }),
    merge: arg.boolean('Merge the value over the default, when both are dicts or both are lists', { default: false }),
    merge_nested_lists: arg.any('Merge lists within dicts too; follows pillar_merge_lists when not given', {
      optional: true,
    }),
    delimiter,
    ...environments,
    unmask,
  },
  returns: ret.any('The value'),
  examples: ["salt '*' pillar.get pkg:apache", "salt '*' pillar.get abc::def|ghi delimiter='|'"],
  run: get,
})

const dataDeclaration = reads({
  calledAs: 'items',
  doc: 'Compile the pillar anew and return all of it; `raw` returns what is in memory.',
  args: freshArgs,
  returns: ret.dict('The pillar'),
  example: 'pillar.items',
  run: items,
})

export default defineModule({
  name: 'pillar',
  doc: 'Extract the pillar data for this minion.',
  functions: {
    get: getDeclaration,
    fetch: getDeclaration,
    items: dataDeclaration,
    data: dataDeclaration,
    obfuscate: reads({
      doc: 'As `items`, with type names in place of values.',
      args: freshArgs,
      returns: ret.dict('The pillar without its values'),
      example: 'pillar.obfuscate',
      run: async (ctx, asked) => obfuscated(await items(ctx, asked)) as Dict,
    }),
    ls: reads({
      doc: 'The main keys of a freshly compiled pillar.',
      args: freshArgs,
      returns: ret.list('The keys'),
      example: 'pillar.ls',
      run: async (ctx, asked) => [...(await items(ctx, asked)).keys()],
    }),
    item: reads({
      doc: 'Several values of the pillar in memory, by their paths.',
      args: {
        args: arg.rest('Paths'),
        default: arg.any('Stands for a value that is missing', { optional: true }),
        delimiter: arg.any('Separates the levels of a path', { optional: true }),
        ...environments,
        unmask,
      },
      returns: ret.dict('The values by path'),
      examples: ["salt '*' pillar.item foo", "salt '*' pillar.item foo:bar baz"],
      run: item,
    }),
    raw: reads({
      doc: 'The pillar in memory as it is, or one main key of it.',
      args: { key: arg.any('A main key', { optional: true }), unmask },
      returns: ret.any('The pillar, or the value'),
      examples: ["salt '*' pillar.raw", "salt '*' pillar.raw key='roles'"],
      run: (ctx, { key, unmask }) => {
        const value = truthy(key) ? (ctx.pillar.has(key) ? ctx.pillar.get(key)! : new Map()) : new Map(ctx.pillar)
        return shown(ctx, value, unmask ?? true)
      },
    }),
    ext: reads({
      doc: 'Compile the pillar anew with one more external pillar.',
      args: {
        external: arg.any('An entry as in ext_pillar, or its YAML'),
        pillar: overrides.pillar,
        unmask,
      },
      returns: ret.dict('The pillar'),
      example: "pillar.ext '{libvirt: _}'",
      run: async (ctx, { external, pillar, unmask }) => {
        const ext = typeof external === 'string' ? await deserialize('yaml', external) : external
        const override = pillar instanceof Map ? pillar : null
        const fresh = await ctx.freshPillar({ pillarenv: null, override, overrideEncoding: null, ext })
        return shown(ctx, fresh, unmask) as Dict
      },
    }),
    explain: reads({
      doc: 'Where a value comes from: every file and line, or other source, that gives it, in the order they are merged. Of values that do not merge the last one counts.',
      args: { key: arg.string('The path to the value'), delimiter, ...environments, unmask },
      returns: ret.list('The places with what each says, first to last'),
      example: 'pillar.explain web:port',
      run: explain,
    }),
    keys: reads({
      doc: 'The keys of a dict in the pillar.',
      args: { key: arg.any('The path to the dict'), delimiter, unmask },
      returns: ret.list('The keys'),
      example: 'pillar.keys web:sites',
      run: (ctx, { key, delimiter }) => {
        const value = found(ctx.pillar, key, delimiter)
        if (value instanceof Map) return [...value.keys()]
        throw new PyError('ValueError', `Pillar value in key ${str(key)} is not a dict`)
      },
    }),
    file_exists: reads({
      doc: 'Whether pillar_roots hold a file; works on a master or without one.',
      args: {
        path: arg.string('The path below the roots'),
        saltenv: arg.any('Look in this environment only', { optional: true }),
      },
      returns: ret.boolean('Whether the file is there'),
      example: 'pillar.file_exists foo/bar.sls',
      run: async (ctx, { path, saltenv }) => {
        const roots = option(ctx.opts, 'pillar_roots')
        if (!(roots instanceof Map) || roots.size === 0) {
          throw new SaltError('CommandExecutionError', 'No pillar_roots found. Are you running this on the master?')
        }
        const chosen = truthy(saltenv) ? [roots.get(saltenv) ?? []] : [...roots.values()]
        for (const directories of chosen) {
          for (const directory of Array.isArray(directories) ? directories : [directories]) {
            if ((await ctx.host.stat(path.startsWith('/') ? path : `${str(directory)}/${path}`))?.type === 'file')
              return true
          }
        }
        return false
      },
    }),
    filter_by: reads({
      doc: 'Pick from a dict, whose keys are globs, by a pillar value.',
      args: {
        lookup_dict: arg.any('A dict of values by glob'),
        pillar: arg.any('The path to the pillar value'),
        merge: arg.any('A dict merged over what was picked', { optional: true }),
        default: arg.any('The key taken when none matches', { default: 'default' }),
        base: arg.any('The key of a dict that is completed by what was picked', { optional: true }),
      },
      returns: ret.any('The value picked'),
      example: "pillar.filter_by '{web: Serve it up, db: I query, default: x_x}' role",
      run: (ctx, { lookup_dict, pillar, merge, default: fallback, base }) =>
        filterBy(lookup_dict, pillar, ctx.pillar, { merge, default: fallback, base }),
    }),
  },
})
