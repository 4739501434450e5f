// The owner of a stream of events: the session or the token of Salt that opened it, whether it is still valid, and which events its
// user may see.
import { toError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, dictFrom, isDict, numberOf, str } from '../../data/mod.ts'
import type { Peer } from '../../wire/mod.ts'
import { bearerIn, callerOf, refuseForeignPage } from '../callers.ts'
import { HttpError } from '../errors.ts'
import { messageOf } from '../salt/answers.ts'
import type { ApiService } from '../service.ts'
import type { EventHub } from './hub.ts'
import type { HubEvent } from './hub-event.ts'

/** Milliseconds for which the check of a session or of a master's token is cached. */
const SESSION_MS = 1000
const TOKEN_MS = 10_000

const TOKEN = /^[0-9a-fA-F]{1,128}$/

/**
 * The events that a stream shows: all, those of the user's own jobs, or all if the user may call the runner
 * `state.event`.
 */
export type Sight = 'all' | 'own' | 'by-right'

/** `2026-11-16T17:45:27.507`: the part of a stamp that is compared. */
const STAMP_LENGTH = 23

/** A request for events. */
export interface EventRequest {
  headers: Headers
  peer: Peer
  /** The session or token that the path names. */
  inPath?: string | undefined
}

interface Recognised {
  sessionId: string | undefined
  token: string
  found: Dict
  sight: Sight
}

export class EventListener {
  readonly user: string
  /** The system of external authentication that knows the user. */
  readonly eauth: string
  /** The token of Salt. */
  readonly token: string
  private readonly service: ApiService
  private readonly peer: Peer
  private readonly sessionId: string | undefined
  private readonly sight: Sight
  private seesAll = false
  /** The number of the last event before the stream began. */
  private past: number | undefined
  /** When the token was made, as events write it. */
  private readonly began: string
  private expires: number
  private sessionCheckedAt = 0
  private tokenCheckedAt = 0

  /** Recognise the caller of a request by its session, or by a token of Salt. */
  static async of(service: ApiService, { headers, peer, inPath }: EventRequest, sight: Sight): Promise<EventListener> {
    const sent = inPath ?? bearerIn(headers)
    const caller = callerOf(sent === undefined ? headers : new Headers({ 'x-auth-token': sent }), service.sessions)
    if (caller.byCookie) refuseForeignPage(headers)
    const session = service.settings.hasSessions ? caller.session : undefined
    const token = session?.token ?? caller.id
    if (token === undefined || !TOKEN.test(token)) throw new HttpError(401, messageOf(401))
    const found = await service.master.command(tokenCommand('get_token', token), peer)
    if (!isDict(found) || expiryOf(found) <= Date.now() / 1000) throw new HttpError(401, messageOf(401))
    const listener = new EventListener(service, peer, { sessionId: session && caller.id, token, found, sight })
    peer.recognise?.(listener.user)
    await listener.judge()
    return listener
  }

  private constructor(service: ApiService, peer: Peer, { sessionId, token, found, sight }: Recognised) {
    this.service = service
    this.peer = peer
    this.token = token
    this.sessionId = sessionId
    this.user = str(found.get('name') ?? '')
    this.eauth = str(found.get('eauth') ?? '')
    this.expires = expiryOf(found)
    this.sight = sight
    const start = numberOf(found.get('start') ?? null) ?? Date.now() / 1000
    this.began = new Date(start * 1000).toISOString().slice(0, STAMP_LENGTH)
    this.sessionCheckedAt = this.tokenCheckedAt = performance.now()
  }

  /** Whether the user may see an event. Past events from before the login are shown only by a right of the user. */
  sees({ jid, stamp, number }: HubEvent, { owners, last }: EventHub): boolean {
    this.past ??= last
    if (this.seesAll && (this.sight === 'by-right' || number > this.past)) return true
    if (this.seesAll) return stamp.slice(0, STAMP_LENGTH) >= this.began
    return jid !== undefined && owners.isOwn(jid, this)
  }

  /** Whether session and token are still valid. While the master does not answer, readers pause. */
  async isValid(): Promise<boolean> {
    const now = performance.now()
    if (Date.now() / 1000 >= this.expires) return false
    const { endedAt } = this.service.sessions
    if (now - this.sessionCheckedAt >= SESSION_MS || endedAt >= this.sessionCheckedAt) {
      if (this.sessionId !== undefined && !this.service.sessions.find(this.sessionId)) return false
      this.sessionCheckedAt = now
    }
    if (now - this.tokenCheckedAt < TOKEN_MS) return true
    const found = await this.service.master.command(tokenCommand('get_token', this.token), this.peer)
    if (!isDict(found)) return false
    this.expires = expiryOf(found)
    await this.judge()
    this.tokenCheckedAt = performance.now()
    return true
  }

  private async judge(): Promise<void> {
    if (this.sight !== 'by-right') {
      this.seesAll = this.sight === 'all'
      return
    }
    const load = tokenCommand('judge', this.token).set('family', 'runner').set('fun', 'state.event')
    const judged = await this.service.master.command(load, this.peer)
    this.seesAll = isDict(judged) && judged.has('user')
  }
}

const tokenCommand = (cmd: string, token: string): Dict => dictFrom({ cmd, token })

const expiryOf = (token: Dict): number => numberOf(token.get('expire') ?? null) ?? 0

/** Return which events Salt's resources show, by the option `netapi_events`. */
export function saltSight({ master, log }: Pick<ApiService, 'master' | 'log'>): Sight {
  const wanted = option(master.access.opts, 'netapi_events')
  if (wanted === 'all') return 'all'
  if (wanted !== 'own') log('error', `The option netapi_events must be all or own, not ${wanted}: taking own`)
  return 'by-right'
}

/** Return whether a listener may go on; undefined while the master does not answer. */
export const goingOn =
  (listener: EventListener, { log }: Pick<ApiService, 'log'>): (() => Promise<boolean | undefined>) =>
  () =>
    listener.isValid().catch((error: unknown) => {
      log('debug', `The token of a stream cannot be checked: ${toError(error).message}`)
      return undefined
    })
