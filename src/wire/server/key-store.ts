// The interface to minions' keys; a master stores them in the directories of its `pki_dir`.
import type { Later } from '../../base/mod.ts'

export type KeyState = 'accepted' | 'pending' | 'rejected'

export interface StoredKey {
  state: KeyState
  /** PEM of the public key. */
  pub: string
}

export interface KeyStore {
  /** Return the accepted key of a minion. Called with every request, so it should be fast. */
  accepted(id: string): Later<string | undefined>
  /** Return the key of a minion in any state. */
  fetch(id: string): Later<StoredKey | undefined>
  /** Puts the key into this state and out of any other. */
  store(id: string, key: StoredKey): Later<void>
  /** Remembers that a key was offered that is not the minion's. */
  deny(id: string, pub: string): Later<void>
}

/** Keys that are kept nowhere: for tests and trials. */
export class MemoryKeyStore implements KeyStore {
  readonly keys = new Map<string, StoredKey>()
  readonly denied = new Map<string, Set<string>>()

  accepted(id: string): string | undefined {
    const key = this.keys.get(id)
    return key?.state === 'accepted' ? key.pub : undefined
  }

  fetch(id: string): StoredKey | undefined {
    return this.keys.get(id)
  }

  store(id: string, key: StoredKey): void {
    this.keys.set(id, key)
  }

  deny(id: string, pub: string): void {
    this.denied.set(id, new Set(this.denied.get(id)).add(pub))
  }
}
