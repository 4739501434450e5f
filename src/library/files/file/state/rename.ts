// Move a file that lies elsewhere on the machine.
import { arg, isHostError, type StateContext, state } from '../../../../sdk/mod.ts'
import { type Answer, begin, dict, fail } from './answer.ts'
import { dirName, expandUser, expandVariables, isAbsolute, isDirectory, isSomething } from './paths.ts'

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
  return { ...answer, comment: `Moved "${source}" to "${path}"`, changes: dict({ [path]: source }) }
}

export const rename = state({
  doc: 'Move a file, link or directory; done when the source is no longer there.',
  args: {
    name: arg.string('Where it shall be'),
    source: arg.string('Where it is'),
    force: arg.boolean('Replace what is there', { default: false }),
    makedirs: arg.boolean('Make the directories above it', { default: false }),
    kwargs: arg.ignored(),
  },
  run: move,
})
