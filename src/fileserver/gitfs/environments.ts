// Environments of gitfs at one moment: each is a tree of each remote that has it. Built when refs changed, and then only looked up.
import { type GitCommit, type GitMirror, GitRefs } from '../../git/mod.ts'
import type { GitfsRemote } from './remotes.ts'

/** The files of an environment in one remote. */
export interface ServedTree {
  mirror: GitMirror
  /** The tree of the commit, which links may lead through. */
  top: string
  /** The tree of the folder that is served. */
  tree: string
  root: string
  mountpoint: string
}

export interface FetchedRemote {
  remote: GitfsRemote
  mirror: GitMirror
}

/** Limit of cached names: requests can contain any name. */
const MOST_KEPT = 2000

/** Whether Salt takes the name of an environment for a commit id. */
const isHex = (name: string): boolean => /^[0-9a-f]+$/i.test(name)

const NO_REFS = new GitRefs([])

export class Environments {
  readonly names: string[]
  private readonly all: ReadonlySet<string>
  private readonly remotes: readonly FetchedRemote[]
  private readonly refs: ReadonlyArray<GitRefs | undefined>
  private readonly served = new Map<string, Promise<ServedTree[]>>()

  /** The refs of each remote, in the same order; undefined where nothing was fetched yet. */
  constructor(remotes: readonly FetchedRemote[], refs: ReadonlyArray<GitRefs | undefined>) {
    this.remotes = remotes
    this.refs = refs
    const names = new Set<string>()
    remotes.forEach(({ remote }, index) => {
      for (const name of namesOf(remote, refs[index])) if (remote.isExposed(name)) names.add(name)
    })
    this.all = names
    this.names = [...names].sort()
  }

  /** Whether this is still the last fetched state. */
  isOf(refs: ReadonlyArray<GitRefs | undefined>): boolean {
    return refs.every((one, index) => one === this.refs[index])
  }

  /** Whether an environment exists itself, not only by a fallback. */
  isKnown(saltenv: string): boolean {
    return this.all.has(saltenv) || isHex(saltenv)
  }

  has(saltenv: string): boolean {
    return this.all.has(saltenv)
  }

  /** The trees of an environment, in the order of the remotes. */
  treesOf(saltenv: string): Promise<ServedTree[]> {
    const kept = this.served.get(saltenv)
    if (kept) return kept
    if (this.served.size >= MOST_KEPT) this.served.clear()
    const found = this.find(saltenv)
    this.served.set(saltenv, found)
    // a failure must not stay
    found.catch(() => this.served.delete(saltenv))
    return found
  }

  private async find(saltenv: string): Promise<ServedTree[]> {
    const trees: ServedTree[] = []
    for (const [index, { remote, mirror }] of this.remotes.entries()) {
      if (!this.isKnown(saltenv) && remote.fallback === '') continue
      const place = remote.isExposed(saltenv) ? remote.placeOf(saltenv) : undefined
      const refs = this.refs[index]
      if (place === undefined || refs === undefined) continue
      const commit =
        (await commitOf(place.ref, remote, mirror, refs)) ??
        (remote.fallback === '' ? undefined : await commitOf(remote.fallback, remote, mirror, refs))
      if (commit === undefined) continue
      const { root, mountpoint } = place
      const folder = await mirror.trees.at(commit.tree, root)
      if (folder?.kind === 'folder') trees.push({ mirror, top: commit.tree, tree: folder.id, root, mountpoint })
    }
    return trees
  }
}

function* namesOf(remote: GitfsRemote, refs: GitRefs = NO_REFS): Generator<string> {
  if (isHex(remote.base)) yield 'base'
  if (remote.refTypes.includes('branch')) for (const name of refs.branches.keys()) yield* remote.environmentsOf(name)
  if (remote.refTypes.includes('tag')) for (const name of refs.tags.keys()) yield* remote.environmentsOf(name)
  for (const names of remote.mapped.values()) yield* names
}

async function commitOf(
  ref: string,
  { refTypes }: GitfsRemote,
  mirror: GitMirror,
  refs: GitRefs,
): Promise<GitCommit | undefined> {
  for (const type of refTypes) {
    const found = type === 'sha' ? await mirror.commit(ref) : type === 'tag' ? refs.tag(ref) : refs.branch(ref)
    if (found) return found
  }
  return undefined
}
