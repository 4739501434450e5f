// Whether this minion, or another id, is meant by a target; and choosing by such targets. A matcher that fails counts
// as no match, as in Salt.
import { toError } from '../../../base/mod.ts'
import {
  type Dict,
  deepCopy,
  dictGet,
  dictSet,
  iterate,
  PyError,
  quote,
  SaltError,
  str,
  truthy,
  typeError,
  update,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  defineModule,
  type FunctionContext,
  type MatchOptions,
  match,
  option,
  reads,
  ret,
} from '../../../sdk/mod.ts'

function ask(ctx: FunctionContext, kind: string, target: Value, options: MatchOptions = {}): Value {
  const { grains, pillar, opts, log } = ctx
  const data = ctx.memory.get('data.store')
  const subject = { id: option(opts, 'id'), grains, pillar, opts, log }
  try {
    return match(kind, target, data instanceof Map ? { ...subject, data } : subject, options)
  } catch (error) {
    log('error', toError(error).message)
    return false
  }
}

const tgt = arg.any('The target expression')
const minion_id = arg.text('Another id in place of this minion', { optional: true })
const delimiter = arg.string('Separates the levels of a path', { default: ':' })
const byId = { tgt, minion_id }
const byData = { tgt, delimiter }

function idMatcher(kind: string, what: string, example: string, calledAs?: string) {
  return reads({
    doc: `Whether the minion's id matches ${what}.`,
    args: byId,
    returns: ret.any('Whether it matches'),
    examples: [example],
    ...(calledAs === undefined ? {} : { calledAs }),
    run: (ctx, { tgt, minion_id }) => ask(ctx, kind, tgt, { id: minion_id === null ? undefined : minion_id }),
  })
}

function dataMatcher(kind: string, what: string, example: string) {
  return reads({
    doc: `Whether the minion's ${what}.`,
    args: byData,
    returns: ret.any('Whether it matches'),
    examples: [example],
    run: (ctx, { tgt, delimiter }) => ask(ctx, kind, tgt, { delimiter }),
  })
}

/** What `tgt_type` may name, and what each takes after the target; Salt hands it the id, whatever it is. */
const KINDS: ReadonlyMap<string, { kind: string; second?: 'id' | 'delimiter' }> = new Map([
  ['compound', { kind: 'compound', second: 'id' }],
  ['list_', { kind: 'list', second: 'id' }],
  ['pcre', { kind: 'pcre', second: 'id' }],
  ['glob', { kind: 'glob', second: 'id' }],
  ['grain', { kind: 'grain', second: 'delimiter' }],
  ['grain_pcre', { kind: 'grain_pcre', second: 'delimiter' }],
  ['pillar', { kind: 'pillar', second: 'delimiter' }],
  ['pillar_pcre', { kind: 'pillar_pcre', second: 'delimiter' }],
  ['ipcidr', { kind: 'ipcidr' }],
  ['data', { kind: 'data' }],
])

interface Chooser {
  tgt_type: Value
  minion_id: Value
}

function matches(ctx: FunctionContext, target: Value, { tgt_type, minion_id }: Chooser): boolean {
  const found = KINDS.get(str(tgt_type))
  if (found === undefined) throw new PyError('KeyError', quote(str(tgt_type)))
  if (!truthy(minion_id)) return truthy(ask(ctx, found.kind, target))
  if (found.second === undefined) throw typeError(`${found.kind}() takes 1 positional argument but 2 were given`)
  return truthy(ask(ctx, found.kind, target, { [found.second]: str(minion_id) }))
}

interface FilterOptions extends Chooser {
  merge: Value
  merge_lists: boolean
  default: Value
}

function filterBy(ctx: FunctionContext, lookup: Dict, options: FilterOptions): Value {
  for (const [target, choice] of lookup) {
    if (!matches(ctx, target, options)) continue
    if (!truthy(options.merge)) return choice
    if (!(options.merge instanceof Map)) {
      throw new SaltError('SaltException', 'filter_by merge argument must be a dictionary.')
    }
    return choice === null
      ? options.merge
      : update(choice, deepCopy(options.merge), { mergeLists: options.merge_lists })
  }
  return dictGet(lookup, options.default) ?? null
}

const NEVER = 'SALT_IFELSE_MATCH_NOTHING'
const OTHERWISE = 'SALT_IFELSE_FUNCTION_DEFAULT'

function ifelse(ctx: FunctionContext, args: Value[], options: Omit<FilterOptions, 'default'>): Value {
  if (args.length % 2 === 0) {
    throw new SaltError('SaltException', 'The ifelse function must have an odd number of arguments!')
  }
  if (args.length === 1) return args[0]!
  const lookup: Dict = new Map()
  for (let i = 0; i < args.length - 1; i += 2) {
    const target = args[i] === true ? '*' : args[i] === false ? NEVER : args[i]!
    dictSet(lookup, target, args[i + 1]!)
  }
  lookup.set(OTHERWISE, args.at(-1)!)
  return filterBy(ctx, lookup, { ...options, default: OTHERWISE })
}

const chooser = {
  tgt_type: arg.text('The kind of the targets', { default: 'compound' }),
  minion_id,
}
const merging = {
  merge: arg.any('A dict merged into what was chosen', { optional: true }),
  merge_lists: arg.boolean('Complete lists in place of replacing them', { default: false }),
}

export default defineModule({
  name: 'match',
  doc: 'Whether minions are meant by target expressions.',
  functions: {
    compound: idMatcher('compound', 'a compound target', "salt '*' match.compound 'L@cheese,foo and *'"),
    list: idMatcher('list', 'one of a list', "salt '*' match.list 'server1,server2'", 'list_'),
    pcre: idMatcher('pcre', 'a regular expression', "salt '*' match.pcre '.*'"),
    glob: idMatcher('glob', 'a glob', "salt '*' match.glob '*'"),
    ipcidr: reads({
      doc: 'Whether the minion has an address, or one within a network.',
      args: { tgt },
      returns: ret.any('Whether it matches'),
      example: "match.ipcidr '192.168.44.0/24'",
      run: (ctx, { tgt }) => ask(ctx, 'ipcidr', tgt),
    }),
    data: reads({
      doc: "Whether the minion's data store holds a value.",
      args: { tgt },
      returns: ret.any('Whether it matches'),
      example: "match.data 'spam:eggs'",
      run: (ctx, { tgt }) => ask(ctx, 'data', tgt),
    }),
    grain: dataMatcher('grain', 'grains match a glob', "salt '*' match.grain 'os:Ubuntu'"),
    grain_pcre: dataMatcher('grain_pcre', 'grains match a regular expression', "salt '*' match.grain_pcre 'os:Fedo.*'"),
    pillar: dataMatcher('pillar', 'pillar matches a glob', "salt '*' match.pillar 'cheese:foo'"),
    pillar_pcre: dataMatcher(
      'pillar_pcre',
      'pillar matches a regular expression',
      "salt '*' match.pillar_pcre 'cheese:(swiss|american)'",
    ),
    filter_by: reads({
      doc: 'The first value of a dict whose key, a target, matches.',
      args: {
        lookup: arg.dict('Values by target'),
        ...chooser,
        ...merging,
        default: arg.any('The key taken when none matches', { default: 'default' }),
      },
      returns: ret.any('The value'),
      example: "match.filter_by '{foo*: Foo!, bar*: Bar!}' minion_id=bar03",
      run: (ctx, { lookup, ...options }) => filterBy(ctx, lookup, options),
    }),
    search_by: reads({
      doc: 'All keys of a dict that have a matching target among their values, or None.',
      args: { lookup: arg.dict('Lists of targets by key'), ...chooser },
      returns: ret.optional(ret.list('The keys')),
      example: "match.search_by '{web: [node1, node2], db: [node2, node]}'",
      run: (ctx, { lookup, ...options }) => {
        const keys: Value[] = []
        for (const [key, targets] of lookup) {
          for (const target of iterate(targets)) if (matches(ctx, target, options)) keys.push(key)
        }
        return keys.length > 0 ? keys : null
      },
    }),
    ifelse: reads({
      doc: 'Of pairs of target and value, the first value whose target matches, else the last argument.',
      args: { args: arg.rest('Pairs, then the value taken when none matches'), ...chooser, ...merging },
      returns: ret.any('The value'),
      example: "match.ifelse 'foo*' 'Foo!' 'bar*' 'Bar!' minion_id=bar03",
      run: (ctx, { args, ...options }) => ifelse(ctx, args, options),
    }),
  },
})
