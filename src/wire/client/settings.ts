// The options of a minion about the communication with its master. Names are Salt's.
import type { Dict } from '../../data/mod.ts'
import type { RsaPrivateKey } from '../crypto/mod.ts'

export interface MinionSettings {
  id: string
  key: RsaPrivateKey
  /** `pki_dir`: the master's key is kept in it, and the key that signs it. */
  pkiDir: string
  /** The file of the master's key; a syndic has its own. */
  masterKeyFile?: string | undefined
  encryptionAlgorithm?: string | undefined
  signingAlgorithm?: string | undefined
  /** `verify_master_pubkey_sign`, `always_verify_signature`, `master_sign_key_name`. */
  verifyMasterPubkeySign?: boolean | undefined
  alwaysVerifySignature?: boolean | undefined
  masterSignKeyName?: string | undefined
  /** `master_finger` or `syndic_finger`; empty for none. */
  masterFinger?: string | undefined
  hashType?: string | undefined
  openMode?: boolean | undefined
  /** The values of `autosign_grains`. */
  autosignGrains?: Dict | undefined
  /** `minion_sign_messages`: every load is signed. */
  signMessages?: boolean | undefined
  /** `cachedir`: contains the record of publications. */
  cachedir?: string | undefined
  /**
   * `sign_pub_messages`: whether publications of a master without context signatures must have Salt's signature.
   * Default: they must after this master was seen to sign.
   */
  requireSignedPublications?: boolean | undefined
  /** Seconds and tries of one `_auth`. */
  authTimeout?: number | undefined
  authTries?: number | undefined
  /** `auth_safemode`: keep retrying a master that does not answer, instead of failing. */
  authSafemode?: boolean | undefined
  /** Seconds between attempts while the key is pending, doubling up to the second. */
  acceptanceWaitTime?: number | undefined
  acceptanceWaitTimeMax?: number | undefined
  /** `rejected_retry`: ask again also when rejected. */
  rejectedRetry?: boolean | undefined
  /** Attempts before giving up (`auth_retries`); 0 for no end. */
  authRetries?: number | undefined
  /** Seconds and tries of other requests. */
  requestTimeout?: number | undefined
  requestTries?: number | undefined
}
