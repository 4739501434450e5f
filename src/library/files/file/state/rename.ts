// A file, link or directory that is moved from another path.
import { dictFrom } from '../../../../data/mod.ts'
import {
  arg,
  dirName,
  expandUser,
  expandVariables,
  isAbsolute,
  isDirectory,
  isHostError,
  type StateContext,
  state,
} from '../../../../sdk/mod.ts'
import { type Answer, begin, fail } from './answer.ts'
import { isSomething } from './paths.ts'

interface Move {
  name: string
  source: string
  force: boolean
  makedirs: boolean
}

async function move(ctx: StateContext, { name, source: given, force, makedirs }: Move): Promise<Answer> {
  const path = await expandVariables(ctx, await expandUser(ctx, name))
  const source = await expandVariables(ctx, await expandUser(ctx, given))
  const answer = begin(path)
  if (path === '') return fail(answer, 'Must provide name to file.rename')
  if (!isAbsolute(path)) return fail(answer, `Specified file ${path} is not an absolute path`)
  if (!(await isSomething(ctx, source))) {
    return { ...answer, comment: `Source file "${source}" has already been moved out of place` }
  }
  if (await isSomething(ctx, path)) {
    if (!force) return { ...answer, comment: `The target file "${path}" exists and will not be overwritten` }
    if (!ctx.test) await ctx.call('file.remove', [path])
  }
  if (ctx.test) return { ...answer, result: null, comment: `File "${source}" is set to be moved to "${path}"` }
  const directory = dirName(path)
  if (!(await isDirectory(ctx, directory))) {
    if (!makedirs) return fail(answer, `The target directory ${directory} is not present`)
    await ctx.call('file.makedirs', [], { path })
  }
  try {
    await ctx.host.rename(source, path)
  } catch (error) {
    if (isHostError(error, 'EXDEV')) await ctx.call('file.move', [source, path])
    else if (isHostError(error)) return fail(answer, `Failed to move "${source}" to "${path}"`)
    else throw error
  }
  return { ...answer, comment: `Moved "${source}" to "${path}"`, changes: dictFrom({ [path]: source }) }
}

export const rename = state({
  doc: 'Ensure that a file, link or directory is moved. The state succeeds if the source does not exist.',
  args: {
    name: arg.string('New path'),
    source: arg.string('Path of the source'),
    force: arg.boolean('Replace an existing path', { default: false }),
    makedirs: arg.boolean('Create missing parent directories', { default: false }),
    kwargs: arg.ignored(),
  },
  run: move,
})
