// Worktrees: further checkouts of one repository.
import { basename } from 'node:path/posix'
import { type Dict, decodeBytes, SaltError, splitLines, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isHostError, type Result } from '../../../../sdk/mod.ts'
import { opts, taken, text, when } from './arguments.ts'
import { expandPath, failure, type Given, git, misuse, value, words } from './run.ts'

const cwdOf = (ctx: FunctionContext, args: Given): Promise<string> =>
  expandPath(ctx, value(args, 'cwd'), value(args, 'user'))

/** Whether a path is in a worktree that is not the main one: its `.git` is a file that names a folder. */
export async function isWorktree(ctx: FunctionContext, args: Given): Promise<boolean> {
  try {
    const { stdout } = await git(ctx, ['rev-parse', '--show-toplevel'], args, { cwd: await cwdOf(ctx, args) })
    const pointer = decodeBytes(await ctx.host.read(`${stdout}/.git`))
    return /^\s*gitdir:\s+\//.test(splitLines(pointer)[0] ?? '')
  } catch (error) {
    if (error instanceof SaltError || isHostError(error)) return false
    throw error
  }
}

interface Listed {
  worktree: string
  HEAD: string
  branch: string
}

function parsed(block: string): Listed | undefined {
  const facts: Record<string, string> = {}
  for (const line of block.split('\n')) {
    const match = /^\s*(worktree|HEAD|branch)\s+(.*\S)\s*$/.exec(line)
    if (match) facts[match[1]!] ??= match[2]!
    else if (line === 'detached') facts['branch'] ??= 'detached'
  }
  const { worktree, HEAD, branch } = facts
  return worktree && HEAD && branch ? { worktree, HEAD, branch } : undefined
}

export async function listWorktrees(ctx: FunctionContext, args: Given): Promise<Result> {
  const { all } = taken(args, 'all')
  const stale = truthy(value(args, 'stale'))
  if (truthy(all!) && stale) throw failure("'all' and 'stale' cannot both be set to True")
  const cwd = await cwdOf(ctx, args)
  const { stdout } = await git(ctx, ['worktree', 'list', '--porcelain'], args, { cwd })
  const found: Dict = new Map()
  for (const block of stdout.trim().split('\n\n')) {
    const entry = parsed(block)
    if (entry === undefined) continue
    const isStale = (await ctx.host.stat(entry.worktree))?.type !== 'directory'
    if (isStale ? !truthy(all!) && !stale : stale) continue
    const detached = entry.branch === 'detached'
    const facts: Dict = new Map<Value, Value>([
      ['stale', isStale],
      ['HEAD', entry.HEAD],
      ['detached', detached],
      ['branch', detached ? null : entry.branch.replace('refs/heads/', '')],
    ])
    if (detached) {
      const tags = splitLines((await git(ctx, ['tag', '--points-at', entry.HEAD], args, { cwd })).stdout)
      if (tags.length > 0) facts.set('tags', tags)
    }
    found.set(entry.worktree, facts)
  }
  return found
}

export async function worktreeAdd(ctx: FunctionContext, args: Given): Promise<string> {
  const { branch } = taken(args, 'branch')
  const detach = truthy(value(args, 'detach'))
  if (truthy(branch!) && detach) throw misuse("Only one of 'branch' and 'detach' is allowed")
  const path = text(args, 'worktree_path')
  const target = detach
    ? ['--detach']
    : [
        truthy(value(args, 'reset_branch')) ? '-B' : '-b',
        truthy(branch!) ? str(branch!) : basename(path),
        ...when(value(args, 'force'), '--force'),
      ]
  const ref = value(args, 'ref')
  const argv = [
    ...words(value(args, 'git_opts')),
    'worktree',
    'add',
    ...target,
    ...opts(args),
    path,
    ...when(ref, str(ref)),
  ]
  return (await git(ctx, argv, args, { cwd: await cwdOf(ctx, args), merged: true })).stdout
}

export async function worktreeRemove(ctx: FunctionContext, args: Given): Promise<true> {
  const cwd = await cwdOf(ctx, args)
  if ((await ctx.host.stat(cwd)) === undefined) throw failure(`${cwd} does not exist`)
  if (!(await isWorktree(ctx, args))) throw failure(`${cwd} is not a git worktree`)
  try {
    await ctx.host.removeDirectory(cwd, { recursive: true })
  } catch (error) {
    if (!isHostError(error)) throw error
    throw failure(`Unable to remove ${cwd}: ${error.message}`)
  }
  return true
}
