// Functions that are the same for providers which list their packages in one go and have no order of versions of their own.
import { compareLoose, type Dict, str, type Value } from '../../../data/mod.ts'
import { type FunctionContext, type FunctionDeclaration, ret } from '../../../sdk/mod.ts'
import { type Call, reading } from './declare.ts'
import { type Gather, listCalled } from './installed.ts'

const withoutEpoch = (version: string): string => version.slice(version.indexOf(':') + 1)

const compareCalled = (_ctx: FunctionContext, { given }: Call): Value => {
  const [a, b] = [str(given['pkg1']!), str(given['pkg2']!)]
  const order = given['ignore_epoch'] === true ? compareLoose(withoutEpoch(a), withoutEpoch(b)) : compareLoose(a, b)
  return order ?? null
}

export const commonFunctions = (gather: Gather): Record<string, FunctionDeclaration> => ({
  version: reading('Installed versions.', '*names **kwargs', 'pkg.version bash', (ctx, { rest, kwargs }) =>
    ctx.call('pkg_resource.version', rest, kwargs),
  ),
  list_pkgs: reading(
    'Installed packages with their versions.',
    'versions_as_list=false **kwargs',
    'pkg.list_pkgs',
    (ctx, call) => listCalled(ctx, gather, call),
    ret.dict('Versions by name'),
  ),
  version_cmp: reading(
    'Which of two versions is newer.',
    '!pkg1 !pkg2 ignore_epoch=false **kwargs',
    "pkg.version_cmp '1.2' '1.10'",
    compareCalled,
  ),
  normalize_name: reading(
    'The name that a package is listed by.',
    '!name',
    'pkg.normalize_name bash',
    (_ctx, { given }) => str(given['name']!),
  ),
})

/** Members of a group that are there and those that are not, by type. */
export function splitMembers(group: Dict, installed: Dict, types: readonly string[]): Dict {
  const split = (type: string): Value => {
    const names = (group.get(type) ?? []) as Value[]
    return new Map<Value, Value>([
      ['installed', names.filter((name) => installed.has(name))],
      ['not installed', names.filter((name) => !installed.has(name))],
    ])
  }
  return new Map(types.map((type) => [type, split(type)]))
}
