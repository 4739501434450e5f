// Remove empty directories.
import { type Dict, dictFrom, sorted, truthy } from '../../../../data/mod.ts'
import { arg, expandUser, isDirectory, type StateContext, state } from '../../../../sdk/mod.ts'
import { type Answer, begin } from './answer.ts'

interface Pruning {
  name: string
  recurse: boolean
  ignore_errors: boolean
  older_than: string | null
}

async function prune(ctx: StateContext, { name, recurse, ignore_errors, older_than }: Pruning): Promise<Answer> {
  const path = await expandUser(ctx, name)
  const answer = begin(path)
  const deep = recurse || ignore_errors
  if (!(await isDirectory(ctx, path))) return { ...answer, comment: `Directory ${path} is not present` }
  if (ctx.test) {
    const comment = `Directory ${path} is set for removal`
    return { ...answer, result: null, changes: dictFrom({ deleted: path }), comment }
  }
  const options = { recurse: deep, verbose: true, older_than }
  const outcome = (await ctx.call('file.rmdir', [path], options)) as Dict
  const result = truthy(outcome.get('result') ?? false)
  outcome.delete('result')
  const deleted = outcome.get('deleted') ?? null
  if (deep && truthy(deleted) && (result || ignore_errors)) {
    const comment = `Recursively removed empty directories under ${path}`
    return { ...answer, comment, changes: dictFrom({ deleted: sorted(deleted) }) }
  }
  if (result) {
    return deep ? answer : { ...answer, comment: `Removed directory ${path}`, changes: dictFrom({ deleted: path }) }
  }
  return { ...answer, result, changes: outcome, comment: `Failed to remove directory ${path}` }
}

export const pruned = state({
  doc: 'Ensure that a directory is removed if it is empty.',
  args: {
    name: arg.string('Path of the directory'),
    recurse: arg.boolean('Also remove the empty directories below it', { default: false }),
    ignore_errors: arg.boolean('Succeed if some directories could be removed', { default: false }),
    older_than: arg.text('Age in days, to remove only older directories', { optional: true }),
  },
  run: prune,
})
