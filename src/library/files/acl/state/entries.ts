// The current access control list of a file, and the notation of permissions. As in Salt, an entry without a name is searched
// under the group of the file, or under no name at all.
import {
  type Dict,
  iterate,
  keyError,
  PyError,
  repr,
  str,
  truthy,
  typeError,
  type Value,
} from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'

const LETTERS: Readonly<Record<string, number>> = { r: 4, w: 2, x: 1, '-': 0 }

/** Return the digit of permission letters. As in Python, a digit in the text is an error. */
export function octalOf(perms: Value, known: Readonly<Record<string, number>> = LETTERS): number {
  let sum = 0
  for (const letter of iterate(perms)) {
    const value = known[str(letter)]
    if (value === undefined) throw typeError("unsupported operand type(s) for +: 'int' and 'str'")
    sum += value
  }
  return sum
}

export const WITH_CONDITIONAL = { ...LETTERS, X: 1 }

export const lettersOf = (octal: number): string =>
  ['r', 'w', 'x'].map((letter) => (octal & LETTERS[letter]! ? letter : '-')).join('')

export interface Look {
  /** The lists of all files, by path. */
  files: Dict
  /** The access list, or the default list. */
  list: Dict
  isDefault: boolean
  /** The kind of entry without `default:`. */
  kind: string
  /** The comments of getfacl: file, owner, group. */
  comment: Dict
}

export function listOf(file: Dict, isDefault: boolean): Dict {
  return isDefault ? ((file.get('defaults') ?? new Map()) as Dict) : file
}

export async function look(ctx: StateContext, name: string, type: string, recursive: boolean): Promise<Look> {
  const files = await ctx.call('acl.getfacl', [name], { recursive })
  const isDefault = type.startsWith('d:') || type.startsWith('default:')
  const own = files.get(name) as Dict | undefined
  if (own === undefined) throw keyError(name)
  return {
    files,
    list: listOf(own, isDefault),
    isDefault,
    kind: isDefault ? type.split(':').slice(1).join(':') : type,
    comment: own.get('comment') as Dict,
  }
}

export const entriesIn = (list: Dict, kind: string): Dict[] => (list.get(kind) ?? []) as Dict[]

export const octalIn = (entry: Dict, name: Value): number => (entry.get(name) as Dict).get('octal') as number

/** Return whether a list may have entries of the type. */
export const isPossible = ({ list, kind, isDefault }: Look): boolean => truthy(list.get(kind) ?? null) || isDefault

export async function isThere(ctx: StateContext, name: string): Promise<boolean> {
  return (await ctx.host.stat(name)) !== undefined
}

/** Return entries that must exist; throw a KeyError otherwise. */
export function required(list: Dict, kind: string): Dict[] {
  if (!list.has(kind)) throw new PyError('KeyError', repr(kind))
  return entriesIn(list, kind)
}

export const report = (
  name: Value,
  result: boolean | null,
  comment: string,
  changes: StateReturn['changes'] = {},
): StateReturn => ({ name, result, changes, comment })
