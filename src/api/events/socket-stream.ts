// One web socket with events.
import type { WebSocket } from 'ws'
import { toError } from '../../base/mod.ts'
import { dictFrom } from '../../data/mod.ts'
import type { Peer } from '../../wire/mod.ts'
import { runLowstate } from '../lowstate.ts'
import { type ApiService, clientWork } from '../service.ts'
import { EventDigest } from './digest.ts'
import type { EventHub } from './hub.ts'
import type { HubEvent } from './hub-event.ts'
import { type EventListener, goingOn } from './listener.ts'
import type { EventReader, Missed } from './reader.ts'

/** `data: {…}` frames and digests of rest_cherrypy; the JSON alone and digests of rest_tornado. */
export type SocketForm = 'frames' | 'digest' | 'bare' | 'bare-digest'

export interface StreamParts {
  ws: WebSocket
  service: ApiService
  hub: EventHub
  listener: EventListener
  peer: Peer
  form: SocketForm
}

const READY = 'websocket client ready'

/** The answer of rest_cherrypy to each frame. */
const HEARD = 'server received message'

/** Bytes of answers that may wait for a client that sends and does not read. */
const MOST_WAITING = 1 << 20

export class SocketStream {
  readonly user: string
  private readonly parts: StreamParts
  private readonly leaving = new AbortController()
  private reader: EventReader | undefined
  private isAlive = true

  constructor(parts: StreamParts) {
    this.parts = parts
    this.user = parts.listener.user
    const { ws, service } = parts
    ws.on('pong', () => {
      this.isAlive = true
    })
    ws.on('message', (data) => this.hear(data.toString()))
    ws.on('error', (error) => service.log('debug', `A web socket failed: ${error.message}`))
    ws.on('close', () => {
      this.leaving.abort()
      this.reader?.close()
    })
  }

  close(code: number): void {
    this.reader?.close()
    this.parts.ws.close(code)
  }

  /** Check whether the peer is still connected and permitted. */
  ping(): void {
    const { ws, listener, service } = this.parts
    if (!this.isAlive) {
      ws.terminate()
      return
    }
    this.isAlive = false
    ws.ping()
    listener.isValid().then(
      (isValid) => isValid || this.close(1000),
      (error: unknown) => service.log('debug', `The token of a web socket was not checked: ${toError(error).message}`),
    )
  }

  private hear(text: string): void {
    const { ws, form, service } = this.parts
    if (ws.bufferedAmount > MOST_WAITING) {
      ws.terminate()
      return
    }
    if (text === READY && !this.reader) {
      this.stream().catch((error: unknown) => {
        service.log('error', `A web socket ended: ${toError(error).message}`)
        ws.close(1011)
      })
    }
    if (form === 'frames' || form === 'digest') ws.send(HEARD)
  }

  private async stream(): Promise<void> {
    const { ws, service, hub, listener, form } = this.parts
    const reader = hub.open({
      user: listener.user,
      wants: (event) => listener.sees(event, hub),
      mayGoOn: goingOn(listener, service),
      closed: (isStuck) => isStuck && ws.terminate(),
    })
    this.reader = reader
    const messages = form === 'frames' || form === 'bare' ? this.framing() : this.digesting()
    for (;;) {
      const batch = await reader.take()
      if (!batch) break
      if (batch.missed && form !== 'digest' && form !== 'bare-digest')
        await this.send(framed(missedJson(batch.missed), form))
      for (const event of batch.events) for (const message of messages(event)) await this.send(message)
    }
    ws.close(1000)
  }

  private framing(): (event: HubEvent) => string[] {
    return ({ saltJson }) => [framed(saltJson, this.parts.form)]
  }

  private digesting(): (event: HubEvent) => string[] {
    const digest = new EventDigest((ids) => this.askGrains(ids, 'list'))
    if (this.parts.form === 'bare-digest') this.askGrains('*', 'glob')
    return (event) => digest.process(event)
  }

  /** Send, and wait until the connection took it. */
  private send(message: string): Promise<void> {
    const { ws } = this.parts
    return new Promise((done) => {
      // a socket that is closed meanwhile ends by its event
      ws.send(message, () => done())
    })
  }

  /** Have minions return their grains, with the rights of the user. */
  private askGrains(tgt: string[] | string, kind: string): void {
    const { service, listener, peer } = this.parts
    const chunk = dictFrom({ client: 'local_async', tgt, tgt_type: kind, fun: 'grains.items', token: listener.token })
    runLowstate(clientWork(service, peer, this.leaving.signal, this.user), [chunk]).catch((error: unknown) =>
      service.log('debug', `Grains for a web socket of ${this.user} were not asked for: ${toError(error).message}`),
    )
  }
}

const framed = (json: string, form: SocketForm): string => (form === 'frames' ? `data: ${json}\n\n` : json)

/** Return the event about missed events, the same that the bus sends to its own listeners. */
const missedJson = ({ first, last }: Missed): string =>
  `{"data": {"missed": ${last - first + 1}, "first": ${first}, "last": ${last}}, "tag": "salt/event/missed"}`
