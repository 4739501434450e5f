// Matches targets against this minion or another minion id, and chooses values by targets. A matcher that raises an
// error does not match, as in Salt.
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
  truthy,
  typeError,
  update,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  type Bound,
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

const tgt = arg.textOrList('Target: text, or a list for the kind `list`')
const minion_id = arg.text('Minion id. Default: this minion', { optional: true })
const delimiter = arg.string('Delimiter of the path', { default: ':' })
const byId = { tgt, minion_id }
const byData = { tgt, delimiter }

function idMatcher(kind: string, what: string, example: string, calledAs?: string) {
  return reads({
    doc: `Return whether the minion id matches ${what}.`,
    args: byId,
    returns: ret.any('Whether the target matches'),
    examples: [example],
    ...(calledAs === undefined ? {} : { calledAs }),
    run: (ctx, { tgt, minion_id }) => ask(ctx, kind, tgt, { id: minion_id === null ? undefined : minion_id }),
  })
}

function dataMatcher(kind: string, what: string, example: string) {
  return reads({
    doc: `Return whether ${what}.`,
    args: byData,
    returns: ret.any('Whether the target matches'),
    examples: [example],
    run: (ctx, { tgt, delimiter }) => ask(ctx, kind, tgt, { delimiter }),
  })
}

/** The matchers by `tgt_type`, with their second parameter: Salt passes the minion id there, whatever the parameter means. */
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

const chooser = {
  tgt_type: arg.text('Kind of the targets', { default: 'compound' }),
  minion_id,
}
const merging = {
  merge: arg.any('Dict to merge over the chosen value; other types are refused', { optional: true }),
  merge_lists: arg.boolean('Append to lists in place of replacing them', { default: false }),
}

function matches(ctx: FunctionContext, target: Value, { tgt_type, minion_id }: Bound<typeof chooser>): boolean {
  const found = KINDS.get(tgt_type)
  if (found === undefined) throw new PyError('KeyError', quote(tgt_type))
  if (!minion_id) return truthy(ask(ctx, found.kind, target))
  if (found.second === undefined) throw typeError(`${found.kind}() takes 1 positional argument but 2 were given`)
  return truthy(ask(ctx, found.kind, target, { [found.second]: minion_id }))
}

type Choice = Bound<typeof chooser & typeof merging>

function filterBy(ctx: FunctionContext, lookup: Dict, options: Choice & { default: Value }): Value {
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

function ifelse(ctx: FunctionContext, args: Value[], options: Choice): Value {
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

export default defineModule({
  name: 'match',
  doc: 'Match targets against minions.',
  functions: {
    compound: idMatcher('compound', 'a compound target', "salt '*' match.compound 'L@cheese,foo and *'"),
    list: idMatcher('list', 'an item of a list', "salt '*' match.list 'server1,server2'", 'list_'),
    pcre: idMatcher('pcre', 'a regular expression', "salt '*' match.pcre '.*'"),
    glob: idMatcher('glob', 'a glob', "salt '*' match.glob '*'"),
    ipcidr: reads({
      doc: 'Return whether the minion has an IP address, or an address in a network.',
      args: { tgt },
      returns: ret.any('Whether the target matches'),
      example: "match.ipcidr '192.168.44.0/24'",
      run: (ctx, { tgt }) => ask(ctx, 'ipcidr', tgt),
    }),
    data: reads({
      doc: 'Return whether the data store of the minion has a value.',
      args: { tgt },
      returns: ret.any('Whether the target matches'),
      example: "match.data 'spam:eggs'",
      run: (ctx, { tgt }) => ask(ctx, 'data', tgt),
    }),
    grain: dataMatcher('grain', 'a grain matches a glob', "salt '*' match.grain 'os:Ubuntu'"),
    grain_pcre: dataMatcher(
      'grain_pcre',
      'a grain matches a regular expression',
      "salt '*' match.grain_pcre 'os:Fedo.*'",
    ),
    pillar: dataMatcher('pillar', 'a pillar value matches a glob', "salt '*' match.pillar 'cheese:foo'"),
    pillar_pcre: dataMatcher(
      'pillar_pcre',
      'a pillar value matches a regular expression',
      "salt '*' match.pillar_pcre 'cheese:(swiss|american)'",
    ),
    filter_by: reads({
      doc: 'Return the first value of a dict whose key, a target, matches.',
      args: {
        lookup: arg.dict('Values by target'),
        ...chooser,
        ...merging,
        default: arg.any('Key to use if none matches, compared with its type', { default: 'default' }),
      },
      returns: ret.any('Chosen value'),
      example: "match.filter_by '{foo*: Foo!, bar*: Bar!}' minion_id=bar03",
      run: (ctx, { lookup, ...options }) => filterBy(ctx, lookup, options),
    }),
    search_by: reads({
      doc: 'Return the keys of a dict that have a matching target among their values.',
      args: { lookup: arg.dict('Lists of targets by key'), ...chooser },
      returns: ret.optional(ret.list('Keys; None if no target matches')),
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
      doc: 'Return the value of the first pair of target and value whose target matches, or the last argument.',
      args: {
        args: arg.rest('Pairs of target and value, then the value to return if none matches'),
        ...chooser,
        ...merging,
      },
      returns: ret.any('Chosen value'),
      example: "match.ifelse 'foo*' 'Foo!' 'bar*' 'Bar!' minion_id=bar03",
      run: (ctx, { args, ...options }) => ifelse(ctx, args, options),
    }),
  },
})
