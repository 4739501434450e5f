// The access lists of a user: those under matching names and patterns, those of the user's groups, and `*` for users
// without any other entry.
import { option } from '../../config/mod.ts'
import { type Dict, isDict, isList, str, type Value } from '../../data/mod.ts'
import { LONGEST_NAME, means } from '../configured-pattern.ts'

const entriesOf = (value: Value): Value[] => (isList(value) ? [...value] : value === null ? [] : [value])

export function listFor(rules: Value, user: string, groups: readonly string[], isPermissive: boolean): Value[] {
  if (!isDict(rules)) return []
  const list: Value[] = []
  let isNamed = false
  for (const [key, entries] of rules) {
    const pattern = str(key)
    if (pattern.startsWith('^') || (pattern === '*' && !isPermissive)) continue
    if (pattern.endsWith('%')) {
      if (groups.includes(pattern.slice(0, -1))) list.push(...entriesOf(entries))
    } else if (means(pattern, user)) {
      isNamed = true
      list.push(...entriesOf(entries))
    }
  }
  if (!isPermissive && !isNamed) list.push(...entriesOf(rules.get('*') ?? null))
  return list
}

/** Whether the blacklist contains the user or one of the functions, or is invalid. It applies to all users. */
export function isBlacklisted(opts: Dict, user: string, functions: readonly string[]): boolean {
  const blacklist = option(opts, 'publisher_acl_blacklist')
  if (!isDict(blacklist)) return false
  const any = (part: string, words: readonly string[]): boolean =>
    entriesOf(blacklist.get(part) ?? null).some((pattern) =>
      words.some((word) => word.length > LONGEST_NAME || means(str(pattern), word)),
    )
  // directories take `JOE` for `joe`
  const name = user.toLowerCase()
  const isNamed = entriesOf(blacklist.get('users') ?? null).some((each) => str(each).toLowerCase() === name)
  return isNamed || any('users', [user]) || any('modules', functions)
}

export const isPermissive = (opts: Dict): boolean => option(opts, 'permissive_acl')
