// `file.find`: search trees for files that meet all criteria, and report them, delete them or run a command for each.
import { recover } from '../../../../base/mod.ts'
import { PyError, shlexSplit, sorted, str, truthy, type Value, valueError } from '../../../../data/mod.ts'
import {
  baseName,
  expandUser,
  type FileStat,
  type FunctionContext,
  globPaths,
  isHostError,
  joinPaths,
  unlessRefused,
} from '../../../../sdk/mod.ts'
import { type Candidate, type Criterion, criterionOf, fileTypes, TYPE_LETTERS } from './find-criteria.ts'
import { hashFile } from './hashing.ts'
import { gidToGroup, uidToUser } from './stats.ts'

type Action = (candidate: Candidate) => Promise<Value | undefined>

interface Finder {
  criteria: Criterion[]
  actions: Action[]
  least: number
  most: number | undefined
}

export async function findFiles(
  ctx: FunctionContext,
  path: string,
  args: readonly Value[],
  options: ReadonlyMap<string, Value>,
): Promise<Value[] | string> {
  const all = new Map(options)
  if (args.includes('delete')) all.set('delete', 'f')
  else if (args.includes('print')) all.set('print', 'path')
  let finder: Finder
  try {
    finder = await finderOf(ctx, all)
  } catch (error) {
    if (error instanceof PyError && error.code === 'ValueError') return `error: ${error.message}`
    throw error
  }
  const found: Value[] = []
  for (const top of await globPaths(ctx, await expandUser(ctx, path))) await search(ctx, finder, top, found)
  return sorted(found)
}

const number = (value: Value | undefined): number | undefined =>
  value === undefined || value === null ? undefined : Number(str(value))

async function finderOf(ctx: FunctionContext, options: ReadonlyMap<string, Value>): Promise<Finder> {
  const finder: Finder = {
    criteria: [],
    actions: [],
    least: number(options.get('mindepth')) ?? 0,
    most: number(options.get('maxdepth')),
  }
  const isTest = truthy(options.get('test') ?? null)
  for (const [name, value] of options) {
    if (name.startsWith('_') || ['mindepth', 'maxdepth', 'test'].includes(name)) continue
    if (!truthy(value)) throw valueError(`missing value for "${name}" option`)
    const option = name.toLowerCase()
    if (option === 'print') finder.actions.push(printer(ctx, str(value)))
    else if (option === 'exec') finder.actions.push(executor(ctx, str(value)))
    else if (option === 'delete') addDeletion(ctx, finder, str(value), isTest)
    else {
      const criterion = await criterionOf(ctx, name, value)
      if (!criterion) throw valueError(`invalid option "${name}"`)
      finder.criteria.push(criterion)
    }
  }
  if (finder.actions.length === 0) finder.actions.push(printer(ctx, ''))
  finder.criteria.sort((a, b) => a.cost - b.cost)
  return finder
}

function candidateOf(ctx: FunctionContext, path: string): Candidate {
  let known: FileStat | undefined
  return {
    path,
    name: baseName(path),
    stat: async () => {
      known ??= (await statOf(ctx, path)) ?? (await ctx.host.lstat(path))
      if (known === undefined) throw new PyError('OSError', `[Errno 2] No such file or directory: '${path}'`)
      return known
    },
  }
}

const statOf = (ctx: FunctionContext, path: string): Promise<FileStat | undefined> =>
  unlessRefused(ctx.host.stat(path), undefined)

async function consider(ctx: FunctionContext, finder: Finder, path: string, found: Value[]): Promise<void> {
  const candidate = candidateOf(ctx, path)
  for (const criterion of finder.criteria) if (!(await criterion.matches(candidate))) return
  for (const action of finder.actions) {
    const result = await action(candidate)
    if (result !== undefined) found.push(result)
  }
}

async function search(ctx: FunctionContext, finder: Finder, top: string, found: Value[]): Promise<void> {
  if (finder.least < 1) await consider(ctx, finder, top, found)
  await walk(ctx, finder, top, 1, found)
}

/** Visit a directory and those below it; links to directories are reported but not entered. */
async function walk(
  ctx: FunctionContext,
  finder: Finder,
  directory: string,
  depth: number,
  found: Value[],
): Promise<void> {
  if (finder.most !== undefined && depth > finder.most) return
  let names: string[]
  try {
    names = await ctx.host.list(directory)
  } catch (error) {
    if (isHostError(error)) return
    throw error
  }
  const below: string[] = []
  for (const name of names) {
    const path = joinPaths(directory, name)
    if (depth >= finder.least) await consider(ctx, finder, path, found)
    if ((await ctx.host.lstat(path))?.type === 'directory') below.push(path)
  }
  for (const path of below) await walk(ctx, finder, path, depth + 1, found)
}

const FACTS: Readonly<Record<string, (ctx: FunctionContext, candidate: Candidate) => Promise<Value>>> = {
  path: async (_ctx, { path }) => path,
  name: async (_ctx, { name }) => name,
  size: async (_ctx, { stat }) => (await stat()).size,
  type: async (_ctx, { stat }) => TYPE_LETTERS[(await stat()).type],
  mode: async (_ctx, { stat }) => (await stat()).mode & 0o777,
  mtime: async (_ctx, { stat }) => Math.floor((await stat()).mtime),
  user: async (ctx, { stat }) => uidToUser(ctx, (await stat()).uid),
  group: async (ctx, { stat }) => gidToGroup(ctx, (await stat()).gid),
  md5: async (ctx, { path, stat }) => ((await stat()).type === 'file' ? hashFile(ctx, path, 'md5') : ''),
}

function printer(ctx: FunctionContext, format: string): Action {
  const names = format.replaceAll(',', ' ').split(/\s+/).filter(Boolean)
  const wanted = (names.length === 0 ? ['path'] : names).filter((name) => Object.hasOwn(FACTS, name))
  return async (candidate) => {
    const row: Value[] = []
    for (const name of wanted) row.push(await FACTS[name]!(ctx, candidate))
    return row.length === 1 ? row[0] : row
  }
}

function addDeletion(ctx: FunctionContext, finder: Finder, value: string, isTest: boolean): void {
  const types = fileTypes(value.includes('a') ? 'bcdpfls' : value)
  finder.criteria.push({ cost: 2, matches: async ({ stat }) => types.has((await stat()).type) })
  finder.actions.push(async ({ path }) => {
    if (isTest) return path
    return recover(isHostError, undefined, async () => {
      const type = (await ctx.host.lstat(path))?.type
      if (type === 'directory') await ctx.host.removeDirectory(path, { recursive: true })
      else if (type === 'link' || type === 'file') await ctx.host.remove(path)
      return path
    })
  })
}

function executor(ctx: FunctionContext, line: string): Action {
  return async ({ path }) => {
    const command = line.replaceAll('{}', path)
    try {
      const { stdout } = await ctx.host.run({ argv: shlexSplit(command) })
      return `${command}:\n${Buffer.from(stdout).toString()}\n`
    } catch (error) {
      if (!isHostError(error) && !(error instanceof PyError)) throw error
      ctx.log('error', `Exception while executing command "${command}":\n\n${error.message}`)
      return `${path}: Failed`
    }
  }
}
