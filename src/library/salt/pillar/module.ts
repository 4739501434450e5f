// Pillar data of this minion. For templates, functions return the values themselves; for a call from the command line,
// 3008 shows non-empty text as asterisks unless `unmask` is given.
import {
  contains,
  type Dict,
  deepCopy,
  dictSet,
  equals,
  failure,
  filterBy,
  HIDDEN,
  HiddenTexts,
  hideMarked,
  isList,
  isSecretName,
  iterate,
  OrderedDict,
  PyError,
  PySet,
  quote,
  secretTexts,
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
  type Bound,
  defineModule,
  deserialize,
  type FunctionContext,
  option,
  type PillarRequest,
  reads,
  ret,
  shownOrigin,
} from '../../../sdk/mod.ts'

/** Salt's mark for "no default was given". */
const NOT_SET = '<Constant.NOT_SET>'

const unmask = arg.flag('Show values in place of asterisks. Default: only for templates', {
  optional: true,
  since: '3008.0',
})
const delimiter = arg.string('Delimiter of the path', { default: ':' })
const environments = {
  pillarenv: arg.text('Environment from which to compile a fresh pillar', { optional: true }),
  saltenv: arg.text('Environment of the pillar if the option `pillarenv_from_saltenv` is set', { optional: true }),
}
const overrides = {
  pillar: arg.any('Dict merged over the compiled pillar; other types are ignored', { optional: true }),
  pillar_enc: arg.text('Renderer that decrypts `pillar` first', { optional: true }),
}

const freshArgs = { args: arg.rest('Keys, as for `item`'), ...overrides, ...environments, unmask }

type Environments = Bound<typeof environments>
type FreshArgs = Bound<typeof freshArgs>

/** Replace non-empty texts with asterisks; keep keys, numbers and empty values. */
function mask(value: Value): Value {
  if (typeof value === 'string') return value === '' ? value : HIDDEN
  if (isList(value)) return value.map(mask)
  if (!(value instanceof Map)) return value
  const masked: Dict = new Map()
  for (const [key, item] of value) masked.set(key, mask(item))
  return masked
}

/** Return the texts under names of secrets. */
function* secretsIn(value: Value): Generator<string> {
  if (isList(value)) for (const item of value) yield* secretsIn(item)
  if (!(value instanceof Map)) return
  for (const [key, item] of value) yield* isSecretName(str(key)) ? secretTexts(item, true) : secretsIn(item)
}

/** Quoted lines of a pillar file, which follow the message of a failed template. */
const QUOTED_LINES = /\n+---\n[\s\S]*/

/**
 * Mask a whole pillar. Its errors stay readable, because they say why data is missing; known secrets and quoted lines of pillar
 * files are left out of them.
 */
function maskPillar(pillar: Dict): Dict {
  const masked = mask(pillar) as Dict
  const errors = pillar.get('_errors') ?? null
  if (!isList(errors)) return masked
  const hidden = new HiddenTexts()
  hidden.add(secretsIn(pillar))
  const reason = (error: Value): string => hidden.mask(hideMarked(str(error))).replace(QUOTED_LINES, '')
  return masked.set('_errors', errors.map(reason))
}

function shown(ctx: FunctionContext, value: Dict, unmask: boolean | null): Dict
function shown(ctx: FunctionContext, value: Value, unmask: boolean | null): Value
function shown(ctx: FunctionContext, value: Value, unmask: boolean | null): Value {
  return (unmask ?? !ctx.masked) ? value : mask(value)
}

const shownPillar = (ctx: FunctionContext, pillar: Dict, unmask: boolean | null): Dict =>
  (unmask ?? !ctx.masked) ? pillar : maskPillar(pillar)

/**
 * Return the pillar in memory, or a fresh one in the form of `items`: masked on the command line, whatever `unmask`
 * says.
 */
function inMemoryOrFresh(ctx: FunctionContext, { pillarenv, saltenv }: Environments): Dict | Promise<Dict> {
  if (pillarenv === null && saltenv === null) return ctx.pillar
  return fresh(ctx, { pillarenv, saltenv }).then((pillar) => shown(ctx, pillar, null))
}

function fresh(ctx: FunctionContext, given: Partial<FreshArgs> & Environments): Promise<Dict> {
  return ctx.freshPillar(freshRequest(ctx, given))
}

function freshRequest(ctx: FunctionContext, given: Partial<FreshArgs> & Environments): PillarRequest {
  const { pillar = null, pillar_enc = null } = given
  let pillarenv: Value = given.pillarenv
  if (pillarenv === null) {
    const fromSaltenv = option(ctx.opts, 'pillarenv_from_saltenv')
    pillarenv = fromSaltenv ? given.saltenv || option(ctx.opts, 'saltenv') : option(ctx.opts, 'pillarenv')
  }
  return {
    pillarenv: pillarenv === null ? null : str(pillarenv),
    override: pillar instanceof Map ? pillar : null,
    overrideEncoding: pillar_enc,
  }
}

const getArgs = {
  key: arg.any('Path of the value: text, or a list of its parts'),
  default: arg.any('Value to return if there is none', { default: NOT_SET }),
  merge: arg.boolean('Merge the value over the default, if both are dicts or both are lists', { default: false }),
  merge_nested_lists: arg.flag('Merge lists within dicts. Default: the option `pillar_merge_lists`', {
    optional: true,
  }),
  delimiter,
  ...environments,
  unmask,
}

type GetArgs = Bound<typeof getArgs>

function get(ctx: FunctionContext, asked: GetArgs): Value | Promise<Value> {
  const data = inMemoryOrFresh(ctx, asked)
  return data instanceof Promise ? data.then((pillar) => lookUp(ctx, pillar, asked)) : lookUp(ctx, data, asked)
}

function lookUp(ctx: FunctionContext, pillar: Dict, asked: GetArgs): Value {
  const { key, delimiter } = asked
  // an undefined default of a template fails here, even if the key exists
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

/** Return the value, or raise Salt's KeyError. */
function found(pillar: Dict, key: Value, delimiter: string): Value {
  const nothing = tuple([])
  const value = traverse(pillar, key, { default: nothing, delimiter })
  if (value === nothing) throw new PyError('KeyError', quote(`Pillar key not found: ${str(key)}`))
  return value
}

/** Merge the value over the default. Return undefined where Salt skips the merge because the types do not fit. */
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

const itemArgs = {
  args: arg.rest('Paths'),
  default: arg.any('Value to return for a missing path', { optional: true }),
  delimiter: arg.text('Delimiter of the paths. Default: `:`', { optional: true }),
  ...environments,
  unmask,
}

async function item(ctx: FunctionContext, asked: Bound<typeof itemArgs>): Promise<Dict> {
  const pillar = await inMemoryOrFresh(ctx, asked)
  const items: Dict = new Map()
  for (const key of asked.args) {
    const value = traverse(pillar, key, { default: asked.default ?? '', delimiter: asked.delimiter ?? ':' })
    dictSet(items, key, value)
  }
  return shown(ctx, items, asked.unmask)
}

async function items(ctx: FunctionContext, asked: FreshArgs): Promise<Dict> {
  if (asked.args.length === 0) return shownPillar(ctx, await fresh(ctx, asked), asked.unmask)
  const { args, pillarenv, saltenv } = asked
  return item(ctx, { args, default: null, delimiter: null, pillarenv, saltenv, unmask: null })
}

const explainArgs = { key: arg.string('Path of the value'), delimiter, ...environments, unmask }

async function explain(ctx: FunctionContext, asked: Bound<typeof explainArgs>): Promise<Value[]> {
  const origins = await ctx.pillarOrigins(asked.key.split(asked.delimiter), freshRequest(ctx, asked))
  return origins.map((origin) => shownOrigin(origin, shown(ctx, origin.value, asked.unmask)))
}

/** Replace values with the names of their types. */
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

const getDeclaration = reads({
  calledAs: 'get',
  doc: 'Return the value at a path of the pillar in memory, or the default.',
  args: getArgs,
  returns: ret.any('Value'),
  examples: ["salt '*' pillar.get pkg:apache", "salt '*' pillar.get abc::def|ghi delimiter='|'"],
  run: get,
})

const dataDeclaration = reads({
  calledAs: 'items',
  doc: 'Compile the pillar anew and return all of it. `pillar.raw` returns the pillar in memory.',
  args: freshArgs,
  returns: ret.dict('Pillar'),
  example: 'pillar.items',
  run: items,
})

export default defineModule({
  name: 'pillar',
  doc: 'Read the pillar of this minion.',
  functions: {
    get: getDeclaration,
    fetch: getDeclaration,
    items: dataDeclaration,
    data: dataDeclaration,
    obfuscate: reads({
      doc: 'Compile the pillar anew and return it with type names in place of values.',
      args: freshArgs,
      returns: ret.dict('Pillar without its values'),
      run: async (ctx, asked) => obfuscated(await items(ctx, asked)) as Dict,
    }),
    ls: reads({
      doc: 'Compile the pillar anew and return its top-level keys.',
      args: freshArgs,
      returns: ret.list('Keys'),
      run: async (ctx, asked) => [...(await items(ctx, asked)).keys()],
    }),
    item: reads({
      doc: 'Return values of the pillar in memory by their paths.',
      args: itemArgs,
      returns: ret.dict('Values by path'),
      examples: ["salt '*' pillar.item foo", "salt '*' pillar.item foo:bar baz"],
      run: item,
    }),
    raw: reads({
      doc: 'Return the pillar in memory, or one top-level key of it.',
      args: { key: arg.any('Top-level key, compared with its type', { optional: true }), unmask },
      returns: ret.any('Pillar, or the value of the key'),
      examples: ["salt '*' pillar.raw", "salt '*' pillar.raw key='roles'"],
      run: (ctx, { key, unmask }) => {
        const value = truthy(key) ? (ctx.pillar.has(key) ? ctx.pillar.get(key)! : new Map()) : new Map(ctx.pillar)
        return shown(ctx, value, unmask ?? true)
      },
    }),
    ext: reads({
      doc: 'Compile the pillar anew with an additional external pillar.',
      args: {
        external: arg.any('Dict as in the option `ext_pillar`, or its YAML text'),
        pillar: overrides.pillar,
        unmask,
      },
      returns: ret.dict('Pillar'),
      example: "pillar.ext '{libvirt: _}'",
      run: async (ctx, { external, pillar, unmask }) => {
        const ext = typeof external === 'string' ? await deserialize('yaml', external) : external
        const override = pillar instanceof Map ? pillar : null
        const fresh = await ctx.freshPillar({ pillarenv: null, override, overrideEncoding: null, ext })
        return shownPillar(ctx, fresh, unmask)
      },
    }),
    explain: reads({
      doc: 'Return the origins of a value: each file and line, or other source, in the order of merging. Of values that cannot be merged, the last one wins.',
      args: explainArgs,
      returns: ret.list('Origins with their values, first to last'),
      example: 'pillar.explain web:port',
      run: explain,
    }),
    keys: reads({
      doc: 'Return the keys of a dict in the pillar.',
      args: { key: arg.any('Path of the dict: text, or a list of its parts'), delimiter, unmask },
      returns: ret.list('Keys'),
      example: 'pillar.keys web:sites',
      run: (ctx, { key, delimiter }) => {
        const value = found(ctx.pillar, key, delimiter)
        if (value instanceof Map) return [...value.keys()]
        throw new PyError('ValueError', `Pillar value in key ${str(key)} is not a dict`)
      },
    }),
    file_exists: reads({
      doc: 'Return whether the pillar roots have a file. Works on the machine of the master and without a master.',
      args: {
        path: arg.string('Path in the pillar roots'),
        saltenv: arg.text('Environment to search. Default: all', { optional: true }),
      },
      returns: ret.boolean('Whether the file exists'),
      example: 'pillar.file_exists foo/bar.sls',
      run: async (ctx, { path, saltenv }) => {
        const roots = option(ctx.opts, 'pillar_roots')
        if (!(roots instanceof Map) || roots.size === 0) {
          throw failure('No pillar_roots found. Are you running this on the master?')
        }
        const chosen = saltenv ? [roots.get(saltenv) ?? []] : [...roots.values()]
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
      doc: 'Choose a value of a dict, whose keys are globs, by a pillar value.',
      args: {
        lookup_dict: arg.any('Dict of values by glob; other types are refused'),
        pillar: arg.any('Path of the pillar value: text, or a list of its parts'),
        merge: arg.any('Dict to merge over the chosen value; other types are refused', { optional: true }),
        default: arg.any('Key to use if none matches, compared with its type', { default: 'default' }),
        base: arg.text('Key of a dict into which the chosen dict is merged', { optional: true }),
      },
      returns: ret.any('Chosen value'),
      example: "pillar.filter_by '{web: Serve it up, db: I query, default: x_x}' role",
      run: (ctx, { lookup_dict, pillar, merge, default: fallback, base }) =>
        filterBy(lookup_dict, pillar, ctx.pillar, { merge, default: fallback, base }),
    }),
  },
})
