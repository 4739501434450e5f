// varstack: a configuration file lists YAML files, whose names may contain grains (`%{os}`); they are merged in that
// order. `__combine` in a dict, or as the first item of a list, selects the strategy: `merge`, `replace` or `remove`.
import { type Dict, decodeBytes, failure, isDict, isList, str, typeName, type Value } from '../../../data/mod.ts'
import { type DataSourceContext, dirName, loadYaml } from '../../../sdk/mod.ts'

const COMBINE = '__combine'
type Mode = 'merge' | 'replace' | 'remove'
const MODES: readonly string[] = ['merge', 'replace', 'remove'] satisfies Mode[]

/** Return the merged data of the files that a configuration lists. */
export async function readStack(ctx: DataSourceContext, config: string): Promise<Dict> {
  const settings = await loadYaml(decodeBytes(await ctx.host.read(config)))
  const stack = isDict(settings) ? settings.get('stack') : undefined
  if (!isDict(settings) || stack === undefined || !isList(stack)) {
    throw failure(`${config} has no list 'stack', which names the files of varstack`)
  }
  const folder = str(settings.get('datadir') ?? `${dirName(config)}/stack`)
  let data: Value = new Map()
  for (const name of stack) {
    for (const path of pathsFor(ctx, `${folder}/${str(name)}.yaml`)) {
      if ((await ctx.host.stat(path))?.type !== 'file') continue
      const content = await loadYaml(decodeBytes(await ctx.host.read(path)))
      const merged = combined(ctx, data, content ?? new Map(), { mode: 'merge', at: '<root>' })
      if (merged !== undefined) data = merged
    }
  }
  const clean = withoutMarks(data)
  return isDict(clean) ? clean : new Map()
}

/** Return the paths that a name with variables means: one for each item of a variable that is a list, none without a value. */
function pathsFor({ grains, log }: DataSourceContext, pattern: string): string[] {
  let paths = [pattern]
  for (const [, name] of pattern.matchAll(/%\{(.*?)\}/g)) {
    let value: Value | undefined = grains
    for (const part of name!.split(':')) value = value !== undefined && isDict(value) ? value.get(part) : undefined
    if (value === undefined || isDict(value)) {
      log(
        'warning',
        `varstack leaves out ${pattern}: the grain ${name} ${value === undefined ? 'has no value' : 'is a dict'}`,
      )
      return []
    }
    // a grain is a minion's word, and must not lead to another folder
    const values = (isList(value) ? value : [value]).map(str).filter((text) => !/(^|\/)\.\.?(\/|$)|\0/.test(text))
    paths = paths.flatMap((path) => values.map((text) => path.replaceAll(`%{${name}}`, () => text)))
  }
  return paths
}

/** Merge new data over old data; undefined removes it. */
function combined(
  ctx: DataSourceContext,
  old: Value,
  fresh: Value,
  how: { mode: Mode; at: string },
): Value | undefined {
  if (typeName(old) !== typeName(fresh)) {
    ctx.log(
      'error',
      `varstack: ${how.at} was a ${typeName(old)} and is a ${typeName(fresh)} in a later file; it is left out`,
    )
    return undefined
  }
  const mode = modeOf(ctx, fresh, how)
  if (isDict(fresh) && isDict(old)) {
    if (mode === 'replace') return fresh
    if (mode === 'remove') return undefined
    const merged: Dict = new Map(old)
    for (const [key, value] of fresh) {
      const known = merged.get(key)
      const next = known === undefined ? value : combined(ctx, known, value, { mode, at: `${how.at}/${str(key)}` })
      if (next === undefined) merged.delete(key)
      else merged.set(key, next)
    }
    return merged
  }
  if (isList(fresh) && isList(old)) return mode === 'replace' ? fresh : [...old, ...fresh]
  return fresh
}

function modeOf(ctx: DataSourceContext, fresh: Value, { mode, at }: { mode: Mode; at: string }): Mode {
  const holder = isList(fresh) ? (fresh[0] ?? null) : fresh
  const given = isDict(holder) ? holder.get(COMBINE) : undefined
  if (given === undefined) return mode
  if (MODES.includes(str(given))) return str(given) as Mode
  ctx.log('error', `varstack: ${at} has the unknown combine mode '${str(given)}'`)
  return mode
}

function withoutMarks(data: Value): Value {
  if (isDict(data)) {
    return new Map([...data].filter(([key]) => key !== COMBINE).map(([key, value]) => [key, withoutMarks(value)]))
  }
  if (!isList(data)) return data
  const [first] = data
  return first !== undefined && isDict(first) && first.has(COMBINE) ? data.slice(1) : data
}
