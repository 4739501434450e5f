// A repository somewhere, with all that is needed to fetch from it.

export interface GitRemote {
  /** As configured; may contain a login. */
  url: string
  /** Fetched refs, such as `+refs/heads/*:refs/remotes/origin/*`; tags are fetched in addition. */
  refspecs: readonly string[]
  user: string
  password: string
  /** The files of an SSH key. */
  pubkey: string
  privkey: string
  passphrase: string
  sslVerify: boolean
  proxy: string
}

export const BRANCHES_REFSPEC = '+refs/heads/*:refs/remotes/origin/*'
export const TAGS_REFSPEC = '+refs/tags/*:refs/tags/*'

/** A remote with nothing but an address. */
export function plainRemote(url: string): GitRemote {
  const none = { user: '', password: '', pubkey: '', privkey: '', passphrase: '', proxy: '' }
  return { url, refspecs: [BRANCHES_REFSPEC, TAGS_REFSPEC], sslVerify: true, ...none }
}

/** Return the refspecs for git: forced and with tags, so that a moved tag or a rewritten branch is followed. */
export function fetchedRefspecs({ refspecs }: GitRemote): string[] {
  const forced = refspecs.map((refspec) => (refspec.startsWith('+') ? refspec : `+${refspec}`))
  return [...new Set([...forced, TAGS_REFSPEC])]
}
