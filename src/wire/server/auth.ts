// The master's side of `_auth`: reads the request, decides, stores, and signs the reply (`sign-reply.ts`). From version 2
// on every reply is signed and carries the minion's nonce.
import { type Log, Repeats, shownText, Turns, toError } from '../../base/mod.ts'
import type { Dict, Value } from '../../data/mod.ts'
import { keyDigest, type RsaPublicKey, readPublicKey } from '../crypto/mod.ts'
import { isValidId, shownField } from '../envelope.ts'
import { isWireError } from '../errors.ts'
import type { Peer } from '../transport/transport.ts'
import { type AuthDecision, decideAuth } from './auth-decision.ts'
import { type AuthRequest, readAuthRequest } from './auth-request.ts'
import type { MasterIdentity } from './identity.ts'
import type { KeyStore } from './key-store.ts'
import type { PublishSecret } from './publish-secret.ts'
import type { SessionKeys } from './session-keys.ts'
import { signReply } from './sign-reply.ts'

/** The master's settings about minions that sign in. */
export interface AuthPolicy {
  openMode?: boolean | undefined
  autoReject?(id: string): boolean | Promise<boolean>
  autoSign?(id: string, autosignGrains: Dict | undefined): boolean | Promise<boolean>
  /** Whether `max_minions` refuses this minion. */
  isFull?(id: string): boolean | Promise<boolean>
  /** Whether a minion should ask another master. */
  sendsAway?(id: string): boolean
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
  /** Called with every outcome: the data of a `salt/auth` event, and the minion's autosign grains. */
  onAuth?: ((event: Dict, autosignGrains: Dict | undefined) => void) | undefined
}

const MALFORMED = 'bad load'
const TOO_MANY = 'too many sign-ins failed'
/** Sign-ins that may wait for their turn; each holds its request in memory. */
const MOST_WAITING = 20_000

type Fields = Map<string, unknown>

export class Authenticator {
  private readonly parts: AuthParts
  /**
   * Turns of hosts: anybody who knows a minion's public key can send requests in its name, which cost milliseconds of
   * RSA.
   */
  private readonly turns = new Turns({ mostWaiting: MOST_WAITING })
  /** When the log repeats a minion with a pending key, by its id. */
  private readonly pending = new Repeats()

  constructor(parts: AuthParts) {
    this.parts = parts
  }

  /**
   * Answer a request. A malformed request, and one of a host with too many failed sign-ins, is answered with a text, which a
   * minion takes for a failed attempt; nothing of it is signed.
   */
  answer(load: Dict, version: number, { host = '' }: Peer): Promise<Fields | string> | string {
    if (this.parts.policy.signIn?.begin(host) === false) return TOO_MANY
    const request = readAuthRequest(load, version)
    if (typeof request !== 'string') {
      return this.turns.run<Fields | string>(
        [host],
        () => this.judge(request, host),
        () => TOO_MANY,
      )
    }
    this.parts.log('debug', `Refused the authentication request of ${shownField(load.get('id'))}: ${request}`)
    return MALFORMED
  }

  private async judge(request: AuthRequest, host: string): Promise<Fields> {
    const { id } = request
    if (!isValidId(id)) {
      this.parts.log('info', `Authentication request from invalid id ${shownField(id)}`)
      return this.refusal(false, request)
    }
    const key = readPublicKey(request.pub)
    const decision = await this.decide(id, request, key !== undefined)
    if (decision.ret === undefined) this.parts.policy.signIn?.accepted(host)
    return decision.ret === undefined ? this.welcome(id, key!, request) : this.refusal(decision.ret, request)
  }

  private async decide(id: string, { pub, autosignGrains }: AuthRequest, isKey: boolean): Promise<AuthDecision> {
    const { policy, keys, log } = this.parts
    const decision = decideAuth({
      id,
      pub,
      key: await keys.fetch(id),
      openMode: policy.openMode === true,
      full: (await policy.isFull?.(id)) === true,
      away: policy.sendsAway?.(id) === true,
      autoReject: (await policy.autoReject?.(id)) === true,
      autoSign: (await policy.autoSign?.(id, autosignGrains)) === true,
      mayFile: () => policy.mayFile?.() !== false,
    })
    this.note(id, decision)
    if (decision.act === 'accept' && !isKey) {
      log('error', `Corrupt or missing public key "${id}"`)
      return { ...decision, act: 'reject', ret: false }
    }
    if (decision.store !== undefined) await keys.store(id, decision.store)
    if (decision.deny) await keys.deny(id, pub)
    this.tell(decision, id, pub, autosignGrains)
    return decision
  }

  /** Log a decision. A minion with a pending key asks again and again, so its lines come at growing intervals. */
  private note(id: string, { act, log: [level, text] }: AuthDecision): void {
    if (act !== 'pend') this.pending.over(id)
    this.parts.log(act !== 'pend' || this.pending.due(id) ? level : 'debug', text)
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

  private async refusal(ret: boolean | string, request: AuthRequest): Promise<Fields> {
    return request.version < 2 ? unsigned(ret) : this.sign(new Map([['ret', ret]]), request)
  }

  private async sign(
    inner: Fields,
    request: AuthRequest,
    offers: ReadonlyMap<string, unknown> = new Map(),
  ): Promise<Fields> {
    const { id, pub, nonce, signing, asksContext } = request
    try {
      const { bytes, signature } = await signReply(this.parts.identity.key, {
        kind: 'sign-in',
        fields: inner,
        // an invalid id belongs to no minion that could verify
        audience: isValidId(id) ? id : '',
        nonce,
        asksContext,
        algorithm: signing,
        // a minion whose key was exchanged on the way sees that another key is refused
        offers: [...offers, ['asked', keyDigest(pub)]],
      })
      return new Map<string, unknown>([
        ['enc', 'clear'],
        ['load', bytes],
        ['sig', signature],
      ])
    } catch (error) {
      if (!isWireError(error, 'UnsupportedAlgorithm')) throw error
      this.parts.log('info', `Minion tried to authenticate with unsupported signing algorithm: ${shownText(signing)}`)
      return unsigned('bad sig algo')
    }
  }

  /** The reply that lets a minion in. */
  private async welcome(id: string, minionKey: RsaPublicKey, request: AuthRequest): Promise<Fields> {
    const { identity, secret, sessions, publishPort, log } = this.parts
    const { encryption, token, version } = request
    const inner = new Map<string, unknown>([
      ['enc', 'pub'],
      ['pub_key', identity.key.publicKey.pem],
      ['publish_port', publishPort],
    ])
    if (identity.pubkeySignature !== undefined) inner.set('pub_sig', await identity.pubkeySignature(request.signing))
    if (token !== undefined) {
      try {
        inner.set('token', minionKey.encrypt(await identity.key.decrypt(token, encryption), encryption))
      } catch (error) {
        if (isWireError(error, 'UnsupportedAlgorithm')) {
          const named = shownText(encryption)
          log('info', `Minion ${id} tried to authenticate with unsupported encryption algorithm: ${named}`)
          return unsigned('bad enc algo')
        }
        // the minion holds the key of another master; it will see that from the reply
        log('warning', `Token failed to decrypt: ${toError(error).message}`)
      }
    }
    // all of these before anything is awaited: the key may be changed meanwhile
    const digest = secret.digest(identity.key)
    inner.set('aes', minionKey.encrypt(secret.keyString, encryption))
    inner.set('session', minionKey.encrypt(sessions.issue(id).keyString, encryption))
    const offers = new Map([['serial', secret.lastSent]])
    inner.set('sig', await digest)
    if (version < 3) log('warning', `Minion using legacy request server protocol, please upgrade ${id}`)
    return version < 2 ? inner : this.sign(inner, request, offers)
  }
}

function unsigned(ret: boolean | string): Fields {
  return new Map<string, unknown>([
    ['enc', 'clear'],
    ['load', new Map([['ret', ret]])],
  ])
}
