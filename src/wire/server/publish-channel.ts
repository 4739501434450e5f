// The master's side of publications: numbered, encrypted with the shared key, signed, and sent in their order even
// though signing takes a while. Each has two signatures: Salt's, over the sealed load alone, and one with a context, which
// Brine's minions require.
import { type Log, silentLog } from '../../base/mod.ts'
import { type Dict, encodeMsgpack, isDict, isList, type Value } from '../../data/mod.ts'
import { ALL_MINIONS, CONTEXT_VERSION, Crypticle, DEFAULT_SIGNING, signContext } from '../crypto/mod.ts'
import { bytesOf, isValidId } from '../envelope.ts'
import { isWireError } from '../errors.ts'
import { clockSeconds, OFFER } from '../offer.ts'
import type { Publisher } from '../transport/transport.ts'
import type { MasterIdentity } from './identity.ts'
import type { KeyStore } from './key-store.ts'
import type { PublishSecret } from './publish-secret.ts'
import { TokenChecks } from './tokens.ts'

export interface PublishChannelOptions {
  publisher: Publisher
  identity: MasterIdentity
  secret: PublishSecret
  /** `sign_pub_messages`. */
  sign?: boolean | undefined
  /** `publish_signing_algorithm`. */
  algorithm?: string | undefined
  /** `publication_ttl`: seconds that minions take a publication after it was made; 0 for ever. */
  lifetime?: number | undefined
  /** The ids that a target means; needed where the transport sends to single minions. */
  resolve?: ((target: string, kind: string) => Promise<readonly string[]> | readonly string[]) | undefined
  /** The ids of accepted minions. A list with other ids goes to all: a resource is reached through its minion. */
  minions?: (() => readonly string[]) | undefined
}

/** A publication as it travels, and the id of the publish key that it is sealed with. */
export interface SealedPublication {
  keyId: string
  packet: Uint8Array
}

/** The default of `publication_ttl`. */
const LIFETIME = 300

/** The targets that a master can resolve itself. */
const RESOLVED = new Set(['glob', 'pcre', 'list'])

export class PublishChannel {
  private readonly options: PublishChannelOptions
  private last: Promise<void> = Promise.resolve()

  constructor(options: PublishChannelOptions) {
    this.options = options
  }

  /** How many subscribers a publication reaches now. */
  get reached(): number {
    return this.options.publisher.reached
  }

  /** Send a load to the minions it is for; it gets its serial number here. */
  publish(load: Dict): Promise<SealedPublication> {
    const { publisher, secret } = this.options
    const { crypticle } = secret
    const serial = secret.nextSerial()
    const wrapped = this.wrap(crypticle, new Map(load).set('serial', serial))
    const ids = this.idsOf(load)
    const sent = this.last.then(async () => {
      const packet = await wrapped
      publisher.publish(packet, await ids)
      secret.noteSent(crypticle, serial)
      return { keyId: crypticle.id, packet }
    })
    this.last = sent.then(
      () => undefined,
      () => undefined,
    )
    return sent
  }

  /**
   * Encrypt a load for minions that request it. It repeats the serial number of the last publication: to all other
   * minions, a new number would look like a missed publication.
   */
  async seal(load: Dict): Promise<SealedPublication> {
    const { crypticle, lastSent } = this.options.secret
    const packet = await this.wrap(crypticle, new Map(load).set('serial', Math.max(1, lastSent)))
    return { keyId: crypticle.id, packet }
  }

  /** The id of the key that publications are sealed with now. */
  get keyId(): string {
    return this.options.secret.crypticle.id
  }

  private async wrap(crypticle: Crypticle, contents: Dict): Promise<Uint8Array> {
    const { identity, sign = true, algorithm = DEFAULT_SIGNING, lifetime = LIFETIME } = this.options
    const sealed = crypticle.seal(contents)
    const until = lifetime > 0 ? Math.ceil(clockSeconds() + lifetime) : 0
    const context = { kind: 'publication', audience: ALL_MINIONS, bound: crypticle.id, until } as const
    const [signature, plain] = await Promise.all([
      signContext(identity.key, context, sealed),
      sign ? identity.key.sign(sealed, algorithm) : undefined,
    ])
    const packet = new Map<string, unknown>([
      ['enc', 'aes'],
      ['load', sealed],
    ])
    if (plain !== undefined) packet.set('sig_algo', algorithm).set('sig', plain)
    const own = new Map<string, unknown>([
      ['signatures', CONTEXT_VERSION],
      ['key', crypticle.id],
      ['until', until],
      ['sig', signature],
    ])
    return encodeMsgpack(packet.set(OFFER, own), 'wire')
  }

  private async idsOf(load: Dict): Promise<readonly string[] | undefined> {
    const kind = load.get('tgt_type')
    const target = load.get('tgt')
    if (!this.options.publisher.supportsTopics || typeof kind !== 'string' || !RESOLVED.has(kind)) return undefined
    if (target !== undefined && isList(target)) return this.subscribersIn(target)
    return typeof target === 'string' ? this.options.resolve?.(target, kind) : undefined
  }

  private subscribersIn(target: readonly Value[]): string[] | undefined {
    const ids = target.filter((id): id is string => typeof id === 'string')
    const minions = new Set(this.options.minions?.() ?? ids)
    return ids.every((id) => minions.has(id)) ? ids : undefined
  }
}

/** Reads how a minion introduces itself on the tcp transport; gives its id when the token is its own. */
export function subscriberIdentity(
  keys: KeyStore,
  secret: PublishSecret,
  log: Log = silentLog,
): (message: Value) => Promise<string | undefined> {
  const tokens = new TokenChecks()
  return async (message) => {
    const sealed = isDict(message) && message.get('enc') === 'aes' ? bytesOf(message.get('load')) : undefined
    if (sealed === undefined) return undefined
    try {
      const load = new Crypticle(secret.keyString).open(sealed)
      const id = isDict(load) ? load.get('id') : undefined
      const token = isDict(load) ? bytesOf(load.get('tok')) : undefined
      const pem = isValidId(id) ? await keys.accepted(id) : undefined
      return token !== undefined && pem !== undefined && tokens.isValid(id as string, token, pem)
        ? (id as string)
        : undefined
    } catch (error) {
      if (!isWireError(error, 'AuthenticationError')) throw error
      log('debug', 'A subscriber introduced itself with an old key')
      return undefined
    }
  }
}
