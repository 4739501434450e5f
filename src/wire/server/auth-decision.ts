// What becomes of a minion that asks to be let in: decided from its key, what is known of it and the master's
// settings, without doing anything.
import type { LogLevel } from '../../base/mod.ts'
import { cleanKey } from '../crypto/mod.ts'
import type { StoredKey } from './key-store.ts'

export interface AuthQuestion {
  id: string
  /** PEM of the offered key, without surrounding space. */
  pub: string
  /** What is stored under this id. */
  key: StoredKey | undefined
  openMode: boolean
  autoReject: boolean
  autoSign: boolean
  /** There are as many minions as there may be, and this is not one of them. */
  full: boolean
  /** This master sends its minions to the others of its cluster. */
  away: boolean
  /** Whether one more key may be kept that is not accepted; asked when one is to be. */
  mayFile(): boolean
}

/** As `salt/auth` events name it. */
export type AuthAct = 'accept' | 'pend' | 'reject' | 'denied' | 'full'

export interface AuthDecision {
  act: AuthAct
  /** What the reply says; undefined when the minion is let in. */
  ret: boolean | 'full' | undefined
  /** What the store must hold afterwards. */
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

/** Every key is taken, whatever was known. */
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
