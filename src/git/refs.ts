// The refs of a mirror at one moment: the commit and the tree of each branch and tag. They are stored in one file that
// is replaced as a whole, so a reader sees the refs of one fetch, never a mixture, and starts no program.
import { createHash } from 'node:crypto'

export interface GitCommit {
  /** The id of the commit; that of the tree for a tag on a bare tree. */
  commit: string
  tree: string
}

export class GitRefs {
  readonly branches: ReadonlyMap<string, GitCommit>
  readonly tags: ReadonlyMap<string, GitCommit>
  /** Changes when and only when a ref does. */
  readonly digest: string

  constructor(entries: readonly RefEntry[]) {
    const [branches, tags] = [new Map<string, GitCommit>(), new Map<string, GitCommit>()]
    for (const [name, commit, tree] of entries) {
      const [, tag, branch] = /^refs\/(?:tags\/(.+)|remotes\/[^/]+\/(.+))$/s.exec(name) ?? []
      if (tag !== undefined) tags.set(tag, { commit, tree })
      else if (branch !== undefined && branch !== 'HEAD') branches.set(branch, { commit, tree })
    }
    this.branches = branches
    this.tags = tags
    this.digest = createHash('sha256').update(JSON.stringify(entries)).digest('hex')
  }

  branch(name: string): GitCommit | undefined {
    return this.branches.get(name)
  }

  tag(name: string): GitCommit | undefined {
    return this.tags.get(name)
  }
}

/** The full name of a ref, its commit and its tree. */
export type RefEntry = readonly [name: string, commit: string, tree: string]

/** Fields of a ref itself, then of the target of an annotated tag. */
export const REF_FORMAT =
  '%(refname)%09%(objecttype)%09%(objectname)%09%(tree)%09%(*objecttype)%09%(*objectname)%09%(*tree)'

/** Parse the refs that git listed in REF_FORMAT. `nested` names the tags that point to another tag. */
export function parseRefs(output: string): { entries: RefEntry[]; nested: string[] } {
  const entries: RefEntry[] = []
  const nested: string[] = []
  for (const line of output.split('\n')) {
    const [name = '', type = '', id = '', tree = '', innerType = '', innerId = '', innerTree = ''] = line.split('\t')
    if (type === 'commit') entries.push([name, id, tree])
    else if (type === 'tree') entries.push([name, id, id])
    else if (innerType === 'commit') entries.push([name, innerId, innerTree])
    else if (innerType === 'tree') entries.push([name, innerId, innerId])
    else if (innerType === 'tag') nested.push(name)
  }
  return { entries, nested }
}
