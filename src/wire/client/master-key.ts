// The master's key as first seen, stored in `minion_master.pub`: another key is refused, unless it is signed with a key
// that was configured on the minion for this.
import { join } from 'node:path'
import type { Dict } from '../../data/mod.ts'
import { cleanKey, type RsaPublicKey, readIfThere, readPublicKey, writeKeyFile } from '../crypto/mod.ts'
import { textField } from '../envelope.ts'
import { KeyRefused } from './refused.ts'
import type { MinionSettings } from './settings.ts'

const CHANGED = "The master key has changed, the salt master could have been subverted, verify salt master's public key"

/** A key that may be trusted. */
export interface KeyVerdict {
  /** The key that must have signed the reply. */
  key: RsaPublicKey
  /** Whether the key was known when the request was sent, so that the reply must contain the token of the request. */
  known: boolean
  /** The key to store if everything else is valid: the first key, or a signed new one. */
  adopt: string | undefined
}

export class MasterKeyPin {
  readonly file: string
  private readonly settings: MinionSettings
  private last: { text: string; key: RsaPublicKey | undefined } | undefined

  constructor(settings: MinionSettings) {
    this.settings = settings
    this.file = join(settings.pkiDir, settings.masterKeyFile ?? 'minion_master.pub')
  }

  /** The text of the file; undefined before the first contact. */
  read(): string | undefined {
    return readIfThere(this.file)
  }

  key(): RsaPublicKey | undefined {
    const text = this.read()
    if (text === undefined) return undefined
    if (this.last?.text !== text) this.last = { text, key: readPublicKey(text) }
    return this.last.key
  }

  /** Makes sure that the key of a reply is the master's. */
  check(inner: Dict, sentToken: boolean): KeyVerdict {
    const offered = cleanKey(textField(inner, 'pub_key') ?? '')
    const { verifyMasterPubkeySign = false, alwaysVerifySignature = false, openMode = false } = this.settings
    const stored = this.read()
    const pinned = stored !== undefined && sentToken && !openMode
    this.checkBothSign(inner.has('pub_sig'), verifyMasterPubkeySign)
    const known = pinned && cleanKey(stored) === offered
    if (known ? alwaysVerifySignature : verifyMasterPubkeySign) {
      this.checkSignature(inner)
      return { key: usable(readPublicKey(offered)), known, adopt: offered }
    }
    if (pinned && !known) throw new KeyRefused(CHANGED)
    if (stored === undefined) return { key: usable(readPublicKey(offered)), known, adopt: offered }
    return { key: usable(this.key()), known, adopt: undefined }
  }

  /** Keeps a key that passed all checks. */
  write(pem: string): void {
    if (this.read() !== pem) writeKeyFile(this.file, pem, 0o644)
  }

  /** A master that signs its key needs a minion that looks, and the other way round. */
  private checkBothSign(masterSigns: boolean, minionVerifies: boolean): void {
    if (masterSigns === minionVerifies) return
    throw new KeyRefused(
      masterSigns
        ? 'The masters sent its public-key signature, but signature verification is not enabled on the minion. Either enable signature verification on the minion or disable signing the public key on the master!'
        : 'The master did not send its public-key signature, but signature verification is enabled on the minion. Either disable signature verification on the minion or enable signing the public on the master!',
    )
  }

  private checkSignature(inner: Dict): void {
    const name = `${this.settings.masterSignKeyName ?? 'master_sign'}.pub`
    const text = readIfThere(join(this.settings.pkiDir, name))
    if (text === undefined) {
      throw new KeyRefused(
        `Verification public key ${name} does not exist. You need to copy it from the master to the minions pki directory`,
      )
    }
    const signature = Buffer.from(textField(inner, 'pub_sig') ?? '', 'base64')
    const { signingAlgorithm } = this.settings
    if (!usable(readPublicKey(text)).verify(textField(inner, 'pub_key') ?? '', signature, signingAlgorithm)) {
      throw new KeyRefused('Received signed public-key from master but signature verification failed!')
    }
  }
}

function usable(key: RsaPublicKey | undefined): RsaPublicKey {
  if (key === undefined) throw new KeyRefused("The master's public key cannot be read")
  return key
}
