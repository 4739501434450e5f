// Remove empty directories.
import { type Dict, sorted, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type StateContext, state } from '../../../../sdk/mod.ts'
import { type Answer, begin, dict } from './answer.ts'
import { expandUser, isDirectory } from './paths.ts'

interface Pruning {
  name: string
  recurse: boolean
  ignore_errors: boolean
  older_than: Value
}

async function prune(ctx: StateContext, { name, recurse, ignore_errors, older_than }: Pruning): Promise<Answer> {
  const path = await expandUser(ctx, name)
  const answer = begin(path)
  const deep = recurse || ignore_errors
  if (!(await isDirectory(ctx, path))) return { ...answer, comment: `Directory ${path} is not present` }
  if (ctx.test) {
    const comment = `Directory ${path} is set for removal`
    return { ...answer, result: null, changes: dict({ deleted: path }), comment }
  }
  const options = { recurse: deep, verbose: true, older_than }
  const outcome = (await ctx.call('file.rmdir', [path], options)) as Dict
  const result = truthy(outcome.get('result') ?? false)
  outcome.delete('result')
  const deleted = outcome.get('deleted') ?? null
  if (deep && truthy(deleted) && (result || ignore_errors)) {
    const comment = `Recursively removed empty directories under ${path}`
    return { ...answer, comment, changes: dict({ deleted: sorted(deleted) }) }
  }
  if (result) {
    return deep ? answer : { ...answer, comment: `Removed directory ${path}`, changes: dict({ deleted: path }) }
  }
  return { ...answer, result, changes: outcome, comment: `Failed to remove directory ${path}` }
}

export const pruned = state({
  doc: 'Remove a directory when it is empty.',
  args: {
    name: arg.string('The directory'),
    recurse: arg.boolean('Remove empty directories below it first', { default: false }),
    ignore_errors: arg.boolean('Count it as done when some could be removed', { default: false }),
    older_than: arg.any('Only those unchanged for so many days', { optional: true }),
  },
  run: prune,
})
