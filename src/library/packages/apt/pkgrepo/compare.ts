// Comparison of a repository with the wanted settings, by the rules of each OS family.
import { dictFrom, equals, isDict, isList, sorted, str, truthy, type Value } from '../../../../data/mod.ts'
import { isTrue, type StateContext } from '../../../../sdk/mod.ts'
import { combineComments } from '../sources/sources.ts'

export type Facts = Map<string, Value>

const family = (ctx: StateContext): string => str(ctx.grains.get('os_family') ?? '')

/** Components and addresses in any order. */
const sameItems = (a: Value, b: Value): boolean => {
  const items = (value: Value): Value[] => (isList(value) ? [...(value as Value[])] : [...str(value)])
  return equals(sorted(items(a)), sorted(items(b)))
}

/** Return the words of a line in sources.list: the order after the suite does not matter. */
function words(line: string): string[] {
  const all = line.split(/\s+/).filter(Boolean)
  return [...all.slice(0, 3), ...all.slice(3).sort()]
}

function sameLine(wanted: string, present: string, comments: Value | undefined): boolean {
  const mark = present.indexOf('#')
  const line = mark < 0 ? present : present.slice(0, mark)
  const comment = mark < 0 ? '' : present.slice(mark + 1).trim()
  if (words(wanted).join(' ') !== words(line).join(' ')) return false
  return comments === undefined || comment === combineComments(comments)
}

/** Return the comments of a repository file, one per line, without leading marks and spaces. */
function rpmComments(comments: Value): string {
  const list = isList(comments) ? (comments as Value[]).map(str) : [str(comments)]
  return list.map((line) => line.replace(/^#+/, '').trimStart()).join('\n')
}

/** Return whether one setting has the wanted value. */
function agrees(ctx: StateContext, key: string, wanted: Facts, present: Facts, options: Facts): boolean {
  const os = family(ctx)
  const want = wanted.get(key) ?? null
  if (!present.has(key)) {
    if (key === 'enabled') return os === 'RedHat' && isTrue(want)
    return key !== 'comps' && key !== 'key_url'
  }
  const have = present.get(key) ?? null
  if (key === 'comps' || key === 'key_url') return sameItems(want, have)
  if (key === 'line' && os === 'Debian') {
    return truthy(wanted.get('disabled') ?? false) || sameLine(str(want), str(have), options.get('comments'))
  }
  if (key === 'comments' && os === 'RedHat') return rpmComments(have) === rpmComments(want)
  if (key === 'architectures' && truthy(want)) {
    const set = (value: Value): string => [...new Set((value as Value[]).map(str))].sort().join(' ')
    return set(want) === set(have)
  }
  const isSwitch = (os === 'RedHat' || os === 'Suse') && (typeof want === 'boolean' || typeof have === 'boolean')
  return isSwitch ? isTrue(want) === isTrue(have) : str(want) === str(have)
}

export const isConfigured = (ctx: StateContext, wanted: Facts, present: Facts, options: Facts): boolean =>
  [...wanted.keys()].every((key) => agrees(ctx, key, wanted, present, options))

/** Return the differences, in the order of the wanted settings. */
export function differences(keys: Iterable<string>, old: Facts, fresh: Facts): Map<Value, Value> {
  const changes = new Map<Value, Value>()
  for (const key of keys) {
    const [before, after] = [old.get(key) ?? null, fresh.get(key) ?? null]
    if (!equals(before, after)) changes.set(key, dictFrom({ new: after, old: before }))
  }
  return changes
}

export const factsOf = (value: Value): Facts => (isDict(value) ? (value as unknown as Facts) : new Map())
