// Facts about this minion.
import {
  type Dict,
  dictSet,
  filterBy,
  len,
  PyStr,
  sorted,
  str,
  traverse,
  tuple,
  type Value,
} from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, isTrue, reads, ret } from '../../../sdk/mod.ts'
import { writing } from './module/writing.ts'

const delimiter = arg.string('Separates the levels of a path', { default: ':' })

/** What `sanitize` puts in place of grains that tell which machine this is. */
const SANITIZERS: ReadonlyMap<string, (value: Value) => string> = new Map<string, (value: Value) => string>([
  ['serialnumber', (value) => withoutEnd(str(value), len(value))],
  ['domain', () => 'DOMAINNAME'],
  ['fqdn', () => 'MINION.DOMAINNAME'],
  ['id', () => 'MINION.DOMAINNAME'],
  ['host', () => 'MINION'],
  ['localhost', () => 'MINION'],
  ['nodename', () => 'MINION'],
])

function withoutEnd(text: string, length: number): string {
  const kept = Math.floor(length * 0.75)
  return text.slice(0, kept) + 'X'.repeat(length - kept)
}

function sanitized(grains: Dict): Dict {
  const result = new Map(grains)
  for (const [name, sanitize] of SANITIZERS) {
    const value = result.get(name)
    if (value !== undefined) result.set(name, sanitize(value))
  }
  return result
}

/** The data as JSON would give it back: plain dicts with text keys, lists for tuples. */
function throughJson(value: Value): Value {
  if (value instanceof Map) {
    const result: Dict = new Map()
    for (const [key, item] of value) result.set(typeof key === 'string' ? key : jsonKey(key), throughJson(item))
    return result
  }
  if (value instanceof PyStr) return value.value
  return Array.isArray(value) ? Array.from(value as Value[], throughJson) : value
}

function jsonKey(key: Value): string {
  if (key === null) return 'null'
  return typeof key === 'boolean' ? String(key) : str(key)
}

const get = reads({
  doc: 'A grain by its path, or the default.',
  args: {
    key: arg.any('The path to the value'),
    default: arg.any('Returned when there is no such grain', { default: '' }),
    delimiter,
    ordered: arg.any('Keep the order of dicts', { default: true }),
  },
  returns: ret.any('The value'),
  examples: ["salt '*' grains.get pkg:apache", "salt '*' grains.get abc::def|ghi delimiter='|'"],
  run: (ctx, { key, default: fallback, delimiter, ordered }) =>
    traverse(ordered === true ? ctx.grains : throughJson(ctx.grains), key, { default: fallback, delimiter }),
})

function item(ctx: FunctionContext, paths: Value[], options: ReadonlyMap<string, Value>): Dict {
  const items: Dict = new Map()
  const fallback = options.get('default') ?? ''
  const separator = str(options.get('delimiter') ?? ':')
  for (const path of paths) {
    dictSet(items, path, traverse(ctx.grains, path, { default: fallback, delimiter: separator }))
  }
  return isTrue(options.get('sanitize') ?? null) ? sanitized(items) : items
}

export default defineModule({
  name: 'grains',
  doc: 'Facts about this minion, and the ones its owner added.',
  functions: {
    ...writing,
    get,
    fetch: get,
    has_value: reads({
      doc: 'Whether there is a grain at that path.',
      args: { key: arg.any('The path to the value') },
      returns: ret.boolean('Whether it is there'),
      example: 'grains.has_value pkg:apache',
      run: (ctx, { key }) => {
        const nothing = tuple([])
        return traverse(ctx.grains, key, { default: nothing }) !== nothing
      },
    }),
    items: reads({
      doc: 'All grains.',
      args: { sanitize: arg.any('Hide what tells which machine this is', { default: false }) },
      returns: ret.dict('The grains'),
      examples: ["salt '*' grains.items", "salt '*' grains.items sanitize=True"],
      outputter: 'nested',
      run: (ctx, { sanitize }) => (isTrue(sanitize) ? sanitized(ctx.grains) : new Map(ctx.grains)),
    }),
    item: reads({
      doc: 'Several grains by their paths.',
      args: { args: arg.rest('Paths'), options: arg.open('`default`, `delimiter` and `sanitize`') },
      returns: ret.dict('The values by path'),
      examples: ["salt '*' grains.item os osrelease", "salt '*' grains.item host sanitize=True"],
      outputter: 'nested',
      run: (ctx, { args, options }) => item(ctx, args, options),
    }),
    ls: reads({
      doc: 'The names of all grains.',
      args: {},
      returns: ret.list('The names, sorted'),
      example: 'grains.ls',
      run: (ctx) => sorted([...ctx.grains.keys()]),
    }),
    equals: reads({
      doc: 'Whether a grain, as text, equals a value as text.',
      args: { key: arg.any('The path to the grain'), value: arg.any('What it is compared with') },
      returns: ret.boolean('Whether they are equal'),
      examples: ["salt '*' grains.equals fqdn web1.example.com", "salt '*' grains.equals systemd:version 219"],
      run: (ctx, { key, value }) => str(value) === str(traverse(ctx.grains, key, { default: '' })),
    }),
    filter_by: reads({
      doc: 'Pick from a dict, whose keys are globs, by a grain.',
      args: {
        lookup_dict: arg.any('A dict of values by glob'),
        grain: arg.any('The path to the grain', { default: 'os_family' }),
        merge: arg.any('A dict merged over what was picked', { optional: true }),
        default: arg.any('The key taken when none matches', { default: 'default' }),
        base: arg.any('The key of a dict that is completed by what was picked', { optional: true }),
      },
      returns: ret.any('The value picked'),
      example: "grains.filter_by '{Debian: Debheads rule, RedHat: I love my hat}'",
      run: (ctx, { lookup_dict, grain, merge, default: fallback, base }) =>
        filterBy(lookup_dict, grain, ctx.grains, { merge, default: fallback, base }),
    }),
  },
})
