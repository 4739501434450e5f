// Common ancestors, differences and the state of a checkout.
import { type Dict, SaltError, splitLines, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext, Result } from '../../../../sdk/mod.ts'
import { opts, taken, text, when } from './arguments.ts'
import { expandPath, failure, type Given, git, listed, misuse, value, words } from './run.ts'

const cwdOf = (ctx: FunctionContext, args: Given): Promise<string> =>
  expandPath(ctx, value(args, 'cwd'), value(args, 'user'))

const EXCLUSIVE = ['octopus', 'independent', 'is_ancestor', 'fork_point']

function mergeBaseRefs(args: Given, all: Value): string[] {
  const on = (name: string): boolean => truthy(value(args, name))
  if (truthy(all) && (on('independent') || on('is_ancestor') || on('fork_point'))) {
    throw misuse("The 'all' argument is not compatible with 'independent', 'is_ancestor', or 'fork_point'")
  }
  const given = value(args, 'refs')
  const refs = given === null ? [] : listed(given).map((ref) => ref.trim())
  if (EXCLUSIVE.filter(on).length > 1) {
    throw misuse("Only one of 'octopus', 'independent', 'is_ancestor', and 'fork_point' is permitted")
  }
  if (on('is_ancestor') && refs.length !== 2) {
    throw misuse("Two refs/commits are required if 'is_ancestor' is True")
  }
  if (on('fork_point')) {
    if (refs.length > 1) throw misuse("At most one ref/commit can be passed if 'fork_point' is specified")
    if (refs.length === 0) refs.push('HEAD')
  }
  return refs
}

export async function mergeBase(ctx: FunctionContext, args: Given): Promise<Value> {
  const { all } = taken(args, 'all')
  const refs = mergeBaseRefs(args, all!)
  const isAncestor = truthy(value(args, 'is_ancestor'))
  const argv = [
    ...words(value(args, 'git_opts')),
    'merge-base',
    ...opts(args),
    ...when(all!, '--all'),
    ...when(value(args, 'octopus'), '--octopus'),
    ...when(isAncestor, '--is-ancestor'),
    ...when(value(args, 'independent'), '--independent'),
    ...when(value(args, 'fork_point'), '--fork-point', text(args, 'fork_point')),
    ...refs,
  ]
  const outcome = await git(ctx, argv, args, { cwd: await cwdOf(ctx, args), lenient: isAncestor })
  if (isAncestor) return outcome.retcode === 0
  const bases = splitLines(outcome.stdout)
  return truthy(all!) ? bases : (bases[0] ?? '')
}

export async function mergeTree(ctx: FunctionContext, args: Given): Promise<string> {
  const [one, two] = [text(args, 'ref1'), text(args, 'ref2')]
  let base = value(args, 'base')
  try {
    base ??= await mergeBase(ctx, { cwd: value(args, 'cwd'), refs: [one, two], kwargs: new Map() })
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    throw failure(`Unable to determine merge base for ${one} and ${two}`)
  }
  return (await git(ctx, ['merge-tree', str(base), one, two], args, { cwd: await cwdOf(ctx, args) })).stdout
}

export async function diff(ctx: FunctionContext, args: Given): Promise<string> {
  const on = (name: string): boolean => truthy(value(args, name))
  if (on('no_index') && on('cached')) {
    throw failure("The 'no_index' and 'cached' options cannot be used together")
  }
  const items = ['item1', 'item2'].filter(on).map((name) => text(args, name))
  const what = on('no_index') ? ['--no-index'] : on('cached') ? ['--cached', ...items.slice(0, 1)] : items
  const paths = value(args, 'paths')
  const argv = [
    ...words(value(args, 'git_opts')),
    'diff',
    ...opts(args),
    ...what,
    ...when(paths, '--', ...(truthy(paths) ? listed(paths) : [])),
  ]
  const lenient = on('no_index')
  const outcome = await git(
    ctx,
    argv,
    { ...args, ignore_retcode: lenient },
    {
      cwd: str(value(args, 'cwd')),
      merged: true,
      lenient,
    },
  )
  return outcome.stdout
}

const STATES: Readonly<Record<string, string>> = { M: 'modified', A: 'new', D: 'deleted', '??': 'untracked' }

export async function status(ctx: FunctionContext, args: Given): Promise<Result> {
  const { stdout } = await git(ctx, ['status', '-z', '--porcelain'], args, { cwd: await cwdOf(ctx, args) })
  const found: Dict = new Map()
  for (const line of stdout.split('\0')) {
    const match = /^\s*(\S+)\s+(.*)$/s.exec(line)
    if (!match) continue
    const state = STATES[match[1]!] ?? match[1]!
    found.set(state, [...((found.get(state) ?? []) as Value[]), match[2]!])
  }
  return found
}
