// A publication as it comes from the network, before anything in it is believed.
import { type Dict, decodeMsgpack } from '../../data/mod.ts'
import { ALL_MINIONS, DEFAULT_SIGNING, type RsaPublicKey, verifyContext } from '../crypto/mod.ts'
import { bytesOf, dictOf, shownField, textField } from '../envelope.ts'
import { isWireError, WireError } from '../errors.ts'
import { OFFER, speaksContext, wholeNumber } from '../offer.ts'

/** Values around the sealed load: a few fields. */
const MAX_VALUES = 64

/** The signature with a context that the master put beside the load. */
interface ContextSignature {
  keyId: string
  until: number
  signature: Uint8Array
}

export class Publication {
  readonly sealed: Uint8Array
  private readonly packet: Dict

  /** Throws when the packet is none that a master sends. */
  constructor(bytes: Uint8Array) {
    const packet = dictOf(decodeMsgpack(bytes, { dialect: 'wire', maxValues: MAX_VALUES }))
    if (packet?.get('enc') !== 'aes') {
      throw new WireError('ProtocolError', `it is not encrypted (enc is ${shownField(packet?.get('enc'))})`)
    }
    const sealed = bytesOf(packet.get('load'))
    if (sealed === undefined) throw new WireError('ProtocolError', 'it has no load')
    this.packet = packet
    this.sealed = sealed
  }

  /** Whether the encrypted load has a valid Salt signature of the master. */
  isSignedBy(master: RsaPublicKey | undefined): boolean {
    const signature = bytesOf(this.packet.get('sig'))
    if (signature === undefined || master === undefined) return false
    try {
      return master.verify(this.sealed, signature, textField(this.packet, 'sig_algo') ?? DEFAULT_SIGNING)
    } catch (error) {
      if (isWireError(error, 'UnsupportedAlgorithm')) return false
      throw error
    }
  }

  get hasSignature(): boolean {
    return this.packet.has('sig')
  }

  get hasContext(): boolean {
    return this.packet.has(OFFER)
  }

  /**
   * Return the context that the master signed for this publication; undefined if there is none or the signature is not
   * the master's.
   */
  contextBy(master: RsaPublicKey | undefined): Omit<ContextSignature, 'signature'> | undefined {
    const context = this.context()
    if (context === undefined || master === undefined) return undefined
    const { keyId, until, signature } = context
    const signed = { kind: 'publication', audience: ALL_MINIONS, bound: keyId, until } as const
    return verifyContext(master, signed, this.sealed, signature) ? { keyId, until } : undefined
  }

  private context(): ContextSignature | undefined {
    const field = this.packet.get(OFFER)
    if (!speaksContext(field)) return undefined
    const signature = bytesOf(field.get('sig'))
    if (signature === undefined) return undefined
    return { keyId: textField(field, 'key') ?? '', until: wholeNumber(field.get('until')), signature }
  }
}
