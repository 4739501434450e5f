// States about the existence of a path.
import { isFailure } from '../../../../data/mod.ts'
import {
  arg,
  expandUser,
  isAbsolute,
  isDirectory,
  isFile,
  isHostError,
  isLink,
  exists as isThere,
  type StateContext,
  state,
} from '../../../../sdk/mod.ts'
import { type Answer, begin, fail, messageOf } from './answer.ts'
import { absentPlace } from './place.ts'

const name = arg.string('Path')
const kwargs = arg.ignored()

async function remove(ctx: StateContext, given: string): Promise<Answer> {
  const path = await expandUser(ctx, given)
  const answer = begin(path)
  if (path === '') return fail(answer, 'Must provide name to file.absent')
  if (!isAbsolute(path)) return fail(answer, `Specified file ${path} is not an absolute path`)
  if (path === '/') return fail(answer, 'Refusing to make "/" absent')
  const isPlain = (await isFile(ctx, path)) || (await isLink(ctx, path))
  if (!isPlain && !(await isDirectory(ctx, path))) return { ...answer, comment: `File ${path} is not present` }
  const what = isPlain ? 'File' : 'Directory'
  if (ctx.test) {
    answer.changes.set('removed', path)
    return { ...answer, result: null, comment: `${what} ${path} is set for removal` }
  }
  try {
    await ctx.call('file.remove', [path], { force: true })
  } catch (error) {
    if (isPlain && isFailure(error)) {
      return fail(answer, messageOf(error))
    }
    if (!isPlain && isHostError(error)) return fail(answer, `Failed to remove directory ${path}`)
    throw error
  }
  answer.changes.set('removed', path)
  return { ...answer, comment: `Removed ${what.toLowerCase()} ${path}` }
}

export const absent = state({
  doc: 'Ensure that a file, link or directory does not exist.',
  args: { name, kwargs },
  place: absentPlace,
  run: (ctx, { name }) => remove(ctx, name),
})

async function look(ctx: StateContext, given: string, wanted: boolean): Promise<Answer> {
  const path = await expandUser(ctx, given)
  const answer = begin(path)
  if (path === '') return fail(answer, `Must provide name to file.${wanted ? 'exists' : 'missing'}`)
  const found = await isThere(ctx, path)
  if (found !== wanted) return fail(answer, `Specified path ${path} ${found ? 'exists' : 'does not exist'}`)
  return { ...answer, comment: `Path ${path} ${wanted ? 'exists' : 'is missing'}` }
}

export const exists = state({
  doc: 'Verify that a path exists; fail otherwise.',
  args: { name, kwargs },
  run: (ctx, { name }) => look(ctx, name, true),
})

export const missing = state({
  doc: 'Verify that a path does not exist; fail otherwise.',
  args: { name, kwargs },
  run: (ctx, { name }) => look(ctx, name, false),
})
