// The criteria of `file.find`: the name, the facts and the content of a file.
import {
  compileRegex,
  decodeBytes,
  PyError,
  type PyRegex,
  RegexFlag,
  str,
  type Value,
  valueError,
} from '../../../../data/mod.ts'
import type { FileStat, FileType, FunctionContext } from '../../../../sdk/mod.ts'

/** A file for criteria and actions; its facts are read once, when they are needed. */
export interface Candidate {
  path: string
  name: string
  stat(): Promise<FileStat>
}

export interface Criterion {
  /** Names are cheap, facts cost more, content most. */
  cost: 1 | 2 | 4
  matches(candidate: Candidate): Promise<boolean>
}

export const TYPE_LETTERS: Readonly<Record<FileType, string>> = {
  block: 'b',
  char: 'c',
  directory: 'd',
  file: 'f',
  link: 'l',
  fifo: 'p',
  socket: 's',
}

const LETTER_TYPES: ReadonlyMap<string, FileType> = new Map(
  Object.entries(TYPE_LETTERS).map(([type, letter]) => [letter, type as FileType]),
)

const byName = (regex: PyRegex): Criterion => ({ cost: 1, matches: async ({ name }) => regex.match(name) !== null })

const byStat = (test: (stat: FileStat) => boolean): Criterion => ({
  cost: 2,
  matches: async ({ stat }) => test(await stat()),
})

const globPattern = (glob: string): string =>
  `${glob.replaceAll('.', '\\.').replaceAll('?', '.?').replaceAll('*', '.*')}$`

function userPattern(pattern: string, flags = 0): PyRegex {
  try {
    return compileRegex(pattern, flags)
  } catch (error) {
    if (error instanceof PyError) throw valueError(`invalid regular expression: "${pattern}"`)
    throw error
  }
}

export function fileTypes(value: string): Set<FileType> {
  const types = new Set<FileType>()
  for (const letter of value.replace(/[\s,]/g, '')) {
    const type = LETTER_TYPES.get(letter)
    if (type === undefined) throw valueError(`invalid file type "${letter}"`)
    types.add(type)
  }
  return types
}

const words = (value: string): string[] => value.replaceAll(',', ' ').split(/\s+/).filter(Boolean)

/** Return the ids of names and numbers. */
async function ids(
  value: string,
  what: string,
  lookUp: (name: string) => Promise<number | undefined>,
): Promise<Set<number>> {
  const found = new Set<number>()
  for (const name of words(value)) {
    const id = /^\d+$/.test(name) ? Number(name) : await lookUp(name)
    if (id === undefined) throw valueError(`no such ${what} "${name}"`)
    found.add(id)
  }
  return found
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ['b', 1],
  ['k', 2 ** 10],
  ['m', 2 ** 20],
  ['g', 2 ** 30],
  ['t', 2 ** 40],
])

/** Return the smallest and the largest size of a range. */
function sizeRange(value: string): [number, number] {
  const text = value.trim()
  const style = /^[-+]/.exec(text)?.[0] ?? '='
  const scalar = style === '=' ? text : text.slice(1)
  const unit = UNITS.get(scalar.at(-1)?.toLowerCase() ?? '')
  const digits = unit === undefined ? scalar : scalar.slice(0, -1).trim()
  if (!/^[+-]?(\d[\d_]*\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(digits.trim())) throw valueError(`invalid size: "${value}"`)
  const size = Math.trunc(Number(digits.replaceAll('_', '')) * (unit ?? 1))
  if (style === '-') return [0, size]
  return style === '+' ? [size, Number.MAX_SAFE_INTEGER] : [size, size + (unit ?? 1) - 1]
}

const INTERVAL =
  /^\s*(?<modifier>[+-]?)(?:(?<w>\d+(?:\.\d*)?)\s*[wW])?\s*(?:(?<d>\d+(?:\.\d*)?)\s*[dD])?\s*(?:(?<h>\d+(?:\.\d*)?)\s*[hH])?\s*(?:(?<m>\d+(?:\.\d*)?)\s*[mM])?\s*(?:(?<s>\d+(?:\.\d*)?)\s*[sS])?\s*$/

const SECONDS = { s: 1, m: 60, h: 3600, d: 86400, w: 604800 } as const

/** Return an interval in seconds, rounded down to the smallest given unit, and its sign. */
function interval(value: string): { seconds: number; modifier: string } {
  const groups = INTERVAL.exec(value)?.groups
  if (!groups) throw valueError(`invalid time interval: '${value}'`)
  let total = 0
  let unit: number | undefined
  for (const [name, seconds] of Object.entries(SECONDS)) {
    if (groups[name] === undefined) continue
    total += Number(groups[name]) * seconds
    unit ??= seconds
  }
  if (unit === undefined) throw new PyError('TypeError', "unsupported operand type(s) for /: 'int' and 'NoneType'")
  return { seconds: Math.trunc(total / unit) * unit, modifier: groups['modifier'] ?? '' }
}

function byAge(ctx: FunctionContext, value: string): Criterion {
  const { seconds, modifier } = interval(value)
  const since = ctx.host.now() - seconds
  return byStat(({ mtime }) => (modifier === '-' ? Math.floor(mtime) >= since : Math.floor(mtime) <= since))
}

function byContent(ctx: FunctionContext, value: string): Criterion {
  const regex = userPattern(value)
  return {
    cost: 4,
    matches: async ({ path, stat }) =>
      (await stat()).type === 'file' && regex.search(decodeBytes(await ctx.host.read(path))) !== null,
  }
}

/** Return the criterion of an option, or undefined when the option is none. */
export async function criterionOf(ctx: FunctionContext, option: string, raw: Value): Promise<Criterion | undefined> {
  const value = str(raw)
  switch (option.toLowerCase()) {
    case 'name':
      return byName(compileRegex(globPattern(value)))
    case 'iname':
      return byName(compileRegex(globPattern(value), RegexFlag.IGNORECASE))
    case 'regex':
      return byName(userPattern(value))
    case 'iregex':
      return byName(userPattern(value, RegexFlag.IGNORECASE))
    case 'type': {
      const types = fileTypes(value)
      return byStat(({ type }) => types.has(type))
    }
    case 'owner': {
      const uids = await ids(value, 'user', async () => (await ctx.host.user(value))?.uid)
      return byStat(({ uid }) => uids.has(uid))
    }
    case 'group': {
      const gids = await ids(value, 'group', async (name) => (await ctx.host.group(name))?.gid)
      return byStat(({ gid }) => gids.has(gid))
    }
    case 'size': {
      const [least, most] = sizeRange(value)
      return byStat(({ size }) => least <= size && size <= most)
    }
    case 'mtime':
      return byAge(ctx, value)
    case 'grep':
      return byContent(ctx, value)
    default:
      return undefined
  }
}
