// The commit that git.latest aims at: the revision of the remote with a given name.
import { type Dict, str, type Value } from '../../../../data/mod.ts'

export type RevisionType = 'sha1' | 'branch' | 'tag'

export interface Aim {
  rev: string
  /** The commit; null when the repository is empty or the revision is unknown. */
  commit: string | null
  type: RevisionType | null
  /** The branch to track; null leaves it as it is, false means none. */
  upstream: string | null | false
  /** The revision as reports show it. */
  location: string
  defaultBranch: string | null
  hasHead: boolean
}

export function aimOf(refs: Dict, given: string, remote: string, bare: boolean): Aim {
  const head = textIn(refs, 'HEAD')
  const aim: Aim = {
    rev: given,
    commit: null,
    type: null,
    upstream: false,
    location: 'None',
    defaultBranch: head === null ? null : branchAt(refs, head),
    hasHead: head !== null,
  }
  if (bare) return aim
  const found = find(refs, given, head)
  if (found === undefined) return aim
  const { commit, type } = found
  const rev = type === 'sha1' && given !== 'HEAD' ? given.toLowerCase() : given
  const upstream = type === 'branch' ? `${remote}/${rev}` : given === 'HEAD' ? null : false
  return { ...aim, rev, commit, type, upstream, location: locationOf(rev, commit, type, upstream) }
}

function find(refs: Dict, rev: string, head: string | null): { commit: string; type: RevisionType } | undefined {
  if (rev === 'HEAD') return head === null ? undefined : { commit: head, type: 'sha1' }
  const branch = textIn(refs, `refs/heads/${rev}`)
  if (branch !== null) return { commit: branch, type: 'branch' }
  const tag = textIn(refs, `refs/tags/${rev}^{}`) ?? textIn(refs, `refs/tags/${rev}`)
  if (tag !== null) return { commit: tag, type: 'tag' }
  return /^[0-9a-fA-F]{1,40}$/.test(rev) ? { commit: rev.toLowerCase(), type: 'sha1' } : undefined
}

function locationOf(rev: string, commit: string, type: RevisionType, upstream: string | null | false): string {
  const short = commit.slice(0, 7)
  if (type === 'sha1') return rev === 'HEAD' ? `remote HEAD (${short})` : short
  return `${type === 'branch' ? str(upstream as Value) : rev} (${short})`
}

const textIn = (refs: Dict, name: string): string | null => {
  const value = refs.get(name)
  return value === undefined ? null : str(value)
}

function branchAt(refs: Dict, commit: string): string | null {
  for (const [name, hash] of refs) {
    const text = str(name)
    if (text.startsWith('refs/heads/') && hash === commit) return text.slice('refs/heads/'.length)
  }
  return null
}

/** Return whether two revisions are the same; a commit may be shortened. */
export function sameRevision(one: string | null, two: string | null, type: RevisionType | null): boolean {
  if (one === null || two === null) return one === two
  return type === 'sha1' ? one.startsWith(two) : one === two
}
