// The master's side of requests: decrypts the envelope, authenticates the sender, passes the command on and encrypts
// the answer in the same way. The checks are in Salt's order, because each has its own answer.
import { after, type Later, type Log, StorageError, shownText, silentLog, toError } from '../../base/mod.ts'
import {
  briefStr,
  type Dict,
  FOREIGN_DEPTH,
  isDict,
  MsgpackError,
  str,
  type Value,
  type ValueAllowance,
} from '../../data/mod.ts'
import {
  type Crypticle,
  Crypticle as CrypticleOf,
  DEFAULT_ENCRYPTION,
  DEFAULT_SIGNING,
  generateKeyString,
  readPublicKey,
} from '../crypto/mod.ts'
import { bytesOf, dictOf, isValidId, NONCE, requestVersion, shownField, textField } from '../envelope.ts'
import { clockSeconds, OFFER, speaksContext, wholeNumber } from '../offer.ts'
import { HANDLER_FAILED, MAX_VALUES, type Peer } from '../transport/transport.ts'
import { Authenticator, type AuthPolicy } from './auth.ts'
import type { MasterIdentity } from './identity.ts'
import type { KeyStore } from './key-store.ts'
import type { PublishSecret } from './publish-secret.ts'
import { RecentRequests } from './recent-requests.ts'
import { RequestTimes } from './request-times.ts'
import { RequestsUnderway, type Underway } from './requests-underway.ts'
import type { SessionKeys } from './session-keys.ts'
import { signReply } from './sign-reply.ts'
import { TokenChecks } from './tokens.ts'

const BAD_LOAD = 'bad load'
const NOT_A_DICT = 'payload and load must be a dict'

/** An answer that only the minion itself can read, with a proof of the master: for pillar. */
export class PrivateAnswer {
  /** The field of the reply that holds it. */
  readonly field: string
  /** The minion whose key encrypts the answer. */
  readonly target: string
  readonly value: unknown

  constructor(field: string, target: string, value: unknown) {
    this.field = field
    this.target = target
    this.value = value
  }
}

/** An answer in memory that can be used again as soon as it is sealed. */
export class LentAnswer {
  readonly value: unknown
  readonly giveBack: () => void

  constructor(value: unknown, giveBack: () => void) {
    this.value = value
    this.giveBack = giveBack
  }
}

/** The data could not be stored. The minion does not treat the answer as a confirmation, so it sends again. */
export class NotTakenError extends Error {}

export interface Sender {
  /** The id that was proven; empty in clear commands and when an old minion gave none. */
  id: string
  version: number
  peer: Peer
}

export interface RequestHandlers {
  /** A command without encryption (not `_auth`): the value is sent as it is. */
  clear(load: Dict, sender: Sender): unknown
  /**
   * Handles a command of an authenticated minion; a `PrivateAnswer` is encrypted for it. An error is answered with
   * `""`.
   */
  aes(load: Dict, sender: Sender): unknown
  /**
   * Whether a command of a minion has an effect and an answer that is more than true or false: it must not be repeated.
   */
  acts?(load: Dict): boolean
}

export interface RequestChannelOptions {
  identity: MasterIdentity
  keys: KeyStore
  secret: PublishSecret
  sessions: SessionKeys
  handlers: RequestHandlers
  policy?: AuthPolicy | undefined
  /** The publish port for minions. */
  publishPort?: number | undefined
  /** `minimum_auth_version`. */
  minimumVersion?: number | undefined
  /** `request_server_ttl`: seconds that a request may be old; 0 for any. */
  timeToLive?: number | undefined
  /** `minion_request_max_values`: limit of decoded values in a minion's request, without those of a packed return. */
  maxValues?: number | undefined
  onAuth?: (event: Dict, autosignGrains: Dict | undefined) => void
  log?: Log | undefined
}

/** The returned value of a minion goes to disk and to listeners packed. */
const isReturned = (key: string, load: Dict): boolean => key === 'return' && load.get('cmd') === '_return'

/**
 * Seconds for which a request of a Brine minion is valid, by the master's clock, which such a minion follows. Longer
 * than all tries of one request together. Within it the master remembers the requests that it has carried out, so a
 * replayed request has no effect.
 */
const REQUEST_WINDOW = 600

/**
 * Return the name of a request as one flat text: thousands are remembered, and a template would keep its parts in
 * memory.
 */
const requestName = (nonce: string, id: string): string => [nonce, id].join(' ')

/** How many of the largest requests one minion may have in progress. */
const UNDERWAY_REQUESTS = 4

/** Values of a return that stays packed: less than fills the memory of its readers. */
const MAX_PACKED_VALUES = 8_000_000

/** An envelope that passed all checks. */
interface Opened {
  load: Dict
  nonce: string | undefined
  crypticle: Crypticle
  /** The minion knows contexts: it wants private answers signed with theirs, and never uses a nonce twice. */
  asksContext: boolean
  /** The second in which the minion made the request, if it sent it. */
  time: number | undefined
}

export class RequestChannel {
  readonly tokens: TokenChecks = new TokenChecks()
  private readonly recent = new RecentRequests(REQUEST_WINDOW)
  private readonly times = new RequestTimes()
  /** Requests from before this second are not remembered, so older ones are refused. */
  private readonly startedAt = clockSeconds()
  private readonly options: RequestChannelOptions
  private readonly authenticator: Authenticator
  private readonly log: Log
  private readonly minimumVersion: number
  private readonly maxValues: number
  private readonly underway: RequestsUnderway
  private readonly timeToLive: number

  constructor(options: RequestChannelOptions) {
    this.options = options
    this.log = options.log ?? silentLog
    this.minimumVersion = options.minimumVersion ?? 3
    this.timeToLive = options.timeToLive ?? 0
    this.maxValues = options.maxValues ?? MAX_VALUES
    this.underway = new RequestsUnderway(UNDERWAY_REQUESTS * this.maxValues)
    const { identity, keys, secret, sessions, policy = {}, publishPort = 4505, onAuth } = options
    this.authenticator = new Authenticator({
      identity,
      keys,
      secret,
      sessions,
      policy,
      publishPort,
      onAuth,
      log: this.log,
    })
  }

  /** Answers one request, at once where it can; goes to a transport's `listen`. */
  readonly handle = (message: Value, peer: Peer): unknown => {
    if (!isDict(message) || !message.has('enc') || !message.has('load')) return this.bad('bad load received on socket')
    const version = requestVersion(message)
    if (version < this.minimumVersion) return this.tooOld(message, version)
    return message.get('enc') === 'aes' ? this.encrypted(message, version, peer) : this.clear(message, version, peer)
  }

  private clear(message: Dict, version: number, peer: Peer): unknown {
    const load = dictOf(message.get('load'))
    if (load === undefined) return NOT_A_DICT
    const problem = idProblem(load)
    if (problem !== undefined) return problem
    if (message.get('enc') !== 'clear') return HANDLER_FAILED
    if (load.get('cmd') === '_auth') return this.authenticator.answer(load, version, peer)
    return this.options.handlers.clear(load, { id: '', version, peer })
  }

  private encrypted(message: Dict, version: number, peer: Peer): unknown {
    const underway = this.underway.begin(version > 2 ? (textField(message, 'id') ?? '') : '')
    let answer: unknown
    try {
      const opened = version > 2 ? this.openOwn(message, underway) : this.openShared(message, version, underway)
      answer = after(opened, (load) => (typeof load === 'string' ? load : this.answer(load, message, version, peer)))
    } catch (error) {
      underway.end()
      throw error
    }
    if (!underway.isCounted) return answer
    if (answer instanceof Promise) return answer.finally(() => underway.end())
    underway.end()
    return answer
  }

  private answer(opened: Opened, message: Dict, version: number, peer: Peer): unknown {
    const { load, nonce, crypticle, time } = opened
    const id = textField(load, 'id') ?? ''
    if (this.times.isNewest(id, time)) peer.prove?.(id)
    const close = (answer: unknown): unknown => {
      if (answer instanceof PrivateAnswer) return this.sealPrivate(answer, message, opened, version)
      const sealed = crypticle.sealLong(
        answer instanceof LentAnswer ? answer.value : answer,
        version > 1 ? nonce : undefined,
      )
      if (answer instanceof LentAnswer) answer.giveBack()
      return sealed
    }
    const fail = (error: unknown): unknown => {
      const cause = error instanceof NotTakenError ? error.cause : error
      if (cause instanceof StorageError && opened.asksContext) {
        this.log('debug', toError(error).message)
        return `${HANDLER_FAILED}: ${cause.plain}`
      }
      if (error instanceof NotTakenError) throw error
      this.log('error', `Error in function ${shownField(load.get('cmd'))}: ${toError(error).stack ?? ''}`)
      return close('')
    }
    let answer: unknown
    try {
      const run = (): unknown => this.options.handlers.aes(load, { id, version, peer })
      const acts = this.options.handlers.acts?.(load) === true
      answer = opened.asksContext && nonce ? this.recent.once(requestName(nonce, id), run, acts) : run()
    } catch (error) {
      return fail(error)
    }
    return answer instanceof Promise ? answer.then(close, fail) : close(answer)
  }

  /** Opens a request of today: with the minion's own key, its token, and the same id inside and outside. */
  private openOwn(message: Dict, underway: Underway): Later<Opened | string> {
    const id = message.get('id')
    const crypticle = isValidId(id) ? this.options.sessions.find(id) : undefined
    if (crypticle === undefined) return this.bad(`No session of a minion ${shownField(id)}`)
    const load = this.decrypt(crypticle, message, underway)
    if (typeof load === 'string') return load
    const nonce = textField(load, 'nonce')
    load.delete('nonce')
    const offer = load.get(OFFER)
    load.delete(OFFER)
    const asksContext = speaksContext(offer)
    if (this.isExpired(load.get('ts')) || (asksContext && this.isOutdated(offer))) {
      return this.bad(`Received request from ${shownField(id)} with expired ttl`)
    }
    if (asksContext && nonce !== undefined && !NONCE.test(nonce)) {
      return this.bad(`The nonce of a request from ${shownField(id)} is malformed`)
    }
    if (load.get('id') !== id) {
      return this.bad(`Request id mismatch. Found '${shownField(load.get('id'))}' but expected '${shownField(id)}'`)
    }
    const time = asksContext ? wholeNumber(offer.get('time')) : secondOf(load.get('ts'))
    const opened = { load, nonce, crypticle, asksContext, time }
    return after(this.hasToken(load, true), (isRight) => (isRight ? opened : BAD_LOAD))
  }

  /** Opens a request of an old minion: with the key all share; its token counts only if it sends one. */
  private openShared(message: Dict, version: number, underway: Underway): Later<Opened | string> {
    const { crypticle } = this.options.secret
    const load = this.decrypt(crypticle, message, underway)
    if (typeof load === 'string') return load
    const nonce = version > 1 ? textField(load, 'nonce') : undefined
    if (version > 1) load.delete('nonce')
    const opened = { load, nonce, crypticle, asksContext: false, time: secondOf(load.get('ts')) }
    return after(this.hasToken(load, false), (isRight) => (isRight ? opened : BAD_LOAD))
  }

  private decrypt(crypticle: Crypticle, message: Dict, allowance: ValueAllowance): Dict | string {
    const sealed = bytesOf(message.get('load'))
    if (sealed === undefined) return this.bad('The load is not encrypted')
    const { maxValues } = this
    let load: Value
    try {
      const limits = { maxValues, maxPackedValues: Math.max(maxValues, MAX_PACKED_VALUES), maxDepth: FOREIGN_DEPTH }
      load = crypticle.open(sealed, { leavesPacked: isReturned, views: true, allowance, ...limits })
    } catch (error) {
      if (error instanceof MsgpackError && error.code === 'TooLarge') {
        const who = shownField(message.get('id'))
        this.log('warning', `Refused a request of minion ${who}: ${error.message} (minion_request_max_values)`)
        return BAD_LOAD
      }
      return this.bad(`Bad load from minion: ${shownText(toError(error).message, 300)}`)
    }
    if (!isDict(load)) return NOT_A_DICT
    return idProblem(load) ?? load
  }

  /**
   * Whether the time in a request is too far from the master's, or from before the master started. The minion then
   * signs in again, which sets its clock.
   */
  private isOutdated(offer: Dict): boolean {
    const time = wholeNumber(offer.get('time'))
    return time < this.startedAt || Math.abs(clockSeconds() - time) > REQUEST_WINDOW
  }

  private isExpired(ts: Value | undefined): boolean {
    if (this.timeToLive <= 0) return false
    return typeof ts !== 'number' || Date.now() / 1000 - ts > this.timeToLive
  }

  /** Takes the token out of the load and checks it against the accepted key. */
  private hasToken(load: Dict, required: boolean): Later<boolean> {
    const token = bytesOf(load.get('tok'))
    load.delete('tok')
    const id = load.get('id')
    if (token === undefined || id === undefined || id === null) return !required
    const accepted = isValidId(id) ? this.options.keys.accepted(id) : undefined
    return after(accepted, (pem) => this.isToken(str(id), token, pem))
  }

  private isToken(id: string, token: Uint8Array, pem: string | undefined): boolean {
    if (pem === undefined) {
      this.log(
        'warning',
        `Salt minion claiming to be ${id} attempted to communicate with master, but key could not be read and verification was denied.`,
      )
      return false
    }
    if (this.tokens.isValid(id, token, pem)) return true
    this.log('error', `Minion token did not validate: ${id}`)
    return false
  }

  private async sealPrivate(
    answer: PrivateAnswer,
    message: Dict,
    { nonce, asksContext }: Opened,
    version: number,
  ): Promise<unknown> {
    const { keys, secret, identity } = this.options
    const stored = await keys.fetch(answer.target)
    const publicKey = stored && readPublicKey(stored.pub)
    if (publicKey === undefined) {
      const why = stored === undefined ? 'its pub key was likely deleted mid-request' : 'it cannot be read'
      this.log('error', `No pub key found for target ${answer.target}, ${why}.`)
      return secret.crypticle.seal(new Map())
    }
    const keyString = generateKeyString()
    const key = publicKey.encrypt(keyString, textField(message, 'enc_algo') ?? DEFAULT_ENCRYPTION)
    const value = answer.value === false ? new Map() : answer.value
    const oneTime = new CrypticleOf(keyString)
    const sealed = (contents: unknown): unknown =>
      new Map<string, unknown>([
        ['key', key],
        [answer.field, oneTime.seal(contents)],
      ])
    if (version < 2) return sealed(value)
    if (nonce === undefined || !NONCE.test(nonce)) return new Map([['error', 'Nonce not included in request']])
    const { bytes, signature } = await signReply(identity.key, {
      kind: 'private-reply',
      fields: [
        ['key', key],
        ['pillar', value],
      ],
      audience: answer.target,
      nonce,
      asksContext,
      algorithm: textField(message, 'sig_algo') ?? DEFAULT_SIGNING,
    })
    return sealed(
      new Map([
        ['data', bytes],
        ['sig', signature],
      ]),
    )
  }

  private bad(why: string): string {
    this.log('debug', why)
    return BAD_LOAD
  }

  private tooOld(message: Dict, version: number): string {
    const id = shownField(dictOf(message.get('load'))?.get('id') ?? 'unknown minion')
    this.log(
      'warning',
      `Rejected authentication attempt from minion '${id}' using protocol version ${version} (minimum required: ${this.minimumVersion})`,
    )
    return BAD_LOAD
  }
}

/** Why a load's id cannot be one, in Salt's words. */
function idProblem(load: Dict): string | undefined {
  const id = load.get('id')
  if (typeof id === 'string') return id.includes('\0') ? 'bad load: id contains a null byte' : undefined
  if (id === undefined || isDict(id) || Array.isArray(id)) return undefined
  return `bad load: id ${id instanceof Uint8Array && id.length > 255 ? 'of many bytes' : briefStr(id)} is not a string`
}

const secondOf = (ts: Value | undefined): number | undefined => wholeNumber(ts) || undefined
