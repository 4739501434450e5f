// Functions of `git` for commits: common ancestors, differences and the status of a checkout.
import { failure, misuse, SaltError, splitLines, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type Bound, type FunctionContext, reads, ret } from '../../../../sdk/mod.ts'
import { asUser, common, cwd, flag, taken, text, when, withOptions } from './arguments.ts'
import { expandPath, git, inCheckout, words } from './run.ts'

const { opts, git_opts, user, password, output_encoding } = common
const refs = (doc: string) => arg.words(doc, { optional: true })

const mergeBaseArgs = {
  cwd,
  refs: refs('Revisions: a list, or text with commas'),
  octopus: flag('Find the best common ancestors of all revisions'),
  is_ancestor: flag('Return whether the first revision is an ancestor of the second'),
  independent: flag('Return the revisions that no other one can reach'),
  fork_point: text('Branch, to find the commit at which the revision left it'),
  ...withOptions,
  kwargs: arg.open('`all`: return all common ancestors'),
}

type MergeBase = Bound<typeof mergeBaseArgs>

function mergeBaseRefs({ octopus, independent, is_ancestor, fork_point, ...args }: MergeBase, all: boolean): string[] {
  if (all && (independent || is_ancestor || fork_point)) {
    throw misuse("The 'all' argument is not compatible with 'independent', 'is_ancestor', or 'fork_point'")
  }
  const refs = (args.refs ?? []).map((ref) => ref.trim())
  if ([octopus, independent, is_ancestor, fork_point].filter(Boolean).length > 1) {
    throw misuse("Only one of 'octopus', 'independent', 'is_ancestor', and 'fork_point' is permitted")
  }
  if (is_ancestor && refs.length !== 2) throw misuse("Two refs/commits are required if 'is_ancestor' is True")
  if (!fork_point) return refs
  if (refs.length > 1) throw misuse("At most one ref/commit can be passed if 'fork_point' is specified")
  return refs.length === 0 ? ['HEAD'] : refs
}

async function mergeBase(ctx: FunctionContext, args: MergeBase): Promise<boolean | string | string[]> {
  const all = truthy(taken(args.kwargs, 'all').all)
  const refs = mergeBaseRefs(args, all)
  const argv = [
    ...words(args.git_opts),
    'merge-base',
    ...words(args.opts),
    ...when(all, '--all'),
    ...when(args.octopus, '--octopus'),
    ...when(args.is_ancestor, '--is-ancestor'),
    ...when(args.independent, '--independent'),
    ...(args.fork_point ? ['--fork-point', args.fork_point] : []),
    ...refs,
  ]
  const place = { cwd: await expandPath(ctx, args.cwd, args.user), lenient: args.is_ancestor }
  const { retcode, stdout } = await git(ctx, argv, args, place)
  if (args.is_ancestor) return retcode === 0
  const bases = splitLines(stdout)
  return all ? bases : (bases[0] ?? '')
}

const STATES: Readonly<Record<string, string>> = { M: 'modified', A: 'new', D: 'deleted', '??': 'untracked' }

export const historyFunctions = {
  merge_base: reads({
    doc: 'Return the common ancestor of revisions.',
    args: mergeBaseArgs,
    returns: ret.any('A commit; a list of commits with `all`; a boolean with `is_ancestor`'),
    example: 'git.merge_base /path/to/repo HEAD upstream/mybranch',
    run: mergeBase,
  }),
  merge_tree: reads({
    doc: 'Return the result of a merge without merging.',
    args: {
      cwd,
      ref1: arg.text('First revision'),
      ref2: arg.text('Second revision'),
      base: text('Common ancestor; by default that of `git merge-base`'),
      ...asUser,
    },
    returns: ret.string('The output of `git merge-tree`'),
    example: 'git.merge_tree /path/to/repo HEAD upstream/dev',
    run: async (ctx, args) => {
      const { cwd, ref1, ref2 } = args
      let { base } = args
      try {
        base ??= (await inCheckout(ctx, { cwd }, ['merge-base', ref1, ref2])).split('\n')[0] ?? ''
      } catch (error) {
        if (!(error instanceof SaltError)) throw error
        throw failure(`Unable to determine merge base for ${ref1} and ${ref2}`)
      }
      return inCheckout(ctx, args, ['merge-tree', base, ref1, ref2])
    },
  }),
  diff: reads({
    doc: 'Return the difference of revisions or files.',
    args: {
      cwd,
      item1: text('First revision or path'),
      item2: text('Second revision or path'),
      opts,
      git_opts,
      user,
      password,
      no_index: flag('Compare two paths outside of a repository'),
      cached: flag('Compare the index with the first revision'),
      paths: refs('Paths to compare: a list, or text with commas'),
      output_encoding,
    },
    returns: ret.string('The output of `git diff`'),
    example: 'git.diff /path/to/repo HEAD~1',
    run: async (ctx, args) => {
      const { no_index, cached } = args
      if (no_index && cached) throw failure("The 'no_index' and 'cached' options cannot be used together")
      const items = [args.item1, args.item2].flatMap((item) => item || [])
      const what = no_index ? ['--no-index'] : cached ? ['--cached', ...items.slice(0, 1)] : items
      const paths = args.paths?.join() ? ['--', ...args.paths] : []
      const argv = [...words(args.git_opts), 'diff', ...words(args.opts), ...what, ...paths]
      const place = { cwd: args.cwd, merged: true, lenient: no_index }
      return (await git(ctx, argv, { ...args, ignore_retcode: no_index }, place)).stdout
    },
  }),
  status: reads({
    doc: 'Return the changed files of a checkout.',
    args: { cwd, ...asUser },
    returns: ret.dict('Lists of files by status: `modified`, `new`, `deleted`, `untracked` or the letters of git'),
    example: 'git.status /path/to/repo',
    run: async (ctx, args) => {
      const found = new Map<Value, string[]>()
      for (const line of (await inCheckout(ctx, args, ['status', '-z', '--porcelain'])).split('\0')) {
        const [, letters, file] = /^\s*(\S+)\s+(.*)$/s.exec(line) ?? []
        if (letters === undefined || file === undefined) continue
        const state = STATES[letters] ?? letters
        found.set(state, [...(found.get(state) ?? []), file])
      }
      return found
    },
  }),
}
