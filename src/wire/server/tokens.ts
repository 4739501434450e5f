// Whether a minion's token was made with its accepted key. A token never changes for a key, so RSA runs once for each
// pair; afterwards the bytes are compared.
import { timingSafeEqual } from 'node:crypto'
import { readPublicKey } from '../crypto/mod.ts'

export class TokenChecks {
  private readonly known = new Map<string, { pem: string; token: Buffer }>()

  isValid(id: string, token: Uint8Array, pem: string): boolean {
    const known = this.known.get(id)
    if (known?.pem === pem && known.token.length === token.length && timingSafeEqual(known.token, token)) return true
    if (readPublicKey(pem)?.isToken(token) !== true) return false
    this.known.set(id, { pem, token: Buffer.from(token) })
    return true
  }

  forget(id: string): void {
    this.known.delete(id)
  }
}
