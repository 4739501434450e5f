// Default values of formulas: reading their defaults files, and merging what users set over them.
import { type Dict, deepCopy, noAttribute, traverse, typeError, update, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

/** The first of `<formula>/defaults.yaml` and `.json` that the file server has. */
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

interface MergeArgs {
  merge_lists: boolean
  in_place: boolean
  convert_none: boolean
}

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

const options = (mergeLists: boolean) => ({
  merge_lists: arg.boolean('Complete lists in place of replacing them', { default: mergeLists }),
  in_place: arg.boolean('Change the first argument itself, not a copy', { default: true }),
  convert_none: arg.boolean('Take None for an empty dict', { default: true, since: '3005' }),
})

export default defineModule({
  name: 'defaults',
  doc: "Work with formulas' default values.",
  functions: {
    get: reads({
      doc: "A formula's default by its path; the path's first part names the formula.",
      args: {
        key: arg.string('The path, such as core:users:root'),
        default: arg.any('Returned when there is no such value', { default: '' }),
      },
      returns: ret.any('The value'),
      example: 'defaults.get core:users:root',
      run: async (ctx, { key, default: fallback }) => {
        const colon = key.indexOf(':')
        const defaults = await load(ctx, colon < 0 ? key : key.slice(0, colon))
        const path = colon < 0 ? '' : key.slice(colon + 1)
        return path ? traverse(defaults, path, { default: fallback }) : defaults
      },
    }),
    merge: reads({
      doc: 'Merge a dict into another one, deeply.',
      args: { dest: arg.any('The dict to change'), src: arg.any('What is laid over it'), ...options(false) },
      returns: ret.dict('The merged dict'),
      example: "defaults.merge '{a: b}' '{d: e}'",
      run: (_ctx, { dest, src, ...how }) => merge(dest, src, how),
    }),
    deepcopy: reads({
      doc: 'A copy that shares nothing with the original.',
      args: { source: arg.any('What to copy') },
      returns: ret.any('The copy'),
      run: (_ctx, { source }) => deepCopy(source),
    }),
    update: reads({
      doc: 'Complete each dict of a group with the same defaults.',
      args: { dest: arg.any('Dicts by name'), defaults: arg.any('What each is laid over'), ...options(true) },
      returns: ret.dict('The completed dicts'),
      run: (_ctx, { dest, defaults, ...how }) => updateAll(dest, defaults, how),
    }),
  },
})
