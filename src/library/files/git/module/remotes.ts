// Functions of `git` for remotes: URLs, references, and fetching.
import { type Dict, failure, redactUrl, splitLines, str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, changes, type FunctionContext, reads, ret } from '../../../../sdk/mod.ts'
import {
  common,
  cwd,
  flag,
  httpsKey,
  optionalCwd,
  pushPassword,
  redact_auth,
  remote,
  taken,
  text,
  when,
  withHttps,
  withSaltKey,
} from './arguments.ts'
import { type Access, expandPath, git, inCheckout, withAuth, words } from './run.ts'

const { user, password, https_user, https_pass, ignore_retcode, saltenv, output_encoding } = common

/** Return the first word and the rest of each line. */
function pairs(output: string): [string, string][] {
  return splitLines(output).flatMap((line): [string, string][] => {
    const [, first, rest] = /^\s*(\S+)\s+(.*)$/.exec(line) ?? []
    return first === undefined || rest === undefined ? [] : [[first, rest]]
  })
}

/** Return commits by the names of their references. */
const refs = (output: string): Dict => new Map(pairs(output).map(([hash, name]): [Value, Value] => [name, hash]))

interface Checkout extends Access {
  cwd: string
  redact_auth?: boolean
}

async function remotesOf(ctx: FunctionContext, args: Checkout): Promise<Dict> {
  const found = new Map<Value, Dict>()
  for (const [name, info] of pairs(await inCheckout(ctx, args, ['remote', '--verbose']))) {
    const [, url, action] = /^(.*\S)\s+\(?(fetch|push)\)?$/i.exec(info) ?? []
    if (url === undefined || action === undefined) continue
    const urls: Dict = found.get(name) ?? new Map()
    found.set(name, urls.set(action.toLowerCase(), args.redact_auth === false ? url : redactUrl(url)) as Dict)
  }
  return found
}

async function remoteUrls(ctx: FunctionContext, args: Checkout & { remote: string }): Promise<Dict> {
  const found = (await remotesOf(ctx, args)).get(args.remote)
  if (found instanceof Map) return found
  const path = await expandPath(ctx, args.cwd, args.user)
  throw failure(`Remote '${args.remote}' not present in git checkout located at ${path}`)
}

const UPDATE = /^[\s*]*(?:([0-9a-f]+)\.\.([0-9a-f]+)|\[(?:new (tag|branch)|tag update)\])\s+(.+)->/

/** Return the references that a fetch changed, by kind. */
function fetchedRefs(output: string): Dict {
  const lists = new Map<Value, string[]>()
  const branches: Dict = new Map()
  for (const line of output.split('\n')) {
    const [, old, after, fresh, rest] = UPDATE.exec(line) ?? []
    if (rest === undefined) continue
    const name = rest.trimEnd()
    if (old !== undefined && after !== undefined) {
      branches.set(name, new Map(Object.entries({ old, new: after })))
      lists.set('updated branches', [])
      continue
    }
    const kind = fresh === 'tag' ? 'new tags' : fresh === 'branch' ? 'new branches' : 'updated tags'
    lists.set(kind, [...(lists.get(kind) ?? []), name])
  }
  return new Map([...lists].map(([kind, names]) => [kind, kind === 'updated branches' ? branches : names]))
}

export const remoteFunctions = {
  fetch: changes({
    doc: 'Fetch from a remote.',
    args: {
      cwd,
      remote: text("Name of the remote; by default that of git's configuration"),
      force: flag('Update references that cannot be fast-forwarded'),
      refspecs: arg.words('Refspecs to fetch: a list, or text with commas', { optional: true }),
      ...withSaltKey,
    },
    returns: ret.dict('The new and updated branches and tags, by kind'),
    example: 'git.fetch /path/to/repo upstream',
    run: async (ctx, args) => {
      const options = words(args.opts).filter((word) => word !== '-f' && word !== '--force')
      const source = [...when(args.remote, str(args.remote)), ...(args.refspecs ?? [])]
      const argv = ['fetch', ...when(args.force, '--force'), ...options, ...source]
      return fetchedRefs(await inCheckout(ctx, args, argv, { merged: true }))
    },
  }),
  ls_remote: reads({
    doc: 'Return the references of a remote.',
    args: {
      cwd: optionalCwd,
      remote: arg.text('Name or URL of the remote', { default: 'origin' }),
      ref: text('Name of one reference'),
      ...withHttps,
      output_encoding,
      saltenv,
    },
    returns: ret.dict('Commits by reference'),
    example: 'git.ls_remote remote=git@mydomain.tld:repo.git ref=master',
    run: async (ctx, args) => {
      const url = withAuth(args.remote, args.https_user, args.https_pass)
      const argv = [...words(args.git_opts), 'ls-remote', ...words(args.opts), url, ...when(args.ref, str(args.ref))]
      const place = args.cwd === null ? {} : { cwd: await expandPath(ctx, args.cwd, args.user) }
      return refs((await git(ctx, argv, args, place)).stdout)
    },
  }),
  remote_get: reads({
    doc: 'Return the URLs of a remote.',
    args: { cwd, remote, user, password, redact_auth, ignore_retcode, output_encoding },
    returns: ret.dict('The URLs for `fetch` and `push`'),
    example: 'git.remote_get /path/to/repo upstream',
    run: remoteUrls,
  }),
  remote_refs: reads({
    doc: 'Return the references of a repository.',
    args: {
      url: arg.text('URL of the repository'),
      heads: flag('Return branches only'),
      tags: flag('Return tags only'),
      ...httpsKey,
      output_encoding,
      saltenv,
      kwargs: arg.open('`filter`: pattern of the names of references'),
    },
    returns: ret.dict('Commits by reference'),
    example: 'git.remote_refs https://mydomain.tld/repo.git',
    run: async (ctx, args) => {
      const { filter } = taken(args.kwargs, 'filter')
      const url = withAuth(args.url, args.https_user, args.https_pass)
      const kinds = [...when(args.heads, '--heads'), ...when(args.tags, '--tags')]
      const argv = ['ls-remote', ...kinds, url, ...when(truthy(filter), str(filter))]
      return refs((await git(ctx, argv, args)).stdout)
    },
  }),
  remote_set: changes({
    doc: 'Add a remote, or change its URLs.',
    args: {
      cwd,
      url: arg.text('URL of the remote'),
      remote,
      user,
      password,
      https_user,
      https_pass,
      push_url: text('URL for pushing; by default that for fetching'),
      push_https_user: text('User name for HTTPS when pushing'),
      push_https_pass: pushPassword,
      ignore_retcode,
      output_encoding,
    },
    returns: ret.dict('The URLs for `fetch` and `push`'),
    example: 'git.remote_set /path/to/repo git@github.com:user/repo.git remote=upstream',
    run: async (ctx, args) => {
      const { remote } = args
      if ((await remotesOf(ctx, args)).has(remote)) await inCheckout(ctx, args, ['remote', 'rm', remote])
      const url = withAuth(args.url, args.https_user, args.https_pass)
      await inCheckout(ctx, args, ['remote', 'add', remote, url])
      if (args.push_url) {
        const pushUrl = withAuth(args.push_url, args.push_https_user, args.push_https_pass)
        await inCheckout(ctx, args, ['remote', 'set-url', '--push', remote, pushUrl])
      }
      return remoteUrls(ctx, args)
    },
  }),
  remotes: reads({
    doc: 'Return all remotes of a checkout.',
    args: { cwd, user, password, redact_auth, ignore_retcode, output_encoding },
    returns: ret.dict('The URLs for `fetch` and `push`, by remote'),
    example: 'git.remotes /path/to/repo',
    run: remotesOf,
  }),
  push: changes({
    doc: 'Push to a remote.',
    args: {
      cwd,
      remote: text('Name of the remote'),
      ref: text('Refspec to push'),
      ...withSaltKey,
      kwargs: arg.open('Further keywords are refused'),
    },
    returns: ret.string('The output of git'),
    example: 'git.push /path/to/repo origin master',
    run: (ctx, args) => {
      taken(args.kwargs)
      return inCheckout(ctx, args, ['push', ...words(args.opts), str(args.remote), str(args.ref)])
    },
  }),
  pull: changes({
    doc: 'Pull from a remote.',
    args: { cwd, ...withSaltKey },
    returns: ret.string('The output of git'),
    example: "git.pull /path/to/repo opts='--rebase origin master'",
    run: (ctx, args) => inCheckout(ctx, args, ['pull', ...words(args.opts)]),
  }),
}
