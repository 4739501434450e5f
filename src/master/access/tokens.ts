// Tokens: a caller with a token needs no password until the token expires. For Brine's tokens only a hash is on disk,
// so that read access to the cache gives no access to the master. Tokens of Salt's own Python or of an earlier Salt
// master are accepted too.
import { createHash, randomBytes } from 'node:crypto'
import { type Dict, float, isDict, numberOf, type Value } from '../../data/mod.ts'
import type { Bank } from '../../store/mod.ts'
import { isSaltToken, saltRecord, TokenFiles } from './token-files.ts'

const keyOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** The storage of tokens. */
export interface TokenStore {
  /** A new token with its facts; empty where the store fails. */
  make(facts: Dict, seconds: number): Dict | '' | Promise<Dict | ''>
  /** Return the record of a token; undefined if the token is unknown or expired. */
  find(token: string): Dict | undefined | Promise<Dict | undefined>
  /** Remove a token; return whether it existed. */
  revoke(token: string): boolean | Promise<boolean>
  /** Remove tokens that are over. */
  prune(): void | Promise<void>
}

export class Tokens implements TokenStore {
  private readonly bank: Bank
  private readonly files: TokenFiles
  private readonly now: () => number

  /** `folder` is the option `token_dir`. */
  constructor(bank: Bank, folder: string, now: () => number = () => Date.now() / 1000) {
    this.bank = bank
    this.files = new TokenFiles(folder)
    this.now = now
  }

  make(facts: Dict, seconds: number): Dict {
    const token = randomBytes(32).toString('hex')
    const start = this.now()
    const data: Dict = new Map<Value, Value>([['start', float(start)], ['expire', float(start + seconds)], ...facts])
    this.bank.store(keyOf(token), data)
    return new Map([...data, ['token', token]])
  }

  /** Return the record of a token; undefined if the token is unknown or expired. */
  find(token: string): Dict | undefined {
    const data = this.own(token) ?? this.ofSalt(token)
    if (data === undefined) return undefined
    if (this.isOver(data)) {
      this.forget(token)
      return undefined
    }
    return new Map([...data, ['token', token]])
  }

  private own(token: string): Dict | undefined {
    const data = this.bank.fetch(keyOf(token))
    return data !== undefined && isDict(data) ? data : undefined
  }

  /**
   * Return the record of a token that Salt made. Salt names the record by the token and stores the token in it. Brine names a record
   * by the hash of the token; the check of the stored token keeps such a hash from counting as a token.
   */
  private ofSalt(token: string): Dict | undefined {
    if (!isSaltToken(token)) return undefined
    const record = saltRecord(this.bank.fetch(token)) ?? this.files.read(token)
    return record?.get('token') === token ? record : undefined
  }

  private isOver(data: Dict): boolean {
    return (numberOf(data.get('expire') ?? 0) ?? 0) < this.now()
  }

  private forget(token: string): void {
    this.bank.flush(keyOf(token))
    if (this.ofSalt(token) === undefined) return
    this.bank.flush(token)
    this.files.remove(token)
  }

  /** Remove a token; return whether it existed. */
  revoke(token: string): boolean {
    const isKnown = this.find(token) !== undefined
    if (isKnown) this.forget(token)
    return isKnown
  }

  prune(): void {
    for (const key of this.bank.list()) {
      const data = saltRecord(this.bank.fetch(key))
      if (data && this.isOver(data)) this.bank.flush(key)
    }
    for (const token of this.files.list()) {
      const data = this.files.read(token)
      if (data && this.isOver(data)) this.files.remove(token)
    }
  }
}
