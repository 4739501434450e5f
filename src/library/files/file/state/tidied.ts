// Removal of files below a directory by age, size and name.
import {
  compileRegex,
  dictFrom,
  fromTimestamp,
  isFailure,
  iterate,
  numberOf,
  type PyRegex,
  str,
  strip,
  textOf,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import {
  arg,
  type Bound,
  expandUser,
  type FileStat,
  isAbsolute,
  isDirectory,
  joinPaths,
  type StateContext,
  state,
} from '../../../../sdk/mod.ts'
import { type Answer, begin, fail, messageOf } from './answer.ts'
import { walk } from './walk.ts'

const tidiedArgs = {
  name: arg.string('Path of the directory'),
  age: arg.textOrNumber('Minimum age in days: a number', { default: 0 }),
  matches: arg.textOrList('Regular expressions of the names to remove: a list; by default all names', {
    optional: true,
  }),
  rmdirs: arg.flag('Remove directories too', { default: false }),
  size: arg.textOrNumber('Minimum size: a number of bytes, or text with a unit such as `10MB`', { default: 0 }),
  exclude: arg.textOrList('Regular expressions of the names to keep: a list', { optional: true }),
  full_path_match: arg.flag('Match the expressions against the whole path', { default: false }),
  followlinks: arg.flag('Enter linked directories', { default: false }),
  time_comparison: arg.text('Time that gives the age: `atime`, `mtime` or `ctime`', { default: 'atime' }),
  age_size_logical_operator: arg.text('Whether age and size must both match: `AND` or `OR`', { default: 'OR' }),
  age_size_only: arg.text('Compare only `age` or `size`', { optional: true }),
  rmlinks: arg.flag('Remove links too', { default: true }),
  kwargs: arg.ignored(),
}

type Tidying = Bound<typeof tidiedArgs>

/** Return a size such as `2G`, `30MB` or `64KiB` in bytes; zero for anything else. */
function bytesOf(size: Value): number {
  const text = textOf(size)
  if (text === undefined) return numberOf(size) ?? 0
  const [, digits = '', given = ''] = /^([0-9.]*)\s*(.*)$/.exec(strip(text)) ?? []
  const unit = given.toLowerCase() || 'b'
  const value = digits === '' ? Number.NaN : Number(digits)
  const isDecimal = /^[kmgtpezy]b$/.test(unit)
  if (Number.isNaN(value) || !(isDecimal || /^(b|[kmgtpezy](ib)?)$/.test(unit))) return 0
  const power = 'bkmgtpezy'.indexOf(unit[0]!)
  return Math.trunc(value * (isDecimal ? 10 ** (power * 3) : 2 ** (power * 10)))
}

const dayNumber = (seconds: number): number => {
  const { year, month, day } = fromTimestamp(seconds)
  return Date.UTC(year, month - 1, day) / 86_400_000
}

/** Return the test of age and size. */
function judge(options: Tidying): (age: number, size: number) => boolean {
  const [minAge, minSize] = [numberOf(options.age) ?? 0, bytesOf(options.size)]
  const only = options.age_size_only?.toLowerCase()
  if (only === 'age') return (age) => age >= minAge
  if (only === 'size') return (_age, size) => size >= minSize
  if (options.age_size_logical_operator.toUpperCase() === 'AND') {
    return (age, size) => size >= minSize && age >= minAge
  }
  return (age, size) => size >= minSize || age >= minAge
}

function patterns(list: Value, otherwise: string[]): PyRegex[] {
  const given = list === null ? otherwise : iterate(list)
  return Array.from(given as Iterable<Value>, (pattern) => compileRegex(str(pattern)))
}

type Clock = 'atime' | 'mtime' | 'ctime'

function clockOf(name: string): Clock {
  const text = name.toLowerCase()
  return text === 'mtime' || text === 'ctime' ? text : 'atime'
}

async function doomed(ctx: StateContext, top: string, options: Tidying): Promise<string[]> {
  const matches = patterns(options.matches, ['.*'])
  const exceptions = patterns(truthy(options.exclude) ? options.exclude : null, [])
  const clock = clockOf(options.time_comparison)
  const isDue = judge(options)
  const today = dayNumber(ctx.host.now())
  const found: string[] = []
  const isMeant = (name: string): boolean =>
    matches.some((pattern) => pattern.match(name)) && !exceptions.some((pattern) => pattern.match(name))
  for (const { root, dirs, files } of await walk(ctx, top, {
    bottomUp: true,
    followLinks: options.followlinks,
  })) {
    for (const name of [...files, ...dirs]) {
      const path = joinPaths(root, name)
      const stat = await ctx.host.lstat(path)
      if (stat === undefined || !mayGo(stat, options)) continue
      const age = Math.abs(today - dayNumber(stat[clock]))
      const size = stat.type === 'link' || stat.type === 'directory' ? 0 : stat.size
      if (isDue(age, size) && isMeant(options.full_path_match ? path : name)) found.push(path)
    }
  }
  return found
}

function mayGo({ type }: FileStat, { rmlinks, rmdirs }: Tidying): boolean {
  if (type === 'link') return rmlinks
  return type !== 'directory' || rmdirs
}

async function tidy(ctx: StateContext, options: Tidying): Promise<Answer> {
  const path = await expandUser(ctx, options.name)
  const answer = begin(path)
  if (!isAbsolute(path)) return fail(answer, `Specified file ${path} is not an absolute path`)
  if (!(await isDirectory(ctx, path))) return fail(answer, `${path} does not exist or is not a directory.`)
  const found = await doomed(ctx, path, options)
  if (found.length === 0) return { ...answer, comment: `Nothing to remove from directory ${path}` }
  if (ctx.test)
    return { ...answer, result: null, comment: `${path} is set for tidy`, changes: dictFrom({ removed: found }) }
  const removed: string[] = []
  answer.changes.set('removed', removed)
  try {
    for (const each of found) {
      await ctx.call('file.remove', [each])
      removed.push(each)
    }
  } catch (error) {
    if (isFailure(error)) return fail(answer, messageOf(error))
    throw error
  }
  return { ...answer, comment: `Removed ${found.length} files or directories from directory ${path}` }
}

export const tidied = state({
  doc: 'Ensure that old or large files below a directory are removed.',
  args: tidiedArgs,
  run: tidy,
})
