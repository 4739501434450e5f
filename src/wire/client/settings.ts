// What a minion's options say about how it talks to its master. Names are Salt's.
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
  /** `cachedir`: what is remembered of publications is kept in it. */
  cachedir?: string | undefined
  /**
   * `sign_pub_messages`: publications of a master that signs no contexts must have Salt's signature always, or never. When
   * it is not set they must have it as soon as this master was seen to sign.
   */
  requireSignedPublications?: boolean | undefined
  /** Seconds and tries of one `_auth`. */
  authTimeout?: number | undefined
  authTries?: number | undefined
  /** `auth_safemode`: a master that does not answer is asked again instead of given up. */
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
