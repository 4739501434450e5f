// Keys of a keyring, from the colon-separated lists of gpg.
import type { Dict } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { gpg, type Ring } from './engine.ts'

const TRUST: Readonly<Record<string, string>> = {
  e: 'Expired',
  q: 'Unknown',
  n: 'Not Trusted',
  f: 'Fully Trusted',
  m: 'Marginally Trusted',
  u: 'Ultimately Trusted',
  r: 'Revoked',
  '-': 'Unknown',
}

/** Return the local date of a time in seconds. */
function day(seconds: string): string {
  const date = new Date(Number(seconds) * 1000)
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

interface Fields {
  keyid: string
  uids?: string[]
  fingerprint?: string
  expires: string
  date: string
  length: string
  ownertrust: string
  trust: string
  subkeys: Fields[]
}

const unescaped = (text: string): string =>
  text.replace(/\\x([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))

const fieldsOf = (columns: readonly string[]): Fields => {
  const [, trust = '', length = '', , keyid = '', date = '', expires = '', , ownertrust = ''] = columns
  return { keyid, expires, date, length, ownertrust, trust, subkeys: [] }
}

export function parseKeys(output: string): Fields[] {
  const keys: Fields[] = []
  let current: Fields | undefined
  let inSubkey = false
  for (const line of output.split('\n')) {
    const columns = line.split(':')
    const kind = columns[0]
    if (kind === 'pub' || kind === 'sec') {
      current = { ...fieldsOf(columns), uids: [] }
      keys.push(current)
      inSubkey = false
    } else if (current && (kind === 'sub' || kind === 'ssb')) {
      current.subkeys.push(fieldsOf(columns))
      inSubkey = true
    } else if (current && kind === 'uid') current.uids!.push(unescaped(columns[9] ?? ''))
    else if (current && kind === 'fpr' && !inSubkey) current.fingerprint ??= columns[9] ?? ''
  }
  return keys
}

export function shownKey(key: Fields, now: number): Dict {
  const shown: Dict = new Map([['keyid', key.keyid]])
  if (key.uids) shown.set('uids', key.uids)
  if (key.fingerprint !== undefined) shown.set('fingerprint', key.fingerprint)
  if (key.expires !== '') shown.set('expires', day(key.expires)).set('expired', now >= Number(key.expires))
  if (key.date !== '') shown.set('created', day(key.date))
  if (key.length !== '') shown.set('keyLength', key.length)
  if (key.ownertrust !== '') shown.set('ownerTrust', TRUST[key.ownertrust] ?? 'Unknown')
  if (key.trust !== '') shown.set('trust', TRUST[key.trust] ?? 'Unknown')
  if (key.subkeys.length > 0)
    shown.set(
      'subkeys',
      key.subkeys.map((subkey) => shownKey(subkey, now)),
    )
  return shown
}

export async function listKeys(ctx: FunctionContext, ring: Ring, secret: boolean): Promise<Fields[]> {
  const which = secret ? '--list-secret-keys' : '--list-keys'
  const { stdout } = await gpg(ctx, ring, [which, '--fingerprint', '--fingerprint'])
  return parseKeys(Buffer.from(stdout).toString())
}

/** Find a key by fingerprint, or by a long or short id. */
export async function findKey(
  ctx: FunctionContext,
  ring: Ring,
  { keyid, fingerprint }: { keyid: string | null; fingerprint: string | null },
  secret: boolean,
): Promise<Dict | undefined> {
  const found = (await listKeys(ctx, ring, secret)).find((key) => isMeant(key, keyid, fingerprint))
  return found && shownKey(found, ctx.host.now())
}

export const isMeant = (key: Fields, keyid: string | null, fingerprint: string | null): boolean =>
  key.fingerprint === fingerprint || key.keyid === keyid || key.keyid.slice(8) === keyid
