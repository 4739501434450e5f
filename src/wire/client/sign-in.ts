// One `_auth` request and all checks of the reply: the keys can be decrypted, the master is the known one, and the
// reply was neither changed nor replayed. The request asks for a context signature; a master that makes them says so in
// the signed part of every reply, so a plain signature under such a reply is refused.
import { createHash, randomUUID } from 'node:crypto'
import { type Dict, decodeMsgpack, isDict, repr, type Value } from '../../data/mod.ts'
import {
  CONTEXT_VERSION,
  DEFAULT_ENCRYPTION,
  DEFAULT_SIGNING,
  generateKeyString,
  keyDigest,
  pemFingerprint,
  type RsaPublicKey,
  verifyContext,
} from '../crypto/mod.ts'
import { bytesOf, clearEnvelope, dictOf } from '../envelope.ts'
import { isWireError, type WireErrorCode } from '../errors.ts'
import { OFFER, type Offer, readOffer } from '../offer.ts'
import type { RequestClient } from '../transport/transport.ts'
import { MasterClock, type Moment, thisMoment } from './master-clock.ts'
import { type KeyVerdict, MasterKeyPin } from './master-key.ts'
import type { Credentials, SignInOutcome } from './outcome.ts'
import { KeyRefused, ReplyRefused } from './refused.ts'
import type { MinionSettings } from './settings.ts'

const AUTH_TIMEOUT = 5
const AUTH_TRIES = 7

/** How many values of a reply are decoded before it is verified. */
const MAX_VALUES = 1000

const PATH_CHANGED =
  'Somebody between this minion and its master changed the sign-in: the master signs replies with their context, and this one is signed without, though the minion asked for it'

const KEY_EXCHANGED =
  'Somebody between this minion and its master changed the sign-in: the master answers to the key of somebody else'

const NOT_SIGNED = 'The payload signature did not validate.'

/** Return the reason and the remedy for a reply without a key and with a wrong signature. */
const otherSender = (file: string): string =>
  `The sender does not have the key of the master in ${file}. Either the master has a new key: compare its fingerprint (salt-key -F master) and delete this file. Or another machine answers at the address of the master.`

const SILENCES: ReadonlySet<WireErrorCode> = new Set(['SaltReqTimeoutError', 'Closed', 'TlsError'])

/** 32 hex digits that are used once. */
export function newNonce(): string {
  return randomUUID().replaceAll('-', '')
}

interface ReceivedReply {
  bytes: Uint8Array
  signature: Uint8Array
  offer: Offer | undefined
  nonce: string
}

export class SignIn {
  readonly pin: MasterKeyPin
  private readonly settings: MinionSettings
  private readonly encryption: string
  private readonly signing: string
  /** A token that the master must decrypt and return, if its key is known. */
  private readonly token = generateKeyString()

  /** `pin` holds the master's key, where that is not a file of `pki_dir`. */
  constructor(settings: MinionSettings, pin: MasterKeyPin = new MasterKeyPin(settings)) {
    this.settings = settings
    this.pin = pin
    this.encryption = settings.encryptionAlgorithm ?? DEFAULT_ENCRYPTION
    this.signing = settings.signingAlgorithm ?? DEFAULT_SIGNING
  }

  async ask(client: RequestClient): Promise<SignInOutcome> {
    const load = this.request()
    const asked = thisMoment()
    let reply: Value
    try {
      const { authTimeout = AUTH_TIMEOUT, authTries = AUTH_TRIES } = this.settings
      reply = await client.request(clearEnvelope(load), { timeout: authTimeout, tries: authTries })
    } catch (error) {
      // a closed connection is treated like no answer
      if (!isWireError(error) || !SILENCES.has(error.code)) throw error
      const isKnown = error.code === 'TlsError' || error.reason !== error.message
      return { status: 'timeout', ...(isKnown && { reason: error.reason }) }
    }
    return this.read(load, reply, asked)
  }

  /** The load of a request. */
  request(): Map<string, unknown> {
    const { id, key, autosignGrains } = this.settings
    const load = new Map<string, unknown>([
      ['cmd', '_auth'],
      ['id', id],
      ['nonce', newNonce()],
      ['enc_algo', this.encryption],
      ['sig_algo', this.signing],
      [OFFER, new Map([['signatures', CONTEXT_VERSION]])],
    ])
    if (autosignGrains !== undefined) load.set('autosign_grains', autosignGrains)
    const master = this.pin.key()
    if (master !== undefined) load.set('token', master.encrypt(this.token, this.encryption))
    load.set('pub', key.publicKey.pem)
    return load
  }

  /** Return the outcome of a reply to a request that was sent at this moment. */
  async read(load: ReadonlyMap<string, unknown>, reply: Value, asked: Moment = thisMoment()): Promise<SignInOutcome> {
    const outer = dictOf(reply)
    if (outer === undefined || !outer.has('load')) return { status: 'refused', reply: shownReply(reply) }
    const unsigned = dictOf(outer.get('load'))
    const complaint = unsigned?.get('ret')
    if (complaint === 'bad enc algo' || complaint === 'bad sig algo') return { status: complaint }
    const bytes = bytesOf(outer.get('load'))
    const signature = bytesOf(outer.get('sig'))
    if (bytes === undefined || signature === undefined) return { status: 'refused', reply: shownReply(reply) }
    try {
      return await this.readSigned(load, bytes, signature, asked)
    } catch (error) {
      if (error instanceof ReplyRefused) return error.outcome
      throw error
    }
  }

  private async readSigned(
    load: ReadonlyMap<string, unknown>,
    bytes: Uint8Array,
    signature: Uint8Array,
    asked: Moment,
  ): Promise<SignInOutcome> {
    const inner = decodeMsgpack(bytes, { dialect: 'wire', maxValues: MAX_VALUES })
    if (!isDict(inner)) return { status: 'refused', reply: shownReply(inner) }
    const verdict = inner.has('pub_key') ? this.pin.check(inner, load.has('token')) : undefined
    const credentials = verdict === undefined ? undefined : await this.open(inner, verdict)
    if (inner.get('nonce') !== load.get('nonce')) throw new ReplyRefused('nonce', 'The payload nonce did not validate.')
    const offer = readOffer(inner.get(OFFER))
    const received = { bytes, signature, offer, nonce: String(load.get('nonce')) }
    if (verdict === undefined) this.checkKeyless(received)
    else this.checkSignature(verdict.key, received)
    if (inner.has('ret')) return outcomeOf(inner.get('ret')!)
    if (credentials === undefined || verdict === undefined) return { status: 'refused', reply: shownReply(inner) }
    const mismatch = this.checkFinger(verdict.adopt ?? this.pin.read() ?? '')
    if (mismatch !== undefined) return mismatch
    if (verdict.adopt !== undefined) this.pin.write(verdict.adopt)
    const { time, serial } = offer ?? {}
    if (time === undefined || serial === undefined) return { status: 'accepted', credentials }
    return {
      status: 'accepted',
      credentials: { ...credentials, offer: { clock: new MasterClock(time, asked), serial } },
    }
  }

  /** Check a reply without the key of its sender: that the minion waits or is refused. A minion that has not met its master cannot check it. */
  private checkKeyless(received: ReceivedReply): void {
    const key = this.pin.key()
    if (key !== undefined) this.checkSignature(key, received, `${NOT_SIGNED} ${otherSender(this.pin.file)}`)
  }

  /** The signature must be the kind that this master makes for Brine minions. */
  private checkSignature(key: RsaPublicKey, reply: ReceivedReply, complaint = NOT_SIGNED): void {
    const { bytes, signature, offer, nonce } = reply
    const context = { kind: 'sign-in', audience: this.settings.id, bound: nonce, until: 0 } as const
    if (offer !== undefined && verifyContext(key, context, bytes, signature)) {
      if (offer.asked === '' || offer.asked === keyDigest(this.settings.key.publicKey.pem)) return
      throw new ReplyRefused('signature', KEY_EXCHANGED)
    }
    const isPlain = key.verify(bytes, signature, this.signing)
    if (isPlain && offer === undefined) return
    throw new ReplyRefused('signature', isPlain ? PATH_CHANGED : complaint)
  }

  /** Decrypt the keys of a verified reply. */
  private async open(inner: Dict, { key, known }: KeyVerdict): Promise<Credentials> {
    const aes = await this.decrypt(inner, 'aes')
    const digest = createHash('sha256').update(aes).digest('hex')
    if (key.openX931(bytesOf(inner.get('sig')) ?? Buffer.alloc(0))?.toString() !== digest) {
      throw new KeyRefused("The master's key did not make the digest of the key it sent")
    }
    // a token is valid only from the master whose key encrypted it
    if (known) await this.checkToken(inner)
    return {
      aes: aes.toString(),
      session: (await this.decrypt(inner, 'session')).toString(),
      publishPort: Number(inner.get('publish_port')),
    }
  }

  private async decrypt(inner: Dict, field: string): Promise<Buffer> {
    try {
      return await this.settings.key.decrypt(bytesOf(inner.get(field)) ?? Buffer.alloc(0), this.encryption)
    } catch {
      throw new KeyRefused(`The field ${field} of the master's reply cannot be opened with this minion's key`)
    }
  }

  private async checkToken(inner: Dict): Promise<void> {
    const opened = inner.has('token') ? await this.decrypt(inner, 'token') : undefined
    if (opened?.toString() !== this.token) {
      throw new KeyRefused('The master failed to decrypt the random minion token')
    }
  }

  private checkFinger(pem: string): SignInOutcome | undefined {
    const { masterFinger, hashType } = this.settings
    if (!masterFinger) return undefined
    const found = pemFingerprint(pem, hashType)
    return found === masterFinger ? undefined : { status: 'fingerprint', expected: masterFinger, found }
  }
}

function outcomeOf(ret: Value): SignInOutcome {
  if (ret === false || ret === null || ret === '') return { status: 'rejected' }
  return ret === 'full' ? { status: 'full' } : { status: 'pending' }
}

function shownReply(reply: Value): string {
  return typeof reply === 'string' ? reply : repr(reply)
}
