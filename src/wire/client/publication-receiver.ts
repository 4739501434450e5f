// A minion's side of publications: verifies their sender, decrypts them in order, and signs in again when a publication
// shows that the credentials are out of date. From a master that offers context signatures, only these are accepted;
// from a Salt master, `sign_pub_messages` decides.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { calmLog, type Log, shownText, silentLog, toError } from '../../base/mod.ts'
import { type Dict, isDict, isList, type Value } from '../../data/mod.ts'
import { Crypticle, type RsaPublicKey } from '../crypto/mod.ts'
import { bytesOf } from '../envelope.ts'
import { isWireError, WireError } from '../errors.ts'
import type { ConnectionWatch } from '../transport/outage.ts'
import type { Pauses } from '../transport/redial.ts'
import type { Endpoint, SocketOptions, Subscriber, Transport } from '../transport/transport.ts'
import type { MasterChannel } from './master-channel.ts'
import { Publication } from './publication.ts'
import { PublicationRecord } from './publication-record.ts'

export interface PublicationOptions extends SocketOptions {
  channel: MasterChannel
  transport: Transport
  endpoint: Endpoint
  /** A verified publication. Its target is not yet checked. */
  onLoad: (load: Dict) => void | Promise<void>
  onConnect?: (() => void) | undefined
  filtering?: boolean | undefined
  syndic?: boolean | undefined
  reconnectDelay?: Pauses | undefined
  watch?: ConnectionWatch | undefined
  heartbeatInterval?: number | undefined
  heartbeatTimeout?: number | undefined
  log?: Log | undefined
}

/** Milliseconds between sign-ins that a publication causes and that turn out to have been for nothing. */
const PAUSE_AFTER_VAIN = 10_000
/** Ids of publish keys that are remembered as being no longer the master's. */
const MOST_FOREIGN = 64

/** Milliseconds that publications wait for earlier missed jobs, so that jobs run in order. */
const ORDER_WAIT = 3000
/** Seconds until the request for missed jobs times out, and until it is repeated. */
const MISSED_TIMEOUT = 10
const MISSED_PAUSE = 1
/** How often the request is tried after a connection. */
const MISSED_TRIES = 5
/**
 * Milliseconds until the request is repeated, if the master does not see the connection yet: the request may overtake
 * the subscription, and a job that is published in between would reach the minion by neither.
 */
const UNSEEN_PAUSES = [1000, 3000]

/** Size limit of publications that wait for a sign-in, which an attacker on the network can delay. */
const MOST_WAITING = 64 << 20

/** A publication that the current credentials cannot verify; a new sign-in may help. */
class Outdated extends Error {
  /** The master's signature shows that its publish key is this one. */
  readonly keyId: string | undefined

  constructor(why: string, keyId?: string) {
    super(why)
    this.keyId = keyId
  }
}

export class PublicationReceiver {
  private readonly options: PublicationOptions
  private readonly subscriber: Subscriber
  private readonly log: Log
  private readonly record: PublicationRecord
  private readonly foreign = new Set<string>()
  private key: Crypticle | undefined
  private quietUntil = 0
  private last: Promise<void> = Promise.resolve()
  /** Bytes of publications that were not judged yet. */
  private waiting = 0
  private wasConnected = false
  private closed = false
  /** The topic of the last connection, which no other has. */
  private mark = ''
  /** The question for missed jobs that is under way. */
  private catchingUp: Promise<void> | undefined
  /** Whether a connection began after that request: the answer may lack jobs that were published in between. */
  private asksAgain = false
  private nextLook: NodeJS.Timeout | undefined

  constructor(options: PublicationOptions) {
    this.options = options
    this.log = calmLog(options.log ?? silentLog)
    const { channel, transport, endpoint, onLoad, onConnect, ...rest } = options
    this.record = new PublicationRecord(channel.settings, this.log)
    // publications from before this subscription are not for this minion
    channel.publications?.startAfter(channel.credentials?.offer?.serial ?? 0)
    this.subscriber = transport.subscribe(endpoint, {
      ...rest,
      id: channel.settings.id,
      mark: channel.credentials?.offer && (() => this.newMark()),
      onConnect: () => {
        this.catchUp()
        onConnect?.()
      },
      onMessage: (packet) => this.take(packet),
      introduce: () => this.introduce(),
    })
  }

  get connected(): boolean {
    return this.subscriber.connected
  }

  close(): void {
    this.closed = true
    clearTimeout(this.nextLook)
    this.subscriber.close()
  }

  private newMark(): string {
    this.mark = `brine-${randomBytes(16).toString('hex')}`
    return this.mark
  }

  /** Introduce the minion on the tcp transport; after a disconnect, the master may be another one with another key. */
  private async introduce(): Promise<unknown> {
    const { channel } = this.options
    if (this.wasConnected || channel.credentials === undefined) await channel.authenticate()
    this.wasConnected = true
    return channel.introduction()
  }

  private take(packet: Uint8Array): void {
    if (this.waiting > 0 && this.waiting + packet.length > MOST_WAITING) {
      this.log('error', 'Dropped a publication: too many wait for the sign-in')
      return
    }
    this.waiting += packet.length
    // copy, because the bytes may be a part of the socket's read buffer
    const own = Buffer.from(packet)
    this.last = this.last.then(async () => {
      try {
        if (!this.closed) await this.options.onLoad(await this.open(new Publication(own)))
      } catch (error) {
        this.log('error', `Dropped a publication: ${shownText(toError(error).message, 300)}`)
      } finally {
        this.waiting -= own.length
      }
    })
  }

  /**
   * Ask the master for jobs that were published while this minion did not listen. Only a Brine master supports this.
   */
  private catchUp(pauses: readonly number[] = UNSEEN_PAUSES): void {
    if (this.options.channel.credentials?.offer === undefined) return
    clearTimeout(this.nextLook)
    this.asksAgain = this.catchingUp !== undefined
    if (this.asksAgain) return
    const asked = this.askForMissed().then((isDone) => {
      this.catchingUp = undefined
      if (this.closed) return
      const [pause, ...later] = pauses
      if (this.asksAgain) this.catchUp()
      else if (!isDone && pause !== undefined) this.nextLook = setTimeout(() => this.catchUp(later), pause).unref()
    })
    this.catchingUp = asked
    // publications that come meanwhile wait, but not for a master that does not answer
    this.last = this.last.then(() => Promise.race([asked, sleep(ORDER_WAIT, undefined, { ref: false })]))
  }

  /** Carry out the jobs that were missed. Resolves with false when the master does not see the connection yet. */
  private async askForMissed(): Promise<boolean> {
    const { channel } = this.options
    for (let tries = 1; !this.closed; tries++) {
      const load: Array<[string, Value]> = [
        ['cmd', '_missed_jobs'],
        ['id', channel.settings.id],
        ['mark', this.mark],
      ]
      try {
        const answer = await channel.send(load, { timeout: MISSED_TIMEOUT, tries: 1 })
        const told: Dict = isDict(answer) ? answer : new Map()
        const jobs = told.get('jobs') ?? []
        for (const packet of isList(jobs) ? jobs : []) await this.takeMissed(packet)
        return told.get('seen') === true
      } catch (error) {
        const why = shownText(toError(error).message, 300)
        if (this.closed || tries === MISSED_TRIES) {
          if (!this.closed) this.log('warning', `Cannot ask the master for missed jobs: ${why}`)
          return true
        }
        this.log('debug', `Asking the master for missed jobs failed: ${why}`)
        await sleep(MISSED_PAUSE * 1000, undefined, { ref: false })
      }
    }
    return true
  }

  /** A job that the master kept for this minion: the same signed bytes as a publication, which may have come before. */
  private async takeMissed(packet: Value): Promise<void> {
    try {
      const publication = new Publication(bytesOf(packet) ?? new Uint8Array())
      await this.options.onLoad(await this.open(publication, () => this.judgeMissed(publication)))
    } catch (error) {
      this.log('error', `Dropped a missed job: ${shownText(toError(error).message, 300)}`)
    }
  }

  /** Check a publication without its serial number: the caller knows which jobs were taken. */
  private judgeMissed(publication: Publication): Dict {
    const { channel } = this.options
    const master = channel.signIn.pin.key()
    const { offer } = channel.credentials ?? {}
    if (master === undefined || offer === undefined) {
      throw new WireError('AuthenticationError', 'the master does not sign contexts')
    }
    const key = new Crypticle(channel.publications!.keyString)
    this.checkContext(publication, master, key, offer.clock.now())
    return openWith(key, publication.sealed)
  }

  private async open(publication: Publication, judge = () => this.judge(publication)): Promise<Dict> {
    const { channel } = this.options
    if (channel.publications === undefined) await channel.authenticate()
    try {
      return judge()
    } catch (error) {
      if (!(error instanceof Outdated) || !this.maySignIn(error)) throw error
      const before = channel.publications
      try {
        await channel.authenticate()
      } finally {
        if (channel.publications === before) this.quietUntil = performance.now() + PAUSE_AFTER_VAIN
      }
      return this.judgeAgain(judge)
    }
  }

  /** A key that the master signed justifies one sign-in. Other messages must not cause many of them. */
  private maySignIn({ keyId }: Outdated): boolean {
    return keyId === undefined ? performance.now() >= this.quietUntil : !this.foreign.has(keyId)
  }

  private judgeAgain(judge: () => Dict): Dict {
    try {
      return judge()
    } catch (error) {
      if (error instanceof Outdated && error.keyId !== undefined) {
        this.foreign.add(error.keyId)
        for (const oldest of this.foreign) if (this.foreign.size > MOST_FOREIGN) this.foreign.delete(oldest)
      }
      throw error
    }
  }

  private judge(publication: Publication): Dict {
    const { channel } = this.options
    const master = channel.signIn.pin.key()
    if (master === undefined) throw new WireError('AuthenticationError', "the master's key is not known")
    const key = this.currentKey(master)
    const { offer } = channel.credentials ?? {}
    if (offer !== undefined) this.checkContext(publication, master, key, offer.clock.now())
    const isSigned = offer === undefined && this.checkSignature(publication, master)
    const before = key.serial
    const load = openWith(key, publication.sealed)
    if (offer !== undefined && load.size > 0 && key.serial === before) {
      throw new WireError('AuthenticationError', 'it has no serial number')
    }
    if (load.size === 0) throw new WireError('AuthenticationError', `its serial number is not above ${before}`)
    if (key.serial !== before || isSigned) this.record.note(master, key.id, key.serial, isSigned)
    return load
  }

  /** The publish key of the last sign-in; a new one goes on with the serial numbers that were kept. */
  private currentKey(master: RsaPublicKey): Crypticle {
    const key = this.options.channel.publications!
    if (key !== this.key) key.startAfter(this.record.lastSerial(master, key.id))
    this.key = key
    return key
  }

  private checkContext(publication: Publication, master: RsaPublicKey, key: Crypticle, now: number): void {
    const context = publication.contextBy(master)
    if (context === undefined) {
      // a Salt master with the same key may have replaced the Brine master
      if (!publication.hasContext && publication.isSignedBy(master)) {
        throw new Outdated('it is signed as Salt does, but this master signs contexts')
      }
      throw new WireError('AuthenticationError', 'it has no signature of the master with a context')
    }
    const { until, keyId } = context
    if (until > 0 && now > until) {
      const times = [until, now].map((seconds) => new Date(seconds * 1000).toISOString())
      throw new Outdated(`it was good until ${times[0]}, and by the master's clock it is ${times[1]}`)
    }
    if (keyId !== key.id) throw new Outdated('it was made with another publish key', keyId)
  }

  /** Verify Salt's signature; return whether there is a valid one. Throw if a required one is missing or invalid. */
  private checkSignature(publication: Publication, master: RsaPublicKey): boolean {
    const { requireSignedPublications: required = this.record.signs(master) } = this.options.channel.settings
    if (publication.isSignedBy(master)) return true
    if (!required) return false
    throw new WireError(
      'AuthenticationError',
      publication.hasSignature
        ? 'Message signature failed to validate.'
        : 'Message signing is enabled but the payload has no signature.',
    )
  }
}

/** Return the load; nothing when the publication is a repetition. */
function openWith(key: Crypticle, sealed: Uint8Array): Dict {
  try {
    const load = key.open(sealed)
    return isDict(load) ? load : new Map()
  } catch (error) {
    if (!isWireError(error, 'AuthenticationError')) throw error
    throw new Outdated('Payload decryption failed even after re-authenticating with master')
  }
}
