// Retention of backups by date: chooses the files of a directory to keep and the files to remove.
import {
  dictFrom,
  fromTimestamp,
  isDict,
  isoWeekOf,
  numberOf,
  type ParsedTime,
  PyError,
  parseTime,
  sorted,
  str,
  typeName,
  type Value,
} from '../../../../data/mod.ts'
import { arg, expandUser, isDirectory, joinPaths, optionalText, type StateContext, state } from '../../../../sdk/mod.ts'
import { type Answer, begin, fail } from './answer.ts'

/** Names of files, nested by the parts of their time. */
type Tree = Map<number, Tree | string>

function plant(tree: Tree, path: readonly number[], name: string): void {
  let at = tree
  for (const key of path.slice(0, -1)) {
    const next = (at.get(key) ?? new Map()) as Tree
    at.set(key, next)
    at = next
  }
  at.set(path.at(-1)!, name)
}

const keysOf = (tree: Tree): number[] => [...tree.keys()].sort((a, b) => a - b)

function firstOf(tree: Tree | string): string {
  return typeof tree === 'string' ? tree : firstOf(tree.get(keysOf(tree)[0]!)!)
}

/** Return the first file of each of the latest `count` branches at a depth. */
function firstsAt(tree: Tree | string, depth: number, count: number): Set<string> {
  if (depth <= 0 || typeof tree === 'string') return new Set([firstOf(tree)])
  const found = new Set<string>()
  for (const key of keysOf(tree).reverse()) {
    if (found.size >= count) break
    for (const name of firstsAt(tree.get(key)!, depth - 1, count - found.size)) found.add(name)
  }
  return found
}

const DEPTHS = new Map([
  ['first_of_year', 1],
  ['first_of_month', 2],
  ['first_of_day', 3],
  ['first_of_hour', 4],
  ['most_recent', 5],
])

function keepCount(value: Value): number {
  if (value === 'all') return Number.MAX_SAFE_INTEGER
  const count = numberOf(value) ?? Number(str(value))
  if (Number.isNaN(count)) {
    throw new PyError('ValueError', `invalid literal for int() with base 10: '${str(value)}'`)
  }
  return Math.trunc(count)
}

function retained(byDate: Tree, byWeek: Tree, retain: Value): Set<string> {
  if (!isDict(retain)) throw new PyError('AttributeError', `'${typeName(retain)}' object has no attribute 'items'`)
  const kept = new Set<string>()
  for (const [rule, value] of retain) {
    const count = keepCount(value)
    const depth = DEPTHS.get(str(rule))
    if (rule !== 'first_of_week' && depth === undefined) throw new PyError('KeyError', `'${str(rule)}'`)
    // Salt keeps one week more than the rule says
    const found = rule === 'first_of_week' ? firstsAt(byWeek, 2, count + 1) : firstsAt(byDate, depth!, count)
    for (const name of found) kept.add(name)
  }
  return kept
}

async function momentOf(
  ctx: StateContext,
  path: string,
  name: string,
  format: string | null,
): Promise<ParsedTime | undefined> {
  if (format) return parseTime(name, format)
  if (name === '.' || name === '..') return undefined
  const stat = await ctx.host.lstat(joinPaths(path, name))
  if (!stat) return undefined
  const { year, month, day, time } = fromTimestamp(stat.mtime)
  return { year, month, day, hour: time.hour, epoch: stat.mtime }
}

const DAY = 86_400_000

/** Return the ISO week and the weekday; Monday is 0. */
function weekOf({ year, month, day }: ParsedTime): [week: number, weekday: number] {
  const ordinal = Math.round((Date.UTC(year, month - 1, day) - Date.UTC(1970, 0, 1)) / DAY) + 719_163
  const { week, weekday } = isoWeekOf(ordinal)
  return [week, weekday - 1]
}

interface Retention {
  name: string
  retain: Value
  strptime_format: string | null
}

async function keep(ctx: StateContext, { name, retain, strptime_format }: Retention): Promise<Answer> {
  const path = await expandUser(ctx, name)
  const answer = begin(path)
  if (path === '') return fail(answer, 'Must provide name to file.retention_schedule')
  if (!(await isDirectory(ctx, path))) return fail(answer, 'Name provided to file.retention must be a directory')
  const byDate: Tree = new Map()
  const byWeek: Tree = new Map()
  const relevant = new Set<string>()
  const ignored = new Set<string>()
  for (const each of await ctx.call('file.readdir', [path])) {
    const moment = await momentOf(ctx, path, each, strptime_format)
    if (!moment) {
      ignored.add(each)
      continue
    }
    const { year, month, day, hour, epoch } = moment
    plant(byDate, [year, month, day, hour, epoch], each)
    plant(byWeek, [year, ...weekOf(moment), epoch], each)
    relevant.add(each)
  }
  const kept = retained(byDate, byWeek, retain)
  const backwards = (names: Iterable<string>): Value[] => sorted([...names]).reverse()
  const deleted = backwards([...relevant].filter((each) => !kept.has(each)))
  if (deleted.length > 0) answer.changes = dictFrom({ retained: backwards(kept), deleted, ignored: backwards(ignored) })
  if (ctx.test) {
    const comment = `${deleted.length} backups would have been removed from ${path}.\n`
    return { ...answer, comment, result: deleted.length > 0 ? null : true }
  }
  for (const each of deleted) await ctx.call('file.remove', [joinPaths(path, str(each))])
  return { ...answer, comment: `${deleted.length} backups were removed from ${path}.\n` }
}

export const retention_schedule = state({
  doc: 'Ensure that only the newest backups of a directory are kept.',
  args: {
    name: arg.string('Path of the directory'),
    retain: arg.any('Number of files to keep by rule (`most_recent`, `first_of_hour` …): a dict; `all` keeps all'),
    strptime_format: optionalText('Format of the time in file names; by default the modification time counts'),
    timezone: arg.text('Ignored: the time zone of the machine counts', { optional: true }),
  },
  run: keep,
})
