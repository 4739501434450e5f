// A remote of the external pillar `git`: how it is configured, its copy below the cache, and news of all of them.
import { join } from 'node:path/posix'
import { type Log, toError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, isDict, isList, SaltError, str, type Value } from '../../data/mod.ts'
import type { Host } from '../../host/mod.ts'
import { GitCheckout } from './git-checkout.ts'

export interface GitRemote {
  /** As it is configured. */
  id: string
  branch: string
  url: string
  /** An option of the remote, or else of all. */
  setting(name: string): Value
  /** An option that only a remote can have. */
  own(name: string): Value
}

export function readRemote(opts: Dict, given: Value): GitRemote {
  const [name, settings] = given instanceof Map ? ([...given][0] ?? ['', []]) : [given, []]
  const own = new Map<Value, Value>()
  for (const some of isList(settings) ? settings : [settings]) {
    if (some instanceof Map) for (const [key, value] of some) own.set(key, value)
  }
  const [, branch, url] = /^(\S+)\s+(\S.*)$/.exec(str(name).trim()) ?? []
  const setting = (key: string): Value => own.get(key) ?? opts.get(`git_pillar_${key}`) ?? ''
  if (str(name).trim() === '') throw new SaltError('CommandExecutionError', 'A git_pillar remote names no URL')
  return {
    id: str(name),
    branch: branch ?? (str(setting('branch')) || 'master'),
    url: url ?? str(name).trim(),
    setting,
    own: (key) => own.get(key) ?? null,
  }
}

export function checkoutOf(
  { opts, host }: { opts: Dict; host: Host },
  { url, setting }: Pick<GitRemote, 'url' | 'setting'>,
  reference: string,
): GitCheckout {
  return new GitCheckout(host, join(option(opts, 'cachedir'), 'git_pillar'), {
    url,
    reference,
    fallback: str(setting('fallback')),
    user: str(setting('user')),
    password: str(setting('password')),
    privateKey: str(setting('privkey')),
    verifySsl: setting('ssl_verify') !== false,
    proxy: str(setting('proxy')),
  })
}

export interface WantedRemotes {
  branch: Value
  /** A URL, or the name of a remote. */
  repo: Value
}

/** Fetches news of the remotes: true where there were some, None where not, false where it failed. */
export async function updateGitPillars(
  { opts, host, log }: { opts: Dict; host: Host; log: Log },
  { branch, repo }: WantedRemotes,
): Promise<Dict> {
  const sources = option(opts, 'ext_pillar')
  const lists = (isList(sources) ? sources : []).map((source) => (isDict(source) ? (source.get('git') ?? null) : null))
  const remotes = lists.flatMap((list) => (isList(list) ? list : [])).map((given) => readRemote(opts, given))
  const updated: Dict = new Map()
  // remotes of one repository have one copy, so that what is news to one is news to all
  const fetched = new Map<string, Promise<boolean>>()
  for (const remote of remotes) {
    if (branch !== null && branch !== remote.branch) continue
    if (repo !== null && repo !== remote.url && repo !== remote.own('name')) continue
    try {
      const news = fetched.get(remote.url) ?? checkoutOf({ opts, host }, remote, remote.branch).fetch()
      fetched.set(remote.url, news)
      updated.set(remote.id, (await news) ? true : null)
    } catch (error) {
      log('error', `Exception '${toError(error).message}' caught while fetching git_pillar remote '${remote.id}'`)
      updated.set(remote.id, false)
    }
  }
  return updated
}
