// A minion's side of requests: signs in when it must, encrypts with the session key, and when the master no longer
// knows that key signs in again and repeats the request once.
import { setTimeout as sleep } from 'node:timers/promises'
import { isLogged, type Log, namedLog, Repeats, shownText, silentLog } from '../../base/mod.ts'
import { str, type Value } from '../../data/mod.ts'
import { tracedSending } from '../../telemetry/mod.ts'
import { CONTEXT_VERSION, Crypticle, DEFAULT_ENCRYPTION, DEFAULT_SIGNING } from '../crypto/mod.ts'
import { bytesOf, dictOf, PROTOCOL_VERSION } from '../envelope.ts'
import { isWireError, WireError } from '../errors.ts'
import { OFFER } from '../offer.ts'
import {
  HANDLER_FAILED,
  REQUEST_TIMEOUT,
  REQUEST_TRIES,
  type RequestClient,
  type RequestOptions,
} from '../transport/transport.ts'
import type { MasterKeyPin } from './master-key.ts'
import { type Credentials, outcomeText, SignInError, type SignInOutcome } from './outcome.ts'
import { openPrivateReply } from './private-reply.ts'
import type { MinionSettings } from './settings.ts'
import { newNonce, SignIn } from './sign-in.ts'
import { signedPart } from './signed-part.ts'

const ACCEPTANCE_WAIT = 10

export interface SendOptions extends RequestOptions {
  /** Leaves text of the answer as bytes: for file contents. */
  raw?: boolean | undefined
}

export interface MasterChannelOptions {
  client: RequestClient
  settings: MinionSettings
  /** Holds the master's key, where that is not a file of `pki_dir`. */
  pin?: MasterKeyPin | undefined
  log?: Log | undefined
  /** Called with each reply to `_auth`; return false to stop waiting for acceptance, as salt-call does. */
  onOutcome?: ((outcome: SignInOutcome) => unknown) | undefined
}

interface Keys {
  credentials: Credentials
  session: Crypticle
  publications: Crypticle
}

/** A request that was answered, and the keys that were in use for it. */
interface Exchanged {
  nonce: string
  reply: Value
  keys: Keys
}

type Fields = Iterable<readonly [unknown, unknown]>

export class MasterChannel {
  readonly settings: MinionSettings
  readonly signIn: SignIn
  private readonly client: RequestClient
  private readonly options: MasterChannelOptions
  private readonly log: Log
  /** For lines about signing in. */
  private readonly signInLog: Log
  private readonly stopped = new AbortController()
  private keys: Keys | undefined
  private running: Promise<Credentials> | undefined
  /** When the log repeats an unchanged outcome. */
  private repeats = new Repeats()

  constructor(options: MasterChannelOptions) {
    this.options = options
    this.client = options.client
    this.settings = options.settings
    this.log = namedLog(options.log ?? silentLog, 'salt.channel.client')
    this.signInLog = namedLog(this.log, 'salt.crypt')
    this.signIn = new SignIn(options.settings, options.pin)
  }

  /** The result of the last sign-in; undefined before the first. */
  get credentials(): Credentials | undefined {
    return this.keys?.credentials
  }

  /** The key of publications; counts their serial numbers as long as it stays the same. */
  get publications(): Crypticle | undefined {
    return this.keys?.publications
  }

  /** Return for how many milliseconds the master has left a heartbeat unanswered; 0 where the transport has none. */
  beat(): number {
    return this.client.beat?.() ?? 0
  }

  /** Signs in, waiting for acceptance as the settings say; several callers share one attempt. */
  authenticate(): Promise<Credentials> {
    this.running ??= this.untilAccepted().finally(() => {
      this.running = undefined
    })
    return this.running
  }

  /** Send a command and return the master's answer. */
  send(load: Fields, options: SendOptions = {}): Promise<Value> {
    return tracedSending(load, (carrying) => this.sendNow(carrying, options))
  }

  private async sendNow(load: Fields, options: SendOptions): Promise<Value> {
    if (this.keys === undefined) await this.authenticate()
    const { keys } = this
    try {
      return await this.transfer(load, options)
    } catch (error) {
      if (!isWireError(error, 'AuthenticationError')) throw error
      // others may have signed in meanwhile
      if (this.keys === keys) await this.authenticate()
      return await this.transfer(load, options)
    }
  }

  /** Send a command whose answer only this minion can decrypt (`_pillar`). */
  sendPrivate(load: Fields, field = 'pillar', options: RequestOptions = {}): Promise<Value> {
    return tracedSending(load, (carrying) => this.sendPrivateNow(carrying, field, options))
  }

  private async sendPrivateNow(load: Fields, field: string, options: RequestOptions): Promise<Value> {
    if (this.keys === undefined) await this.authenticate()
    let exchanged = await this.exchange(load, options)
    if (dictOf(exchanged.reply)?.has('key') !== true) {
      await this.authenticate()
      exchanged = await this.exchange(load, options)
    }
    return this.openPrivate(exchanged, field)
  }

  /** Return the bytes that identify this minion to the publisher of the tcp transport. */
  introduction(): Map<string, unknown> {
    const { id, key } = this.settings
    const load = this.keys!.publications.seal(
      new Map<string, unknown>([
        ['id', id],
        ['tok', key.token()],
      ]),
    )
    return new Map<string, unknown>([
      ['enc', 'aes'],
      ['load', load],
      ['version', PROTOCOL_VERSION],
    ])
  }

  close(): void {
    this.stopped.abort()
    this.client.close()
  }

  private async untilAccepted(): Promise<Credentials> {
    const {
      acceptanceWaitTime = ACCEPTANCE_WAIT,
      acceptanceWaitTimeMax = 0,
      authRetries = 0,
      rejectedRetry = false,
    } = this.settings
    const ceiling = acceptanceWaitTimeMax || acceptanceWaitTime
    let wait = acceptanceWaitTime
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.signIn.ask(this.client)
      this.note(outcome, outcomeText(outcome, wait, rejectedRetry))
      const goOn = this.options.onOutcome?.(outcome) !== false
      if (outcome.status === 'accepted') return this.adopt(outcome.credentials)
      if (!goOn || !this.isWorthAnother(outcome) || (authRetries > 0 && attempt >= authRetries)) {
        throw new SignInError(outcome)
      }
      await this.pause(wait)
      if (wait < ceiling) wait += wait
    }
  }

  /** Log an outcome; a repeated one, such as of a pending key, at growing intervals. */
  private note({ status }: SignInOutcome, text: string): void {
    if (status === 'accepted') this.repeats = new Repeats()
    this.signInLog(status !== 'accepted' && this.repeats.due(status) ? 'error' : 'debug', text)
  }

  private isWorthAnother({ status }: SignInOutcome): boolean {
    if (status === 'rejected') return this.settings.rejectedRetry === true
    if (status === 'timeout') return this.settings.authSafemode === true
    return status === 'pending'
  }

  private async pause(seconds: number): Promise<void> {
    try {
      await sleep(seconds * 1000, undefined, { signal: this.stopped.signal })
    } catch (error) {
      throw new WireError('Closed', 'The connection to the master was closed', { cause: error })
    }
  }

  private adopt(credentials: Credentials): Credentials {
    const old = this.keys
    // a key that stays keeps its serial numbers
    const publications = old?.credentials.aes === credentials.aes ? old.publications : new Crypticle(credentials.aes)
    const session = old?.credentials.session === credentials.session ? old.session : new Crypticle(credentials.session)
    this.keys = { credentials, publications, session }
    return credentials
  }

  private async transfer(load: Iterable<readonly [unknown, unknown]>, options: SendOptions): Promise<Value> {
    const { nonce, reply, keys } = await this.exchange(load, options)
    const sealed = bytesOf(reply)
    if (sealed === undefined) throw new WireError('AuthenticationError', `The master answered ${str(reply)}`)
    return keys.session.open(sealed, { nonce, dialect: options.raw ? 'raw' : 'wire' })
  }

  private async exchange(load: Iterable<readonly [unknown, unknown]>, options: RequestOptions): Promise<Exchanged> {
    const { requestTimeout = REQUEST_TIMEOUT, requestTries = REQUEST_TRIES } = this.settings
    const nonce = newNonce()
    const keys = this.keys!
    const message = await this.envelope(load, nonce, keys)
    const tell = isLogged(this.log, 'trace') ? this.trace(load) : undefined
    const reply = await this.client.request(message, {
      timeout: options.timeout ?? requestTimeout,
      tries: options.tries ?? requestTries,
    })
    tell?.(reply)
    checkFailure(reply)
    return { nonce, reply, keys }
  }

  /** Log a request, and return a function that logs the answer. Values are not shown: they may be secrets. */
  private trace(load: Iterable<readonly [unknown, unknown]>): (reply: Value) => void {
    const fields = new Map(load)
    const asked = ['cmd', 'path', 'saltenv', 'loc', 'jid', 'fun', 'tag'].flatMap((name) =>
      fields.has(name) ? [`${name}=${shownText(str(fields.get(name) as Value))}`] : [],
    )
    const began = performance.now()
    this.log('trace', `Request to the master: ${asked.join(' ')}`)
    return (reply) => {
      const size = bytesOf(reply)?.length
      const what = size === undefined ? '' : `, ${size} bytes`
      this.log('trace', `Answer to ${asked[0] ?? ''} after ${Math.round(performance.now() - began)} ms${what}`)
    }
  }

  private async envelope(
    load: Iterable<readonly [unknown, unknown]>,
    nonce: string,
    { session, credentials: { offer } }: Keys,
  ): Promise<Map<string, unknown>> {
    const {
      id,
      key,
      signMessages = false,
      signingAlgorithm = DEFAULT_SIGNING,
      encryptionAlgorithm = DEFAULT_ENCRYPTION,
    } = this.settings
    const full = new Map<unknown, unknown>(load)
    full.set('nonce', nonce)
    full.set('ts', Math.floor(Date.now() / 1000))
    full.set('tok', key.token())
    full.set('id', id)
    if (signMessages) full.set('sig', await key.sign(signedPart(full), signingAlgorithm))
    // only a master that offered it reads this, and it limits how long the request can be sent again
    if (offer) full.set(OFFER, new Map([['signatures', CONTEXT_VERSION]]).set('time', offer.clock.now()))
    return new Map<string, unknown>([
      ['enc', 'aes'],
      ['load', session.seal(full)],
      ['version', PROTOCOL_VERSION],
      ['id', id],
      ['enc_algo', encryptionAlgorithm],
      ['sig_algo', signingAlgorithm],
    ])
  }

  private openPrivate({ reply, nonce, keys }: Exchanged, field: string): Promise<Value> {
    const { id, key, encryptionAlgorithm = DEFAULT_ENCRYPTION, signingAlgorithm = DEFAULT_SIGNING } = this.settings
    const masterKey = this.signIn.pin.key()
    return openPrivateReply(reply, field, nonce, {
      key,
      masterKey,
      encryption: encryptionAlgorithm,
      signing: signingAlgorithm,
      audience: keys.credentials.offer && id,
    })
  }
}

/** Throw the master's error; a Salt master names no cause, and is asked again after a sign-in. */
function checkFailure(reply: Value): void {
  const before = `${HANDLER_FAILED}: `
  if (typeof reply !== 'string' || !reply.startsWith(before)) return
  const cause = shownText(reply.slice(before.length), 300)
  throw new WireError('SaltClientError', `The master could not carry out the request: ${cause}`)
}
