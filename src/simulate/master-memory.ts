// The master's key for simulated minions. Every minion pins the key, as a real one does, but all share one parsed key
// object. All minions get the same bytes of a publication, so its signature is verified once.
import { MasterKeyPin, type MinionSettings, RsaPublicKey } from '../wire/mod.ts'

/** Keys of masters that the minions of a fleet know. */
export interface MasterMemory {
  /** Return the pin of a minion; `known` is the key of an earlier session, and `onKey` is called with a key that is pinned for the first time. */
  pin(settings: MinionSettings, known: string | undefined, onKey: (pem: string) => void): MasterKeyPin
}

/** A public key that verifies a signature once for repeated checks. */
class RepeatedKey extends RsaPublicKey {
  private last: { text: string; signature: Buffer; isValid: boolean } | undefined

  override verifyText(text: string, signature: Uint8Array): boolean {
    if (this.last?.text === text && this.last.signature.equals(signature)) return this.last.isValid
    this.last = { text, signature: Buffer.from(signature), isValid: super.verifyText(text, signature) }
    return this.last.isValid
  }
}

class MemoryPin extends MasterKeyPin {
  private readonly keyOf: (pem: string) => RsaPublicKey
  private readonly onKey: (pem: string) => void
  private pem: string | undefined

  constructor(
    settings: MinionSettings,
    keyOf: (pem: string) => RsaPublicKey,
    known: string | undefined,
    onKey: (pem: string) => void,
  ) {
    super(settings)
    this.keyOf = keyOf
    this.onKey = onKey
    this.pem = known
  }

  override read(): string | undefined {
    return this.pem
  }

  override key(): RsaPublicKey | undefined {
    return this.pem === undefined ? undefined : this.keyOf(this.pem)
  }

  override write(pem: string): void {
    // one text for the fleet
    this.pem = this.keyOf(pem).pem
    this.onKey(this.pem)
  }
}

export function masterMemory(): MasterMemory {
  const keys = new Map<string, RepeatedKey>()
  const keyOf = (pem: string): RsaPublicKey => {
    const found = keys.get(pem) ?? new RepeatedKey(pem)
    keys.set(pem, found)
    return found
  }
  return { pin: (settings, known, onKey) => new MemoryPin(settings, keyOf, known, onKey) }
}
