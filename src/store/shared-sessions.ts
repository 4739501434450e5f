// Sessions of the REST API in a cluster: records that all its masters share, so that a session is valid on each of
// them. The key of a record is the hash of the session's id, and its token is encrypted with a key derived from the id,
// so the records alone, on disk or in transit, do not give access to a session.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { type Dict, float, isDict, numberOf, textOf, type Value } from '../data/mod.ts'

export interface ApiSession {
  /** The Salt token of the session. */
  token: string
  user: string
  eauth: string
  /** Seconds since 1970. */
  expires: number
}

/**
 * Records that all masters of a cluster share. Changes resolve when the other masters can see them, or after a time
 * limit.
 */
export interface SharedRecords {
  fetch(key: string): Value | undefined
  list(): string[]
  store(key: string, value: Value): Promise<void>
  remove(key: string): Promise<void>
}

/** The bank of the records in the data cache. */
export const SESSION_BANK = 'api_sessions'

/** A session without use for this time is over, in seconds: ten hours, as in Salt. */
export const SESSION_IDLE = 36_000

/** Minimum interval between reports of the last use to the other masters, in seconds. */
const TELL_USE = 300

const USED = '.used'
const NONCE = 12
const TAG = 16

/** The names that records have: the hash of an id, and the time of the last use beside it. */
export const isSessionKey = (key: string): boolean => /^[0-9a-f]{64}(?:\.used)?$/.test(key)

export const sessionKey = (id: string): string => createHash('sha256').update(id).digest('hex')

const tokenKey = (id: string): Buffer => Buffer.from(hkdfSync('sha256', id, '', 'brine api session', 32))

function encrypted(token: string, id: string): Buffer {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', tokenKey(id), nonce)
  return Buffer.concat([nonce, cipher.update(token), cipher.final(), cipher.getAuthTag()])
}

/** Undefined for data that was not encrypted for this id. */
function decrypted(sealed: Value | undefined, id: string): string | undefined {
  if (!(sealed instanceof Uint8Array) || sealed.length < NONCE + TAG) return undefined
  const bytes = Buffer.from(sealed)
  try {
    const decipher = createDecipheriv('aes-256-gcm', tokenKey(id), bytes.subarray(0, NONCE))
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG))
    return decipher.update(bytes.subarray(NONCE, bytes.length - TAG), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}

export class SharedSessions {
  private readonly records: SharedRecords
  private readonly now: () => number
  private readonly failed: (error: unknown) => void

  /** `failed` receives errors of background changes. */
  constructor(records: SharedRecords, now: () => number, failed: (error: unknown) => void) {
    this.records = records
    this.now = now
    this.failed = failed
  }

  async make(id: string, { token, user, eauth, expires }: ApiSession): Promise<void> {
    const record: Dict = new Map<Value, Value>([
      ['token', encrypted(token, id)],
      ['user', user],
      ['eauth', eauth],
      ['began', float(this.now())],
      ['expires', float(expires)],
    ])
    await this.records.store(sessionKey(id), record)
  }

  find(id: string): ApiSession | undefined {
    const key = sessionKey(id)
    const record = this.recordOf(key)
    const token = decrypted(record?.get('token'), id)
    // a session that is over stays until it is pruned: the clock of this master alone may be wrong
    if (!record || token === undefined || this.isOver(key, record)) return undefined
    // the use is a separate record, so that it cannot restore a session that ended on another master
    if (this.now() > this.lastUse(key, record) + TELL_USE)
      this.records.store(key + USED, float(this.now())).catch(this.failed)
    return { token, user: text(record, 'user'), eauth: text(record, 'eauth'), expires: number(record, 'expires') }
  }

  async end(id: string): Promise<void> {
    await this.remove(sessionKey(id))
  }

  count(): number {
    return this.keys().filter((key) => {
      const record = this.recordOf(key)
      return record && number(record, 'expires') >= this.now()
    }).length
  }

  /** Remove expired sessions, and the uses of removed ones. */
  prune(): void {
    for (const key of this.keys()) {
      const record = this.recordOf(key)
      if (!record || this.isOver(key, record)) this.remove(key).catch(this.failed)
    }
    for (const key of this.records.list())
      if (key.endsWith(USED) && this.recordOf(key.slice(0, -USED.length)) === undefined)
        this.records.remove(key).catch(this.failed)
  }

  private keys(): string[] {
    return this.records.list().filter((key) => isSessionKey(key) && !key.endsWith(USED))
  }

  private recordOf(key: string): Dict | undefined {
    const record = this.records.fetch(key)
    return record !== undefined && isDict(record) ? record : undefined
  }

  private async remove(key: string): Promise<void> {
    await Promise.all([key, key + USED].map((each) => this.records.remove(each)))
  }

  private lastUse(key: string, record: Dict): number {
    return Math.max(number(record, 'began'), numberOf(this.records.fetch(key + USED) ?? 0) ?? 0)
  }

  private isOver(key: string, record: Dict): boolean {
    const now = this.now()
    return now > number(record, 'expires') || now > this.lastUse(key, record) + SESSION_IDLE
  }
}

const number = (record: Dict, name: string): number => numberOf(record.get(name) ?? 0) ?? 0

const text = (record: Dict, name: string): string => textOf(record.get(name) ?? null) ?? ''
