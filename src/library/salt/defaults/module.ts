// Default values of formulas: reads the defaults files, and merges the values of users over them.
import { type Dict, deepCopy, noAttribute, traverse, typeError, update, type Value } from '../../../data/mod.ts'
import { arg, type Bound, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

/** Load `<formula>/defaults.yaml`, or `defaults.json`, from the file server. */
async function load(ctx: FunctionContext, formula: string): Promise<Value> {
  for (const [extension, renderer] of [
    ['yaml', 'yaml'],
    ['json', 'json'],
  ] as const) {
    const path = `${formula}/defaults.${extension}`
    const text = await ctx.call('cp.get_file_str', [`salt://${path}`])
    if (typeof text === 'string') return ctx.render({ text, path, renderer, saltenv: 'base' })
  }
  return null
}

const dict = arg.any('Dict, or None with `convert_none`; other types are refused')

const options = (mergeLists: boolean) => ({
  merge_lists: arg.boolean('Append to lists in place of replacing them', { default: mergeLists }),
  in_place: arg.boolean('Change the first argument in place of a copy', { default: true }),
  convert_none: arg.boolean('Treat None as an empty dict', { default: true, since: '3005' }),
})

type MergeArgs = Bound<ReturnType<typeof options>>

function merge(dest: Value, src: Value, { merge_lists, in_place, convert_none }: MergeArgs): Dict {
  const source = src === null && convert_none ? new Map() : src
  if (dest === null && convert_none && in_place) throw typeError("Can't perform in-place merge into NoneType")
  const target = dest === null && convert_none ? new Map() : in_place ? dest : deepCopy(dest)
  return update(target, source, { mergeLists: merge_lists })
}

function updateAll(dest: Value, defaults: Value, options: MergeArgs): Dict {
  const { in_place, convert_none } = options
  if (dest === null && in_place) throw typeError("Can't perform in-place update into NoneType")
  const nodes = in_place ? dest : deepCopy(dest === null && convert_none ? new Map() : dest)
  if (!(nodes instanceof Map)) return noAttribute(nodes, 'items')
  for (const [name, node] of nodes) {
    const base = deepCopy(defaults === null && convert_none ? new Map() : defaults)
    nodes.set(name, merge(base, node, { ...options, in_place: true }))
  }
  return nodes
}

export default defineModule({
  name: 'defaults',
  doc: 'Read and merge the default values of formulas.',
  functions: {
    get: reads({
      doc: 'Return the default at a path. The first part of the path is the name of the formula.',
      args: {
        key: arg.string('Path, such as `core:users:root`'),
        default: arg.any('Value of any type to return if there is none', { default: '' }),
      },
      returns: ret.any('Value'),
      example: 'defaults.get core:users:root',
      run: async (ctx, { key, default: fallback }) => {
        const colon = key.indexOf(':')
        const defaults = await load(ctx, colon < 0 ? key : key.slice(0, colon))
        const path = colon < 0 ? '' : key.slice(colon + 1)
        return path ? traverse(defaults, path, { default: fallback }) : defaults
      },
    }),
    merge: reads({
      doc: 'Merge a dict into another dict, with nested dicts.',
      args: { dest: dict, src: dict, ...options(false) },
      returns: ret.dict('Merged dict'),
      example: "defaults.merge '{a: b}' '{d: e}'",
      run: (_ctx, { dest, src, ...how }) => merge(dest, src, how),
    }),
    deepcopy: reads({
      doc: 'Return a deep copy of a value.',
      args: { source: arg.any('Value of any type') },
      returns: ret.any('Copy'),
      run: (_ctx, { source }) => deepCopy(source),
    }),
    update: reads({
      doc: 'Merge each dict of a group over the same defaults.',
      args: { dest: dict, defaults: dict, ...options(true) },
      returns: ret.dict('Merged dicts by name'),
      run: (_ctx, { dest, defaults, ...how }) => updateAll(dest, defaults, how),
    }),
  },
})
