// Grains: facts about this minion.
import {
  type Dict,
  dictSet,
  filterBy,
  isList,
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

const delimiter = arg.string('Delimiter of the path', { default: ':' })
const path = arg.any('Path of the grain: text, or a list of its parts')

/** Replacements for grains that identify the machine. */
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

/** Return data as after a round trip through JSON: plain dicts with text keys, lists for tuples. */
function throughJson(value: Value): Value {
  if (value instanceof Map) {
    const result: Dict = new Map()
    for (const [key, item] of value) result.set(typeof key === 'string' ? key : jsonKey(key), throughJson(item))
    return result
  }
  if (value instanceof PyStr) return value.value
  return isList(value) ? Array.from(value, throughJson) : value
}

function jsonKey(key: Value): string {
  if (key === null) return 'null'
  return typeof key === 'boolean' ? String(key) : str(key)
}

const get = reads({
  doc: 'Return the grain at a path, or the default.',
  args: {
    key: path,
    default: arg.any('Value to return if there is no such grain', { default: '' }),
    delimiter,
    ordered: arg.flag('Return the value itself. False converts it to plain JSON types', { default: true }),
  },
  returns: ret.any('Value'),
  examples: ["salt '*' grains.get pkg:apache", "salt '*' grains.get abc::def|ghi delimiter='|'"],
  run: (ctx, { key, default: fallback, delimiter, ordered }) =>
    traverse(ordered ? ctx.grains : throughJson(ctx.grains), key, { default: fallback, delimiter }),
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
  doc: 'Read and set the grains of this minion.',
  functions: {
    ...writing,
    get,
    fetch: get,
    has_value: reads({
      doc: 'Return whether a grain exists.',
      args: { key: path },
      returns: ret.boolean('Whether the grain exists'),
      example: 'grains.has_value pkg:apache',
      run: (ctx, { key }) => {
        const nothing = tuple([])
        return traverse(ctx.grains, key, { default: nothing }) !== nothing
      },
    }),
    items: reads({
      doc: 'Return all grains.',
      args: {
        sanitize: arg.any('Replace values that identify the machine: a boolean, a number, or text such as `true`', {
          default: false,
        }),
      },
      returns: ret.dict('Grains'),
      examples: ["salt '*' grains.items", "salt '*' grains.items sanitize=True"],
      outputter: 'nested',
      run: (ctx, { sanitize }) => (isTrue(sanitize) ? sanitized(ctx.grains) : new Map(ctx.grains)),
    }),
    item: reads({
      doc: 'Return grains by their paths.',
      args: { args: arg.rest('Paths'), options: arg.open('`default`, `delimiter` and `sanitize`') },
      returns: ret.dict('Values by path'),
      examples: ["salt '*' grains.item os osrelease", "salt '*' grains.item host sanitize=True"],
      outputter: 'nested',
      run: (ctx, { args, options }) => item(ctx, args, options),
    }),
    ls: reads({
      doc: 'Return the names of all grains.',
      returns: ret.list('Sorted names'),
      run: (ctx) => sorted([...ctx.grains.keys()]),
    }),
    equals: reads({
      doc: 'Return whether the text of a grain equals the text of a value.',
      args: { key: path, value: arg.any('Value, compared by its text') },
      returns: ret.boolean('Whether they are equal'),
      examples: ["salt '*' grains.equals fqdn web1.example.com", "salt '*' grains.equals systemd:version 219"],
      run: (ctx, { key, value }) => str(value) === str(traverse(ctx.grains, key, { default: '' })),
    }),
    filter_by: reads({
      doc: 'Choose a value of a dict, whose keys are globs, by a grain.',
      args: {
        lookup_dict: arg.any('Dict of values by glob; other types are refused'),
        grain: arg.any('Path of the grain: text, or a list of its parts', { default: 'os_family' }),
        merge: arg.any('Dict to merge over the chosen value; other types are refused', { optional: true }),
        default: arg.any('Key to use if none matches, compared with its type', { default: 'default' }),
        base: arg.text('Key of a dict into which the chosen dict is merged', { optional: true }),
      },
      returns: ret.any('Chosen value'),
      example: "grains.filter_by '{Debian: Debheads rule, RedHat: I love my hat}'",
      run: (ctx, { lookup_dict, grain, merge, default: fallback, base }) =>
        filterBy(lookup_dict, grain, ctx.grains, { merge, default: fallback, base }),
    }),
  },
})
