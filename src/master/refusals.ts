// Refused requests: the answer to the caller, and the event about the refusal. Strangers can cause these events, so
// each event is small and without secrets, and their rate is limited.
import { BrineError, isJid, type Log, StorageError } from '../base/mod.ts'
import type { EventBus } from '../bus/mod.ts'
import { briefCopy, type Dict, type Value } from '../data/mod.ts'

/** Why a request is refused. */
export interface Refusal {
  name:
    | 'AuthenticationError'
    | 'AuthorizationError'
    | 'TokenAuthenticationError'
    | 'EauthAuthenticationError'
    | 'UserAuthenticationError'
    | 'SaltInvocationError'
    | 'StorageError'
  message: string
  /** Fire no event about this refusal. */
  isUntold?: true
}

/** Return the answer to a refused request. */
export const refusedAnswer = ({ name, message }: Refusal): Dict =>
  new Map<Value, Value>([['error', new Map<Value, Value>([['name', name]]).set('message', message)]])

/** Return the answer to a request that failed because the master cannot write to its disk. The answer names the path only for an authenticated caller. */
export function unstoredAnswer(error: unknown, isRecognised: boolean): Dict {
  // a master of a cluster without a majority keeps nothing either
  if (error instanceof BrineError && error.code === 'NoQuorum') {
    return refusedAnswer({
      name: 'StorageError',
      message: isRecognised ? error.message : 'The cluster has no majority',
    })
  }
  if (!(error instanceof StorageError)) throw error
  const message = isRecognised ? error.message : `The master cannot store what this needs: ${error.plain}`
  return refusedAnswer({ name: 'StorageError', message })
}

export interface RefusalOptions {
  /** Events of one second. */
  perSecond?: number
  now?: () => number
}

export class RefusedJobs {
  private readonly bus: Pick<EventBus, 'fire'>
  private readonly log: Log
  private readonly perSecond: number
  private readonly now: () => number
  private second = 0
  private count = 0

  constructor(bus: Pick<EventBus, 'fire'>, log: Log, { perSecond = 20, now = Date.now }: RefusalOptions = {}) {
    this.bus = bus
    this.log = log
    this.perSecond = perSecond
    this.now = now
  }

  /** Return the answer to a refused job, and fire `salt/job/error` about it. */
  refuse(load: Dict, refusal: Refusal): Dict {
    const answer = refusedAnswer(refusal)
    if (refusal.isUntold || !this.hasRoom()) return answer
    const event = briefCopy(load) as Dict
    const jid = load.get('jid') ?? null
    // strangers cause these events, so only a valid job id becomes a part of the tag
    this.bus.fire(isJid(jid) ? `salt/job/${jid}/error` : 'salt/job/error', event.set('error', answer.get('error')!))
    return answer
  }

  private hasRoom(): boolean {
    const second = Math.floor(this.now() / 1000)
    if (second !== this.second) {
      const left = this.count - this.perSecond
      if (left > 0) this.log('warning', `${left} refused jobs caused no event: more than ${this.perSecond} in a second`)
      this.second = second
      this.count = 0
    }
    return ++this.count <= this.perSecond
  }
}
