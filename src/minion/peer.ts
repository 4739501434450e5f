// A minion's life with one master, or with one at a time out of several: it signs in, carries out publications, and
// sends returns. A minion with several masters at once has one peer for each.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, type Storing, toError } from '../base/mod.ts'
import type { EventBus } from '../bus/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, dictFrom, encodeMsgpack, isDict, str, textOf, truthy, type Value } from '../data/mod.ts'
import { RemoteFileClient } from '../fileserver/mod.ts'
import type { Host } from '../host/mod.ts'
import type { Registry, RegistryContext } from '../loader/mod.ts'
import { match } from '../match/mod.ts'
import { ownMatch } from '../pybridge/mod.ts'
import { functionLabel, readTraceparent, type Tracer } from '../telemetry/mod.ts'
import type { MinionSettings } from '../wire/mod.ts'
import { isJob, isReturnJid, type Jobs } from './jobs.ts'
import type { MasterGroup } from './masters.ts'
import { outboxOf, ReturnOutbox } from './outbox.ts'
import type { ProxyDevice } from './proxy/device.ts'
import { MasterSearch } from './reaching.ts'
import { listenForRefreshes } from './refreshing.ts'
import { type MeantResources, MinionResources } from './resources.ts'
import { MinionSession } from './session.ts'
import { tellJobStart, tellStart } from './start-events.ts'

export interface PeerParts {
  /** Its own: the name of the master and the pillar differ from peer to peer. */
  opts: Dict
  grains: Dict
  log: Log
  host: Host
  bus: EventBus
  jobs: Jobs
  group: MasterGroup
  /** Masters that the minion has at the same time. */
  others: readonly string[]
  settings: MinionSettings
  storing: Storing
  /** The folder of returns that this master has not confirmed. */
  outbox: string
  /** The context of functions besides the master. */
  surroundings(peer: MasterPeer): Partial<RegistryContext>
  fatal(error: Error): void
  /** The device behind a proxy minion. */
  proxy?: ProxyDevice | undefined
  /** Sends the spans of jobs. */
  tracer?: Tracer | undefined
}

type Closing = () => unknown

export class MasterPeer {
  readonly opts: Dict
  readonly group: MasterGroup
  connected = false
  /** Called after each subscription to a master. */
  onBegin: () => void = () => undefined
  /** Called when the connection to the master is lost. */
  onLost: () => void = () => undefined
  session!: MinionSession
  private readonly parts: PeerParts
  private readonly reach: MasterSearch
  /** Returns that any master of the group may have. */
  private readonly outbox: ReturnOutbox
  /** Returns for the master of a group that published their job, by its name. */
  private readonly outboxes = new Map<string, ReturnOutbox>()
  private readonly resources: MinionResources
  private readonly closings: Closing[] = []

  constructor(parts: PeerParts) {
    this.parts = parts
    this.opts = parts.opts
    this.group = parts.group
    const { opts, log, group, settings, fatal } = parts
    this.reach = new MasterSearch({ opts, log, group, settings, fatal, onLost: () => this.onLost() })
    this.closings.push(() => this.reach.close())
    this.outbox = this.openOutbox(parts.outbox, this.ask)
    if (group.failover) {
      for (const name of group.names) {
        this.outboxes.set(
          name,
          this.openOutbox(outboxOf(name), (load) => this.sendTo(name, load)),
        )
      }
    }
    const files = (own: Dict, controller: Host, whole: Host): RemoteFileClient =>
      new RemoteFileClient(own, controller, this.reach.link, log, whole)
    this.resources = new MinionResources({ opts, log, files })
  }

  /** The name of its master. */
  get master(): string {
    return this.reach.name
  }

  /** Whether publications can come in. */
  get isListening(): boolean {
    return this.connected && this.reach.link.isListening
  }

  /** Resolves when its master has let it in. */
  async open(): Promise<void> {
    await this.reach.reach(this.group.names, () => this.begin())
    const sent = new Set([this.outbox, ...this.outboxes.values()].flatMap((outbox) => [...outbox.resume()]))
    const { jobs, others } = this.parts
    const left = jobs.takeLeft((master) => master === undefined || !others.includes(master))
    for (const { ret, master } of left) if (!sent.has(str(ret.get('jid')!))) this.send(ret, master)
  }

  /** Leaves its master for another of the group. */
  async moveOn(order: readonly string[]): Promise<void> {
    this.connected = false
    this.reach.link.close()
    await this.reach.reach(order, () => this.begin())
  }

  async close(): Promise<void> {
    for (const close of this.closings.splice(0).reverse()) await close()
  }

  ask = (load: Dict): Promise<Value> => this.reach.link.channel.send(load)

  answers(master: string, seconds?: number): Promise<boolean> {
    return this.reach.answers(master, seconds)
  }

  /** Return for how many milliseconds the master has left a heartbeat unanswered, and send one if none is on its way. */
  beat(): number {
    return this.reach.link.channel.beat()
  }

  /** Whether the name of its master leads to another address now. */
  hasMoved(): Promise<boolean> {
    return this.reach.hasMoved()
  }

  /** Send a return to one master of the group, whichever the minion has now. */
  private sendTo(name: string, load: Dict): Promise<Value> {
    return name === this.master && this.connected ? this.ask(load) : this.reach.askAside(name, load)
  }

  /** Returns that its master has not taken yet. */
  get unsent(): Dict[] {
    return [this.outbox, ...this.outboxes.values()].flatMap(({ unsent }) => unsent)
  }

  /** Sends a return, for certain, unless `pub_ret` is off; one of a published job to the master that published it. */
  send(ret: Dict, master?: string): void {
    const load: Dict = new Map<Value, Value>([['cmd', '_return'], ['id', option(this.opts, 'id')], ...ret])
    const outbox = (master === undefined ? undefined : this.outboxes.get(master)) ?? this.outbox
    if (option(this.opts, 'pub_ret')) void outbox.post(load)
    if (option(this.opts, 'cache_jobs')) this.keep(load)
  }

  /** `cache_jobs`: returns stay on this machine too. */
  private keep(load: Dict): void {
    const jid = str(load.get('jid')!)
    if (!isReturnJid(jid)) return
    const folder = join(option(this.opts, 'cachedir'), 'minion_jobs', jid)
    try {
      this.parts.storing(folder, () => {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        writeFileSync(join(folder, 'return.p'), encodeMsgpack(load, 'bus'), { mode: 0o600 })
      })
    } catch (error) {
      this.parts.log('warning', `The return of job ${jid} does not stay on this machine: ${toError(error).message}`)
    }
  }

  /** Fire an event at the master. */
  async fireMaster(tag: string, data: Value, more: Iterable<readonly [Value, Value]> = []): Promise<void> {
    const load = new Map<Value, Value>([
      ['id', option(this.opts, 'id')],
      ['cmd', '_minion_event'],
      ['pretag', null],
      ['data', data],
      ['tag', tag],
      ...more,
    ])
    await this.ask(load)
  }

  /** Fire several events at the master; each carries its own tag. */
  async fireEvents(events: Value): Promise<void> {
    const load = dictFrom({ id: option(this.opts, 'id'), cmd: '_minion_event', pretag: null })
    await this.ask(load.set('events', events) as Dict)
  }

  /** Continue after a sign-in: data, functions, publications, and the start events. */
  private async begin(): Promise<void> {
    const { opts, log, host, bus, grains, surroundings, proxy } = this.parts
    if (!this.session) {
      this.session = new MinionSession(
        { opts, log, host, proxy, link: this.reach.link, surroundings: surroundings(this) },
        grains,
      )
      this.closings.push(listenForRefreshes(bus, this.session, log, () => this.registerResources()))
    }
    await this.session.refreshPillar()
    await this.beginDevice()
    await this.listen()
    this.connected = true
    this.onBegin()
    await tellStart(this, opts, this.session.grains)
  }

  /** A proxy minion without its device is no use; the reason ends it. */
  private async beginDevice(): Promise<void> {
    try {
      await this.parts.proxy?.begin(this.session)
    } catch (error) {
      this.parts.fatal(toError(error))
      throw error
    }
  }

  /** Report this minion's resources to the master. */
  async registerResources(): Promise<void> {
    await this.resources.register(this.session.pillar, this.ask)
  }

  private listen(): Promise<void> {
    const { link } = this.reach
    return new Promise((done) => {
      link.listen(
        (load) => this.take(load),
        () => done(),
      )
    })
  }

  private openOutbox(directory: string, send: (load: Dict) => Promise<Value>): ReturnOutbox {
    const { opts, log } = this.parts
    const first = option(opts, 'return_retry_timer')
    const most = option(opts, 'return_retry_timer_max')
    const outbox = new ReturnOutbox({
      directory: join(option(opts, 'cachedir'), directory),
      send,
      delay: () => first + Math.random() * Math.max(0, most - first),
      log,
      storing: this.parts.storing,
    })
    this.closings.push(() => outbox.close())
    return outbox
  }

  /** A publication: is it for us, and new? */
  private take(load: Dict): void {
    if (!isJob(load, this.parts.log)) return
    const meant = this.isMeant(load)
    if (typeof meant === 'boolean') this.judged(load, meant)
    else meant.then((isSo) => this.judged(load, isSo))
  }

  private judged(load: Dict, isMeant: boolean): void {
    const behind = this.resources.meantBy(load, isMeant)
    const isOurs = isMeant && !behind.isPure
    if (isOurs || behind.resources.length > 0) this.takeOnce(load, isOurs, behind)
  }

  private takeOnce(load: Dict, isOurs: boolean, behind: MeantResources): void {
    const jid = str(load.get('jid')!)
    if (!this.parts.jobs.take(jid)) return
    asTyped(load)
    if (behind.resources.length > 0) {
      const targets = behind.resources.map(({ id, type }) => new Map([['id', id]]).set('type', type))
      load.set('resource_targets', targets).set('pure_resource_target', behind.isPure).set('minion_is_target', isOurs)
    }
    this.begins(load, isOurs, behind)
  }

  /** Carry out a job as the minion and as the resources that it targets. */
  begins(load: Dict, isOurs = true, behind?: MeantResources): void {
    const { tracer } = this.parts
    if (!tracer) return this.beginsNow(load, isOurs, behind)
    const fun = functionLabel(load.get('fun') ?? '')
    const attributes = { 'salt.fun': fun, 'salt.jid': str(load.get('jid') ?? '') }
    const parent = readTraceparent(load.get('traceparent'))
    tracer.span({ name: `salt.minion.recv.${fun}`, kind: 'server', attributes, parent }, () =>
      this.beginsNow(load, isOurs, behind),
    )
  }

  private beginsNow(load: Dict, isOurs: boolean, behind?: MeantResources): void {
    const { jobs, log } = this.parts
    if (truthy(load.get('start_event') ?? false)) {
      tellJobStart(this, load).catch((error: unknown) =>
        log('warning', `Failed to fire start event for job ${str(load.get('jid')!)}: ${toError(error).message}`),
      )
    }
    const functions = async (): Promise<Registry> => this.session.functions
    const { master } = this
    const send = (ret: Dict): void => this.send(ret, master)
    const others = (behind?.resources ?? []).map((each) => ({ ...this.resources.home(each, functions, send), master }))
    jobs.begin(load, ...(isOurs ? [{ functions, finished: send, master }] : []), ...others)
  }

  /** Matchers of users' own may take their time. */
  private isMeant(load: Dict): boolean | Promise<boolean> {
    const { log } = this.parts
    const failed = (error: unknown): boolean => {
      log('error', `The target ${str(load.get('tgt')!)} cannot be judged: ${toError(error).message}`)
      return false
    }
    const kind = textOf(load.get('tgt_type') ?? null) ?? 'glob'
    const { grains, pillar } = this.session
    const subject = { id: option(this.opts, 'id'), grains, pillar, opts: this.opts, log }
    const delimiter = textOf(load.get('delimiter') ?? null)
    const options = delimiter === undefined ? {} : { delimiter }
    try {
      const own = ownMatch(kind, load.get('tgt')!, subject, options)
      return own ? own.then(truthy).catch(failed) : match(kind, load.get('tgt')!, subject, options) === true
    } catch (error) {
      return failed(error)
    }
  }
}

/**
 * Restore the target for functions: for a limited user, masters publish the matching ids as the target, and the typed
 * target beside it.
 */
function asTyped(load: Dict): void {
  const typed = load.get('typed')
  load.delete('typed')
  if (typed === undefined || !isDict(typed)) return
  for (const name of ['tgt', 'tgt_type', 'delimiter']) if (typed.has(name)) load.set(name, typed.get(name)!)
}
