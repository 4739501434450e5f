// Answers to requests of the REST API with an `Idempotency-Key` in a cluster. A request is claimed by a record that only
// one master can make, before the work begins; its answer replaces the record. So a request that a client repeats at
// another master gets the answer, or is refused while there is none.
import { randomBytes } from 'node:crypto'
import { type Dict, dictFrom, float, isDict, numberOf, str, textOf, type Value } from '../data/mod.ts'
import { ANSWER_SECONDS, type ApiSessions, type Claimed, type KeptAnswer } from './api-sessions.ts'
import { sessionKey } from './shared-sessions.ts'

/** Longer answers stay on the master that gave them; the others refuse the repeated request. */
const LONGEST_SHARED = 64 * 1024

export const isAnswerKey = (key: string): boolean => /^[0-9a-f]{64}$/.test(key)

/** Records that all masters of a cluster share, of which one master at most makes each. */
export interface AnswerRecords {
  /** Make a record if no master has one under the key; otherwise return the record that is there. */
  claim(key: string, record: Dict): Promise<Value | undefined>
  store(key: string, record: Dict): Promise<void>
  remove(key: string): Promise<void>
}

type Local = Pick<ApiSessions, 'claim' | 'keep' | 'release' | 'whenForgotten'>

export class KeptAnswers {
  private readonly local: Local
  private readonly shared: AnswerRecords | undefined
  private readonly now: () => number

  /** `local` has the answers of this master, and all of them without a cluster. */
  constructor(local: Local, shared: AnswerRecords | undefined, now: () => number = () => Date.now() / 1000) {
    this.local = local
    this.shared = shared
    this.now = now
    if (!shared) return
    // a record that stays is overwritten when its key is used again
    local.whenForgotten((keys) => {
      for (const key of keys) shared.remove(key).catch(() => {})
    })
  }

  /** Claim a key of an owner, as `ApiSessions.claim` does, in the whole cluster. Fails while the cluster takes no claims. */
  async claim(owner: string, name: string, request: string): Promise<Claimed> {
    const claimed = this.local.claim(owner, name, request)
    if (claimed !== 'new' || !this.shared) return claimed
    let result: Claimed | undefined
    try {
      result = await this.claimShared(this.shared, keyOf(owner, name), request)
      return result
    } finally {
      if (result !== 'new') this.local.release(owner, name)
    }
  }

  private async claimShared(shared: AnswerRecords, key: string, request: string): Promise<Claimed> {
    const id = randomBytes(9).toString('base64url')
    const record = dictFrom({ request, id, at: float(this.now()) })
    let there = await shared.claim(key, record)
    if (isDict(there ?? null) && this.isOld(there as Dict)) {
      await shared.remove(key)
      there = await shared.claim(key, record)
    }
    // an attempt whose answer was lost may have made the record
    if (there === undefined || (isDict(there) && there.get('id') === id)) return 'new'
    if (!isDict(there) || there.get('request') !== request) return 'other'
    const [status, body] = [numberOf(there.get('status') ?? null), textOf(there.get('body') ?? null)]
    if (status === undefined || body === undefined) return 'running'
    return { status, type: str(there.get('type') ?? ''), body }
  }

  private isOld(record: Dict): boolean {
    return (numberOf(record.get('at') ?? null) ?? 0) + ANSWER_SECONDS < this.now()
  }

  /** Keep the answer to a request that claimed a key. */
  async keep(owner: string, name: string, request: string, answer: KeptAnswer): Promise<void> {
    this.local.keep(owner, name, answer)
    if (answer.body.length > LONGEST_SHARED) return
    await this.shared?.store(keyOf(owner, name), dictFrom({ request, at: float(this.now()), ...answer }))
  }

  /** Give a key back that has no answer, because its request failed before it did anything. */
  async release(owner: string, name: string): Promise<void> {
    if (this.local.release(owner, name)) await this.shared?.remove(keyOf(owner, name))
  }
}

const keyOf = (owner: string, name: string): string => sessionKey(`${owner}\0${name}`)
