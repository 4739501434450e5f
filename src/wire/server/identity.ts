// The identity of the master: its key, and with `master_sign_pubkey` the signature of it that minions can verify.
import type { RsaPrivateKey } from '../crypto/mod.ts'

export interface MasterIdentity {
  readonly key: RsaPrivateKey
  /** The signature of the public key, as it travels. */
  pubkeySignature?(algorithm: string): Promise<string>
}

export interface IdentityOptions {
  /** The pair that signs the master's public key. */
  signKey?: RsaPrivateKey | undefined
  /** A signature that was made elsewhere (`master_use_pubkey_signature`), used as it is. */
  signature?: string | undefined
}

export function masterIdentity(key: RsaPrivateKey, { signKey, signature }: IdentityOptions = {}): MasterIdentity {
  if (signature !== undefined) return { key, pubkeySignature: async () => signature }
  if (signKey === undefined) return { key }
  return {
    key,
    pubkeySignature: async (algorithm) => {
      const signed = await signKey.sign(key.publicKey.pem, algorithm)
      return `${signed.toString('base64')}\n`
    },
  }
}
