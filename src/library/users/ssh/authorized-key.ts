// A line of an authorized_keys file: options, then kind of key, key and comment.

export interface AuthorizedKey {
  /** In the original form, separated by commas; empty if there are none. */
  options: string
  /** Kind, key and comment. */
  rest: string
}

const LINE = /^(.*?)\s?((?:sk-)?(?:ssh-|ecds)[\p{L}\p{N}_@.-]+\s.+)$/u

/** Undefined for a text that does not name the kind of key. */
export function authorizedKey(line: string): AuthorizedKey | undefined {
  const match = LINE.exec(line)
  return match ? { options: match[1]!, rest: match[2]! } : undefined
}
