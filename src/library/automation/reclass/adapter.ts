// reclass, by its own adapter for Salt, which must be installed for the Python that runs users' modules.
import { type Dict, dictFrom, isDict, isList, str } from '../../../data/mod.ts'
import { arg, type Bound, type DataSourceContext, option } from '../../../sdk/mod.ts'
import { askPython } from '../common/python-library.ts'

export const RECLASS_ARGS = {
  options: arg.open(
    'Options of reclass: `storage_type` (yaml_fs), `inventory_base_uri` (the first file root of base), `nodes_uri`, `classes_uri` and ' +
      'others; `reclass_source_path` is the folder of the library where it is not installed',
  ),
}

const SETTINGS = ['storage_type', 'inventory_base_uri', 'nodes_uri', 'classes_uri']

interface ReclassRequest {
  what: 'ext_pillar' | 'top'
  minionId: string
  options: Bound<typeof RECLASS_ARGS>['options']
}

export async function askReclass(ctx: DataSourceContext, { what, minionId, options }: ReclassRequest): Promise<Dict> {
  const { reclass_source_path: path, ...given } = Object.fromEntries(options)
  const settings: Dict = dictFrom(given)
  if (!settings.has('inventory_base_uri')) {
    const roots = option(ctx.opts, 'file_roots')
    const base = isDict(roots) ? roots.get('base') : undefined
    if (base !== undefined && isList(base) && base.length > 0) settings.set('inventory_base_uri', base[0]!)
  }
  for (const name of SETTINGS) if (settings.get(name) === null) settings.delete(name)
  const call = what === 'top' ? 'salt.top(*args, **options)' : 'salt.ext_pillar(args[0], {}, **options)'
  const answer = await askPython(ctx, {
    program: ['from reclass.adapters import salt', 'args, options = given', `answer = ${call}`],
    given: [[minionId], settings],
    path: path === undefined || path === null ? undefined : str(path),
  })
  return isDict(answer) ? answer : new Map()
}
