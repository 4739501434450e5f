// The master's side of `_auth`: asks, decides, stores, and signs the reply with the algorithm the minion named. From
// version 2 on every reply is signed and carries the minion's nonce.
import { type Log, shownText, toError } from '../../base/mod.ts'
import { type Dict, encodeMsgpack, strip, type Value } from '../../data/mod.ts'
import { DEFAULT_ENCRYPTION, DEFAULT_SIGNING, type RsaPublicKey, readPublicKey } from '../crypto/mod.ts'
import { bytesOf, dictOf, isValidId, textField } from '../envelope.ts'
import { isWireError, WireError } from '../errors.ts'
import type { Peer } from '../transport/transport.ts'
import { type AuthDecision, decideAuth } from './auth-decision.ts'
import type { MasterIdentity } from './identity.ts'
import type { KeyStore } from './key-store.ts'
import type { PublishSecret } from './publish-secret.ts'
import type { SessionKeys } from './session-keys.ts'

/** What a master's settings say about minions that ask to be let in. */
export interface AuthPolicy {
  openMode?: boolean | undefined
  autoReject?(id: string): boolean | Promise<boolean>
  autoSign?(id: string, autosignGrains: Dict | undefined): boolean | Promise<boolean>
  /** Whether `max_minions` leaves no room for this one. */
  isFull?(id: string): boolean | Promise<boolean>
  /** Whether one more key may be kept that is not accepted. */
  mayFile?(): boolean
  /** Limits the attempts of a host: each counts unless it was accepted. */
  signIn?: { begin(host: string): boolean; accepted(host: string): void }
}

export interface AuthParts {
  identity: MasterIdentity
  keys: KeyStore
  secret: PublishSecret
  sessions: SessionKeys
  publishPort: number
  policy: AuthPolicy
  log: Log
  /** Hears of every outcome: the data of a `salt/auth` event, and the minion's autosign grains. */
  onAuth?: ((event: Dict, autosignGrains: Dict | undefined) => void) | undefined
}

/** Characters of a public key: four times what the largest key takes that anybody uses. */
const LONGEST_KEY = 16_384
const LONGEST_NONCE = 1024

const TOO_MANY = 'too many sign-ins failed'

type Reply = Map<string, unknown>

export class Authenticator {
  private readonly parts: AuthParts

  constructor(parts: AuthParts) {
    this.parts = parts
  }

  /** Answers; with a text, which a minion takes for a failed attempt, where the peer's host makes too many. */
  async answer(load: Dict, version: number, { host = '' }: Peer): Promise<Reply | string> {
    const { signIn } = this.parts.policy
    if (signIn?.begin(host) === false) return TOO_MANY
    const id = load.get('id')
    const signed = version > 1
    if (!isValidId(id)) {
      this.parts.log('info', `Authentication request from invalid id ${shownText(String(id))}`)
      return this.refusal(false, load, signed)
    }
    const pub = textField(load, 'pub')
    if (pub === undefined || pub.length > LONGEST_KEY) {
      throw new WireError('ProtocolError', `The authentication request of ${id} has no key`)
    }
    const key = readPublicKey(strip(pub))
    const decision = await this.decide(id, { pub: strip(pub), isKey: key !== undefined }, load)
    if (decision.ret === undefined) signIn?.accepted(host)
    return decision.ret === undefined ? this.welcome(id, key!, load, version) : this.refusal(decision.ret, load, signed)
  }

  private async decide(id: string, { pub, isKey }: { pub: string; isKey: boolean }, load: Dict): Promise<AuthDecision> {
    const { policy, keys, log } = this.parts
    const grains = dictOf(load.get('autosign_grains'))
    const decision = decideAuth({
      id,
      pub,
      key: await keys.fetch(id),
      openMode: policy.openMode === true,
      full: (await policy.isFull?.(id)) === true,
      autoReject: (await policy.autoReject?.(id)) === true,
      autoSign: (await policy.autoSign?.(id, grains)) === true,
      mayFile: () => policy.mayFile?.() !== false,
    })
    log(...decision.log)
    if (decision.act === 'accept' && !isKey) {
      log('error', `Corrupt or missing public key "${id}"`)
      return { ...decision, act: 'reject', ret: false }
    }
    if (decision.store !== undefined) await keys.store(id, decision.store)
    if (decision.deny) await keys.deny(id, pub)
    this.tell(decision, id, pub, grains)
    return decision
  }

  private tell({ act, ret }: AuthDecision, id: string, pub: string, grains: Dict | undefined): void {
    const event: Dict = new Map<Value, Value>([
      ['result', ret === undefined || ret === true],
      ['act', act],
      ['id', id],
      ['pub', pub],
    ])
    this.parts.onAuth?.(event, grains)
  }

  private refusal(ret: boolean | string, load: Dict, signed: boolean): Promise<Reply> | Reply {
    if (!signed) return unsigned(ret)
    return this.sign(
      new Map<string, unknown>([
        ['ret', ret],
        ['nonce', nonceOf(load)],
      ]),
      load,
    )
  }

  private async sign(inner: Map<string, unknown>, load: Dict): Promise<Reply> {
    const algorithm = textField(load, 'sig_algo') ?? DEFAULT_SIGNING
    const bytes = encodeMsgpack(inner, 'wire')
    try {
      const sig = await this.parts.identity.key.sign(bytes, algorithm)
      return new Map<string, unknown>([
        ['enc', 'clear'],
        ['load', bytes],
        ['sig', sig],
      ])
    } catch (error) {
      if (!isWireError(error, 'UnsupportedAlgorithm')) throw error
      this.parts.log('info', `Minion tried to authenticate with unsupported signing algorithm: ${shownText(algorithm)}`)
      return unsigned('bad sig algo')
    }
  }

  /** The reply that lets a minion in. */
  private async welcome(id: string, minionKey: RsaPublicKey, load: Dict, version: number): Promise<Reply> {
    const { identity, secret, sessions, publishPort, log } = this.parts
    const algorithm = textField(load, 'enc_algo') ?? DEFAULT_ENCRYPTION
    const inner = new Map<string, unknown>([
      ['enc', 'pub'],
      ['pub_key', identity.key.publicKey.pem],
      ['publish_port', publishPort],
    ])
    if (identity.pubkeySignature !== undefined) {
      inner.set('pub_sig', await identity.pubkeySignature(textField(load, 'sig_algo') ?? DEFAULT_SIGNING))
    }
    const token = bytesOf(load.get('token'))
    if (token !== undefined) {
      try {
        inner.set('token', minionKey.encrypt(await identity.key.decrypt(token, algorithm), algorithm))
      } catch (error) {
        if (isWireError(error, 'UnsupportedAlgorithm')) {
          log(
            'info',
            `Minion ${id} tried to authenticate with unsupported encryption algorithm: ${shownText(algorithm)}`,
          )
          return unsigned('bad enc algo')
        }
        // the minion holds the key of another master; it will see that from the reply
        log('warning', `Token failed to decrypt: ${toError(error).message}`)
      }
    }
    // both before anything is awaited: the key may be changed meanwhile
    const digest = secret.digest(identity.key)
    inner.set('aes', minionKey.encrypt(secret.keyString, algorithm))
    inner.set('session', minionKey.encrypt(sessions.issue(id).keyString, algorithm))
    inner.set('sig', await digest)
    if (version < 3) log('warning', `Minion using legacy request server protocol, please upgrade ${id}`)
    if (version < 2) return inner
    inner.set('nonce', nonceOf(load))
    return this.sign(inner, load)
  }
}

function unsigned(ret: boolean | string): Reply {
  return new Map<string, unknown>([
    ['enc', 'clear'],
    ['load', new Map([['ret', ret]])],
  ])
}

function nonceOf(load: Dict): Value {
  const nonce = load.get('nonce')
  if (nonce === undefined || (typeof nonce === 'string' && nonce.length > LONGEST_NONCE))
    throw new WireError('ProtocolError', 'The authentication request has no nonce')
  return nonce
}
