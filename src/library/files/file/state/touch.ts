// An empty file, or new times of an existing one.
import { dictFrom, str, truthy, type Value } from '../../../../data/mod.ts'
import {
  arg,
  dirName,
  exists,
  expandUser,
  isAbsolute,
  isDirectory,
  type StateContext,
  state,
} from '../../../../sdk/mod.ts'
import { type Answer, begin, fail } from './answer.ts'

export interface Touch {
  name: string
  atime?: Value
  mtime?: Value
  makedirs?: boolean
}

async function predict(ctx: StateContext, path: string, atime: Value, mtime: Value): Promise<Answer> {
  if (!(await exists(ctx, path))) {
    return { name: path, changes: dictFrom({ new: path }), result: null, comment: `File ${path} is set to be created` }
  }
  const stats = await ctx.call('file.stats', [path], { follow_symlinks: false })
  const differs = (wanted: Value, key: string): boolean =>
    wanted !== null && str(wanted) !== str(stats.get(key) ?? null)
  if (differs(atime, 'atime') || differs(mtime, 'mtime')) {
    const comment = `Times set to be updated on file ${path}`
    return { name: path, changes: dictFrom({ touched: path }), result: null, comment }
  }
  const comment = `File ${path} exists and has the correct times`
  return { name: path, changes: dictFrom({ new: path }), result: true, comment }
}

export async function touchFile(ctx: StateContext, { name, atime = null, mtime = null, makedirs }: Touch) {
  const path = await expandUser(ctx, name)
  const answer: Answer = begin(path)
  if (path === '') return fail(answer, 'Must provide name to file.touch')
  if (!isAbsolute(path)) return fail(answer, `Specified file ${path} is not an absolute path`)
  if (ctx.test) return predict(ctx, path, atime, mtime)
  if (makedirs) await ctx.call('file.makedirs', [], { path })
  if (!(await isDirectory(ctx, dirName(path)))) return fail(answer, `Directory not present to touch file ${path}`)
  const wasThere = await exists(ctx, path)
  answer.result = truthy(await ctx.call('file.touch', [path, atime, mtime]))
  if (answer.result && !wasThere) {
    answer.comment = `Created empty file ${path}`
    answer.changes.set('new', path)
  } else if (answer.result) {
    answer.comment = `Updated times on ${(await isDirectory(ctx, path)) ? 'directory' : 'file'} ${path}`
    answer.changes.set('touched', path)
  }
  return answer
}

export const touch = state({
  doc: 'Ensure that a file exists, and set its times.',
  args: {
    name: arg.string('Path of the file'),
    atime: arg.textOrNumber('Access time: seconds since 1970 as a number or text; by default now', { optional: true }),
    mtime: arg.textOrNumber('Modification time: seconds since 1970 as a number or text; by default now', {
      optional: true,
    }),
    makedirs: arg.flag('Create missing parent directories', { default: false }),
  },
  run: touchFile,
})
