// Compares keys with a pasted list: lines of an id and a fingerprint.

export interface KeyItem {
  id: string
  state: 'accepted' | 'pending' | 'rejected' | 'denied'
  /** With the hash of the option `hash_type`. */
  fingerprint?: string | null | undefined
  sha256?: string | null | undefined
}

export type Verdict = 'match' | 'mismatch' | 'unlisted'

export interface Pasted {
  /** Fingerprints by id, without colons. An id may come with several. */
  entries: ReadonlyMap<string, ReadonlySet<string>>
  /** Lines that are neither an id with a fingerprint nor empty, with their numbers. */
  unread: ReadonlyArray<readonly [line: number, text: string]>
}

/** Hexadecimal digits, alone or in pairs with colons: at least as many as in MD5. */
const FINGERPRINT = /^(?:[0-9a-f]{2}(?::[0-9a-f]{2}){15,}|(?:[0-9a-f]{2}){16,})$/i

const plain = (fingerprint: string): string => fingerprint.replaceAll(':', '').toLowerCase()

/** Titles that `salt-key -F` prints between the keys. */
const TITLE = /^(accepted|unaccepted|rejected|denied|local) keys:?$/i

/**
 * Parse a pasted list. A line is `id fingerprint`, separated by spaces, a colon, a comma, a semicolon or an equals
 * sign; the output of `salt '*' key.finger` (a line with an id and a colon, then the fingerprint) is accepted as well.
 */
export function readList(text: string): Pasted {
  const entries = new Map<string, Set<string>>()
  const unread: Array<readonly [number, string]> = []
  let heading: string | undefined
  const add = (id: string, fingerprint: string): void => {
    entries.set(id, (entries.get(id) ?? new Set()).add(plain(fingerprint)))
  }
  for (const [at, line] of text.split('\n').entries()) {
    const words = line.trim().split(/[\s,;=]+/)
    const [first = '', second] = words
    const id = first.replace(/:$/, '')
    if (line.trim() === '' || line.trim().startsWith('#') || TITLE.test(line.trim())) continue
    if (words.length === 2 && FINGERPRINT.test(second!)) add(id, second!)
    else if (words.length === 1 && FINGERPRINT.test(first) && heading !== undefined) {
      add(heading, first)
      heading = undefined
    } else if (words.length === 1 && first.endsWith(':')) heading = id
    else unread.push([at + 1, line.trim().slice(0, 120)])
  }
  return { entries, unread }
}

/** Judge a key by a list. */
export function judge({ id, fingerprint, sha256 }: KeyItem, { entries }: Pasted): Verdict {
  const wanted = entries.get(id)
  if (!wanted) return 'unlisted'
  const own = [fingerprint, sha256].filter((each) => typeof each === 'string').map(plain)
  return own.some((each) => wanted.has(each)) ? 'match' : 'mismatch'
}

/** Return the ids in a list that have no key. */
export function unknownIds(keys: readonly KeyItem[], { entries }: Pasted): string[] {
  const known = new Set(keys.map(({ id }) => id))
  return [...entries.keys()].filter((id) => !known.has(id))
}
