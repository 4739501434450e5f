// Decides about a sign-in from the minion's key, its stored keys and the master's settings, without side effects.
import type { LogLevel } from '../../base/mod.ts'
import { cleanKey } from '../crypto/mod.ts'
import type { StoredKey } from './key-store.ts'

export interface AuthQuestion {
  id: string
  /** PEM of the offered key, without surrounding space. */
  pub: string
  /** The stored key of this id. */
  key: StoredKey | undefined
  openMode: boolean
  autoReject: boolean
  autoSign: boolean
  /** Whether the limit of minions is reached and this is a new one. */
  full: boolean
  /** This master sends its minions to the others of its cluster. */
  away: boolean
  /** Whether one more unaccepted key may be stored; called before it is. */
  mayFile(): boolean
}

/** The names in `salt/auth` events. */
export type AuthAct = 'accept' | 'pend' | 'reject' | 'denied' | 'full'

export interface AuthDecision {
  act: AuthAct
  /** The value in the reply; undefined if the minion is admitted. */
  ret: boolean | 'full' | undefined
  /** The key to store afterwards. */
  store?: StoredKey
  /** The offered key is filed as not being the minion's. */
  deny?: boolean
  log: readonly [LogLevel, string]
}

export function decideAuth(question: AuthQuestion): AuthDecision {
  const { id, key, openMode, full, away } = question
  if (full) return refuse('full', 'full', ['info', `Too many minions connected. Rejecting connection from id ${id}`])
  if (away) return refuse('full', 'full', ['info', `Sent ${id} to another master: this one does not hear its cluster`])
  if (openMode) return openDecision(question)
  if (key === undefined) return newDecision(question)
  if (key.state === 'rejected') {
    return refuse('reject', false, ['info', `Public key rejected for ${id}. Key is present in rejection key dir.`])
  }
  return key.state === 'accepted' ? acceptedDecision(question, key) : pendingDecision(question, key)
}

function accept(id: string, store?: StoredKey): AuthDecision {
  const decision: AuthDecision = { act: 'accept', ret: undefined, log: ['info', `Authentication accepted from ${id}`] }
  return store === undefined ? decision : { ...decision, store }
}

function refuse(act: AuthAct, ret: boolean | 'full', log: readonly [LogLevel, string]): AuthDecision {
  return { act, ret, log }
}

function denied(id: string, where: string): AuthDecision {
  const text = `Authentication attempt from ${id} failed, the public key${where} did not match. This may be an attempt to compromise the Salt cluster.`
  return { ...refuse('denied', false, ['error', text]), deny: true }
}

/** Accept every key, whatever is stored. */
function openDecision({ id, pub, key }: AuthQuestion): AuthDecision {
  if (pub === '') return refuse('reject', false, ['error', `Public key is empty: ${id}`])
  return key?.state === 'accepted' && key.pub === pub ? accept(id) : accept(id, { state: 'accepted', pub })
}

function newDecision({ id, pub, autoReject, autoSign, mayFile }: AuthQuestion): AuthDecision {
  if (autoSign && !autoReject) return accept(id, { state: 'accepted', pub })
  if (!mayFile()) return refuse('full', 'full', ['debug', `No room for one more key that is not accepted: ${id}`])
  if (autoReject) {
    const log = ['info', `New public key for ${id} rejected via autoreject_file`] as const
    return { ...refuse('reject', false, log), store: { state: 'rejected', pub } }
  }
  const log = ['info', `New public key for ${id} placed in pending`] as const
  return { ...refuse('pend', true, log), store: { state: 'pending', pub } }
}

function acceptedDecision({ id, pub }: AuthQuestion, key: StoredKey): AuthDecision {
  return isSameKey(key.pub, pub) ? accept(id) : denied(id, 's')
}

function pendingDecision({ id, pub, autoReject, autoSign }: AuthQuestion, key: StoredKey): AuthDecision {
  if (autoReject) {
    const log = ['info', `Pending public key for ${id} rejected via autoreject_file`] as const
    return { ...refuse('reject', false, log), store: { state: 'rejected', pub: key.pub } }
  }
  if (!isSameKey(key.pub, pub)) return denied(id, ' in pending')
  if (autoSign) return accept(id, { state: 'accepted', pub })
  const text = `Authentication failed from host ${id}, the key is in pending and needs to be accepted with salt-key -a ${id}`
  return refuse('pend', true, ['info', text])
}

function isSameKey(one: string, other: string): boolean {
  return cleanKey(one) === cleanKey(other)
}
