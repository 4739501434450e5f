// Tokens: who has one need not give a password again until it expires. On disk there is only their hash, so that reading
// the cache does not let anybody in.
import { createHash, randomBytes } from 'node:crypto'
import { type Dict, float, isDict, numberOf, type Value } from '../../data/mod.ts'
import type { Bank } from '../../store/mod.ts'

const keyOf = (token: string): string => createHash('sha256').update(token).digest('hex')

export class Tokens {
  private readonly bank: Bank
  private readonly now: () => number

  constructor(bank: Bank, now: () => number = () => Date.now() / 1000) {
    this.bank = bank
    this.now = now
  }

  make(facts: Dict, seconds: number): Dict {
    const token = randomBytes(32).toString('hex')
    const start = this.now()
    const data: Dict = new Map<Value, Value>([['start', float(start)], ['expire', float(start + seconds)], ...facts])
    this.bank.store(keyOf(token), data)
    return new Map([...data, ['token', token]])
  }

  /** What is known about a token; undefined when it never was one, or is none any more. */
  find(token: string): Dict | undefined {
    const key = keyOf(token)
    const data = this.bank.fetch(key)
    if (data === undefined || !isDict(data)) return undefined
    if ((numberOf(data.get('expire') ?? 0) ?? 0) < this.now()) {
      this.bank.flush(key)
      return undefined
    }
    return new Map([...data, ['token', token]])
  }

  /** Whether there was such a token. */
  revoke(token: string): boolean {
    const isKnown = this.find(token) !== undefined
    if (isKnown) this.bank.flush(keyOf(token))
    return isKnown
  }

  prune(): void {
    for (const key of this.bank.list()) {
      const data = this.bank.fetch(key)
      if (data !== undefined && isDict(data) && (numberOf(data.get('expire') ?? 0) ?? 0) < this.now())
        this.bank.flush(key)
    }
  }
}
