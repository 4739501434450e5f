// Remotes of a checkout, what they hold, and fetching from them.
import { type Dict, redactUrl, splitLines, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext, Result } from '../../../../sdk/mod.ts'
import { opts, taken, text, when } from './arguments.ts'
import { expandPath, failure, type Given, git, listed, value, withAuth, words } from './run.ts'

const cwdOf = (ctx: FunctionContext, args: Given): Promise<string> =>
  expandPath(ctx, value(args, 'cwd'), value(args, 'user'))

/** Two words of each line, the rest of a line being the second. */
function pairs(output: string): [string, string][] {
  return splitLines(output).flatMap((line) => {
    const match = /^\s*(\S+)\s+(.*)$/.exec(line)
    return match ? [[match[1]!, match[2]!] as [string, string]] : []
  })
}

/** Hashes by the name of what they are of. */
const refs = (output: string): Dict => new Map(pairs(output).map(([hash, name]): [Value, Value] => [name, hash]))

export async function remotes(ctx: FunctionContext, args: Given): Promise<Dict> {
  const { stdout } = await git(ctx, ['remote', '--verbose'], args, { cwd: await cwdOf(ctx, args) })
  const found: Dict = new Map()
  for (const [name, info] of pairs(stdout)) {
    const match = /^(.*\S)\s+\(?(fetch|push)\)?$/i.exec(info)
    if (!match) continue
    const url = value(args, 'redact_auth') === false ? match[1]! : redactUrl(match[1]!)
    const entry = (found.get(name) ?? new Map()) as Dict
    found.set(name, entry.set(match[2]!.toLowerCase(), url))
  }
  return found
}

export async function remoteGet(ctx: FunctionContext, args: Given): Promise<Value> {
  const name = text(args, 'remote')
  const found = (await remotes(ctx, args)).get(name)
  if (found !== undefined) return found
  throw failure(`Remote '${name}' not present in git checkout located at ${await cwdOf(ctx, args)}`)
}

export async function remoteSet(ctx: FunctionContext, args: Given): Promise<Value> {
  const name = text(args, 'remote')
  const cwd = await cwdOf(ctx, args)
  if ((await remotes(ctx, args)).has(name)) await git(ctx, ['remote', 'rm', name], args, { cwd })
  const url = withAuth(value(args, 'url'), value(args, 'https_user'), value(args, 'https_pass'))
  await git(ctx, ['remote', 'add', name, url], args, { cwd })
  const push = value(args, 'push_url')
  if (truthy(push)) {
    const target = withAuth(str(push), value(args, 'push_https_user'), value(args, 'push_https_pass'))
    await git(ctx, ['remote', 'set-url', '--push', name, target], args, { cwd })
  }
  return remoteGet(ctx, { ...args, redact_auth: true })
}

export async function remoteRefs(ctx: FunctionContext, args: Given): Promise<Dict> {
  const { filter } = taken(args, 'filter')
  const url = withAuth(value(args, 'url'), value(args, 'https_user'), value(args, 'https_pass'))
  const kinds = [...when(value(args, 'heads'), '--heads'), ...when(value(args, 'tags'), '--tags')]
  const { stdout } = await git(ctx, ['ls-remote', ...kinds, url, ...when(filter!, str(filter!))], args)
  return refs(stdout)
}

export async function lsRemote(ctx: FunctionContext, args: Given): Promise<Dict> {
  const remote = withAuth(value(args, 'remote'), value(args, 'https_user'), value(args, 'https_pass'))
  const ref = value(args, 'ref')
  const argv = [...words(value(args, 'git_opts')), 'ls-remote', ...opts(args), remote, ...when(ref, str(ref))]
  const place = value(args, 'cwd') === null ? {} : { cwd: await cwdOf(ctx, args) }
  return refs((await git(ctx, argv, args, place)).stdout)
}

const UPDATE = /^[\s*]*(?:([0-9a-f]+)\.\.([0-9a-f]+)|\[(?:new (tag|branch)|tag update)\])\s+(.+)->/

export async function fetch(ctx: FunctionContext, args: Given): Promise<Result> {
  const specs = value(args, 'refspecs')
  const remote = value(args, 'remote')
  const argv = [
    ...words(value(args, 'git_opts')),
    'fetch',
    ...when(value(args, 'force'), '--force'),
    ...opts(args).filter((word) => word !== '-f' && word !== '--force'),
    ...when(remote, str(remote)),
    ...(specs === null ? [] : listed(specs)),
  ]
  const { stdout } = await git(ctx, argv, args, { cwd: await cwdOf(ctx, args), merged: true })
  const updates: Dict = new Map()
  const listIn = (key: string): Value[] => {
    if (!updates.has(key)) updates.set(key, [])
    return updates.get(key) as Value[]
  }
  for (const line of stdout.split('\n')) {
    const match = UPDATE.exec(line)
    if (!match) continue
    const [, before, after, fresh] = match
    const name = match[4]!.trimEnd()
    if (fresh !== undefined) listIn(fresh === 'tag' ? 'new tags' : 'new branches').push(name)
    else if (before === undefined) listIn('updated tags').push(name)
    else {
      const branches = (updates.get('updated branches') ?? new Map()) as Dict
      const change = new Map<Value, Value>([
        ['old', before],
        ['new', after!],
      ])
      updates.set('updated branches', branches.set(name, change))
    }
  }
  return updates
}
