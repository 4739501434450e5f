// The master's side of publications: numbered, encrypted with the shared key, signed, and sent in their order even
// though signing takes a while.
import { type Log, silentLog } from '../../base/mod.ts'
import { type Dict, encodeMsgpack, isDict, isList, type Value } from '../../data/mod.ts'
import { Crypticle, DEFAULT_SIGNING } from '../crypto/mod.ts'
import { bytesOf, isValidId } from '../envelope.ts'
import { isWireError } from '../errors.ts'
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
  /** Masters of a cluster share a key and do not number. */
  numbered?: boolean | undefined
  /** The ids that a target means; needed where the transport sends to single minions. */
  resolve?: ((target: string, kind: string) => Promise<readonly string[]> | readonly string[]) | undefined
  /** The ids of accepted minions. A list with other ids goes to all: a resource is reached through its minion. */
  minions?: (() => readonly string[]) | undefined
}

/** The targets that a master can resolve itself. */
const RESOLVED = new Set(['glob', 'pcre', 'list'])

export class PublishChannel {
  private readonly options: PublishChannelOptions
  private last: Promise<void> = Promise.resolve()

  constructor(options: PublishChannelOptions) {
    this.options = options
  }

  /** How many listen, as far as this process knows. */
  get subscribers(): number {
    return this.options.publisher.subscribers
  }

  /** Sends a load to the minions it is for; it gets its serial number here. */
  publish(load: Dict): Promise<void> {
    const packet = this.wrap(load)
    const ids = this.idsOf(load)
    const sent = this.last.then(async () => this.options.publisher.publish(await packet, await ids))
    this.last = sent.catch(() => {})
    return sent
  }

  private async wrap(load: Dict): Promise<Uint8Array> {
    const { secret, identity, sign = true, algorithm = DEFAULT_SIGNING, numbered = true } = this.options
    const contents = numbered ? new Map(load).set('serial', secret.nextSerial()) : load
    const sealed = secret.crypticle.seal(contents)
    const packet = new Map<string, unknown>([
      ['enc', 'aes'],
      ['load', sealed],
    ])
    if (sign) {
      packet.set('sig_algo', algorithm)
      packet.set('sig', await identity.key.sign(sealed, algorithm))
    }
    return encodeMsgpack(packet, 'wire')
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
