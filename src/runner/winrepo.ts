// Repositories of definitions for Windows minions: mirrors like those of the file server. Their files are checked out
// below `winrepo_dir` and `winrepo_dir_ng`, where the file server finds them.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { BrineError, type Log } from '../base/mod.ts'
import { option, rawOption } from '../config/mod.ts'
import { type Dict, str, type Value } from '../data/mod.ts'
import {
  type ConfiguredRemote,
  checkOut,
  configuredRemotes,
  failedToLoad,
  fetchFailure,
  type GitCommit,
  GitError,
  type GitMirror,
  isKnownProvider,
  LockFiles,
  type LockType,
  mirrorOf,
  writeRemoteMap,
} from '../git/mod.ts'

const ROLE = 'winrepo'

/** The parameters of a remote that have a global option, in the order in which errors list them. */
const sharedBy = (opts: Dict): Array<[string, Value]> => [
  ['ssl_verify', rawOption(opts, 'winrepo_ssl_verify')],
  ['refspecs', rawOption(opts, 'winrepo_refspecs')],
  ['fallback', rawOption(opts, 'winrepo_fallback')],
  ['proxy', rawOption(opts, 'winrepo_proxy')],
  ['user', rawOption(opts, 'winrepo_user')],
  ['password', rawOption(opts, 'winrepo_password')],
  ['pubkey', rawOption(opts, 'winrepo_pubkey')],
  ['privkey', rawOption(opts, 'winrepo_privkey')],
  ['passphrase', rawOption(opts, 'winrepo_passphrase')],
  ['insecure_auth', rawOption(opts, 'winrepo_insecure_auth')],
]

interface Group {
  folder: string
  remotes: ConfiguredRemote[]
}

function groupsOf(opts: Dict, log: Log): Group[] {
  const provider = str(rawOption(opts, 'winrepo_provider') ?? '').toLowerCase()
  if (!isKnownProvider(ROLE, provider, log)) throw failedToLoad(ROLE)
  const rules = {
    role: ROLE,
    globals: new Map(sharedBy(opts)),
    only: ['name'],
    provider,
    hashType: option(opts, 'hash_type'),
    branch: str(rawOption(opts, 'winrepo_branch')),
  } as const
  return [
    { folder: option(opts, 'winrepo_dir'), remotes: configuredRemotes(rawOption(opts, 'winrepo_remotes'), rules, log) },
    {
      folder: option(opts, 'winrepo_dir_ng'),
      remotes: configuredRemotes(rawOption(opts, 'winrepo_remotes_ng'), rules, log),
    },
  ]
}

const locksOf = (opts: Dict, folder: string, log: Log): LockFiles =>
  new LockFiles(option(opts, 'cachedir'), true, log, folder)

/** Remove lock files of the remotes whose URL matches; return what was done. */
export const clearWinrepoLocks = (opts: Dict, log: Log, types: readonly LockType[], pattern: string | null): string[] =>
  groupsOf(opts, log).flatMap(({ folder, remotes }) =>
    types.flatMap((type) => locksOf(opts, folder, log).clear(remotes, pattern, type)),
  )

/** Fetch all remotes and check them out; return the directory of each, or the problem in the configuration. */
export async function updateWinrepos(opts: Dict, log: Log, isClean: boolean): Promise<Value> {
  try {
    const updated: Dict = new Map()
    for (const group of groupsOf(opts, log)) {
      for (const remote of group.remotes) {
        const folder = await update(opts, remote, group.folder, log)
        if (folder !== undefined) updated.set(remote.shownId, folder)
      }
      if (group.remotes.length > 0) writeRemoteMap(group.folder, ROLE, group.remotes)
      if (isClean) clean(group)
    }
    return updated
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    const problem = `Failed to update winrepo_remotes: ${error.message}`
    log('error', problem)
    return problem
  }
}

/** Fetch a remote and check it out. If the fetch fails, the files of the last fetch stay. */
async function update(opts: Dict, remote: ConfiguredRemote, below: string, log: Log): Promise<string | undefined> {
  const mirror = mirrorOf(option(opts, 'cachedir'), remote.git)
  mkdirSync(join(below, remote.folder), { recursive: true })
  if (!locksOf(opts, below, log).isHeldBack(remote)) await fetch(mirror, remote, log)
  const commit = await commitOf(mirror, remote.branch, str(remote.settings.get('fallback') ?? ''))
  if (commit === undefined) {
    log(
      'error',
      `Failed to checkout ${remote.branch} from ${ROLE} remote '${remote.shownId}': remote ref does not exist`,
    )
    return undefined
  }
  const target = join(below, remote.folder, '_')
  await checkOut(mirror, commit.tree, { target, mark: join(below, 'work', remote.folder, '_', 'tree'), log })
  return target
}

/** Fetch a remote; if the fetch fails, keep the earlier state. */
async function fetch(mirror: GitMirror, remote: ConfiguredRemote, log: Log): Promise<void> {
  try {
    await mirror.update()
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    log('error', fetchFailure(remote, error))
  }
}

async function commitOf(mirror: GitMirror, ...names: string[]): Promise<GitCommit | undefined> {
  const refs = await mirror.refs()
  const found = names.map((name) => refs?.branch(name) ?? refs?.tag(name))
  return found.find((commit) => commit !== undefined)
}

/** Remove the folders of repositories that are configured no more. */
function clean({ folder, remotes }: Group): void {
  const kept = new Set(['hash', 'refs', 'links', 'work', ...remotes.map((remote) => remote.folder)])
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && !kept.has(entry.name)) rmSync(join(folder, entry.name), { recursive: true })
  }
}
