// Functions of `git` for worktrees: further checkouts of one repository.
import { basename } from 'node:path/posix'
import { recover } from '../../../../base/mod.ts'
import {
  type Dict,
  decodeBytes,
  failure,
  misuse,
  SaltError,
  splitLines,
  str,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import { arg, changes, type FunctionContext, isHostError, reads, ret } from '../../../../sdk/mod.ts'
import { common, cwd, flag, taken, text, when, withOptions } from './arguments.ts'
import { type Access, expandPath, git, inCheckout, words } from './run.ts'

const { user, password, output_encoding } = common

/** Return whether a path is in a worktree that is not the main one: its `.git` is a file that names a directory. */
async function isWorktree(ctx: FunctionContext, args: Access & { cwd: string }): Promise<boolean> {
  return recover(
    (error) => error instanceof SaltError || isHostError(error),
    false,
    async () => {
      const top = await inCheckout(ctx, args, ['rev-parse', '--show-toplevel'])
      const pointer = decodeBytes(await ctx.host.read(`${top}/.git`))
      return /^\s*gitdir:\s+\//.test(splitLines(pointer)[0] ?? '')
    },
  )
}

interface Worktree {
  worktree: string
  HEAD: string
  branch: string
}

function parsed(block: string): Worktree | undefined {
  const facts: Record<string, string> = {}
  for (const line of block.split('\n')) {
    const [, name, value] = /^\s*(worktree|HEAD|branch)\s+(.*\S)\s*$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) facts[name] ??= value
    else if (line === 'detached') facts['branch'] ??= 'detached'
  }
  const { worktree, HEAD, branch } = facts
  return worktree && HEAD && branch ? { worktree, HEAD, branch } : undefined
}

export const worktreeFunctions = {
  is_worktree: reads({
    doc: 'Return whether a path is in a worktree other than the main one.',
    args: { cwd, user, password, output_encoding },
    returns: ret.boolean('Whether it is'),
    example: 'git.is_worktree /path/to/repo',
    run: isWorktree,
  }),
  list_worktrees: reads({
    doc: 'Return the worktrees of a repository.',
    args: {
      cwd,
      stale: flag('Return only the worktrees whose directory is missing'),
      user,
      password,
      output_encoding,
      kwargs: arg.open('`all`: include the worktrees whose directory is missing'),
    },
    returns: ret.dict('Facts by the path of the worktree'),
    example: 'git.list_worktrees /path/to/repo all=True',
    run: async (ctx, args) => {
      const all = truthy(taken(args.kwargs, 'all').all)
      const { stale } = args
      if (all && stale) throw failure("'all' and 'stale' cannot both be set to True")
      const found: Dict = new Map()
      for (const block of (await inCheckout(ctx, args, ['worktree', 'list', '--porcelain'])).trim().split('\n\n')) {
        const entry = parsed(block)
        if (entry === undefined) continue
        const { worktree, HEAD, branch } = entry
        const isStale = (await ctx.host.stat(worktree))?.type !== 'directory'
        if (isStale ? !all && !stale : stale) continue
        const detached = branch === 'detached'
        const facts: Dict = new Map<Value, Value>([
          ['stale', isStale],
          ['HEAD', HEAD],
          ['detached', detached],
          ['branch', detached ? null : branch.replace('refs/heads/', '')],
        ])
        const tags = detached ? splitLines(await inCheckout(ctx, args, ['tag', '--points-at', HEAD])) : []
        if (tags.length > 0) facts.set('tags', tags)
        found.set(worktree, facts)
      }
      return found
    },
  }),
  worktree_add: changes({
    doc: 'Add a worktree to a repository.',
    args: {
      cwd,
      worktree_path: arg.text('Path of the new worktree'),
      ref: text('Revision to check out'),
      reset_branch: arg.flag('Reset the branch if it exists', { optional: true }),
      force: arg.flag('Add the worktree even if its branch is checked out elsewhere', { optional: true }),
      detach: flag('Check out without a branch'),
      ...withOptions,
      kwargs: arg.open('`branch`: name of the new branch; by default the last part of the path'),
    },
    returns: ret.string('The output of git'),
    example: 'git.worktree_add /path/to/repo/main ../hotfix ref=origin/master',
    run: (ctx, args) => {
      const { branch } = taken(args.kwargs, 'branch')
      if (truthy(branch) && args.detach) throw misuse("Only one of 'branch' and 'detach' is allowed")
      const path = args.worktree_path
      const name = truthy(branch) ? str(branch) : basename(path)
      const target = args.detach
        ? ['--detach']
        : [args.reset_branch ? '-B' : '-b', name, ...when(args.force, '--force')]
      const argv = ['worktree', 'add', ...target, ...words(args.opts), path, ...when(args.ref, str(args.ref))]
      return inCheckout(ctx, args, argv, { merged: true })
    },
  }),
  worktree_prune: changes({
    doc: 'Remove the records of worktrees whose directories are missing.',
    args: {
      cwd,
      dry_run: flag('Report without removing anything'),
      verbose: arg.flag('Report the removals', { default: true }),
      expire: text('Age of the worktrees to remove, such as `1 week ago`'),
      ...withOptions,
    },
    returns: ret.string('The report of git'),
    example: 'git.worktree_prune /path/to/repo dry_run=True',
    run: async (ctx, args) => {
      const argv = [
        ...words(args.git_opts),
        'worktree',
        'prune',
        ...when(args.dry_run, '--dry-run'),
        ...when(args.verbose, '--verbose'),
        ...when(args.expire, '--expire', str(args.expire)),
        ...words(args.opts),
      ]
      return (await git(ctx, argv, args, { cwd: await expandPath(ctx, args.cwd, args.user) })).stderr
    },
  }),
  worktree_rm: changes({
    doc: 'Remove a worktree and its directory.',
    args: { cwd, user, output_encoding },
    returns: ret.boolean('True'),
    example: 'git.worktree_rm /path/to/worktree',
    run: async (ctx, args) => {
      const path = await expandPath(ctx, args.cwd, args.user)
      if ((await ctx.host.stat(path)) === undefined) throw failure(`${path} does not exist`)
      if (!(await isWorktree(ctx, args))) throw failure(`${path} is not a git worktree`)
      try {
        await ctx.host.removeDirectory(path, { recursive: true })
      } catch (error) {
        if (!isHostError(error)) throw error
        throw failure(`Unable to remove ${path}: ${error.message}`)
      }
      return true
    },
  }),
}
