// What a minion's options say about how it talks to its master. Names are Salt's.
import type { Dict } from '../../data/mod.ts'
import type { RsaPrivateKey } from '../crypto/mod.ts'

export interface MinionSettings {
  id: string
  key: RsaPrivateKey
  /** `pki_dir`: the master's key is kept in it, and the key that signs it. */
  pkiDir: string
  /** The file of the master's key; a syndic has its own. */
  masterKeyFile?: string
  encryptionAlgorithm?: string
  signingAlgorithm?: string
  /** `verify_master_pubkey_sign`, `always_verify_signature`, `master_sign_key_name`. */
  verifyMasterPubkeySign?: boolean
  alwaysVerifySignature?: boolean
  masterSignKeyName?: string
  /** `master_finger` or `syndic_finger`; empty for none. */
  masterFinger?: string
  hashType?: string
  openMode?: boolean
  /** The values of `autosign_grains`. */
  autosignGrains?: Dict | undefined
  /** `minion_sign_messages`: every load is signed. */
  signMessages?: boolean
  /** `sign_pub_messages`: publications must be signed. */
  requireSignedPublications?: boolean
  /** Seconds and tries of one `_auth`. */
  authTimeout?: number
  authTries?: number
  /** `auth_safemode`: a master that does not answer is asked again instead of given up. */
  authSafemode?: boolean
  /** Seconds between attempts while the key is pending, doubling up to the second. */
  acceptanceWaitTime?: number
  acceptanceWaitTimeMax?: number
  /** `rejected_retry`: ask again also when rejected. */
  rejectedRetry?: boolean
  /** Attempts before giving up (`auth_retries`); 0 for no end. */
  authRetries?: number
  /** Seconds and tries of other requests. */
  requestTimeout?: number
  requestTries?: number
}
