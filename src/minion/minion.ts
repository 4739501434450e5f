// A running minion: connects to its master, carries out what is published for it, and sends back what came of it.
import { join } from 'node:path'
import { type Log, toError } from '../base/mod.ts'
import { BusServer, EventBus, minionBusPaths } from '../bus/mod.ts'
import { type Dict, numberOf, str, textOf, truthy, type Value } from '../data/mod.ts'
import { collectGrains } from '../grains/mod.ts'
import { LocalHost } from '../host/mod.ts'
import type { RegistryContext } from '../loader/mod.ts'
import { match } from '../match/mod.ts'
import { isJob, Jobs } from './jobs.ts'
import { MasterLink, masterAddress } from './master-link.ts'
import { Outbox } from './outbox.ts'
import { listenForRefreshes } from './refreshing.ts'
import { MinionSession } from './session.ts'
import { signInSettings } from './settings.ts'

type Closing = () => unknown

const REMEMBERED_JIDS = 100

export class Minion {
  readonly opts: Dict
  readonly bus: EventBus
  private readonly log: Log
  private readonly host = new LocalHost()
  private readonly closings: Closing[] = []
  private readonly seen = new Set<string>()
  private link!: MasterLink
  private session!: MinionSession
  private outbox!: Outbox
  private jobs!: Jobs

  constructor(opts: Dict, log: Log) {
    this.opts = opts
    this.log = log
    this.bus = new EventBus(log)
  }

  /** Resolves when the minion listens to its master. */
  async open(): Promise<void> {
    const { opts, log, host } = this
    const grains = await collectGrains({ opts, host, log })
    opts.set('grains', grains)
    const server = new BusServer({ bus: this.bus, paths: minionBusPaths(opts), pubMode: 0o600, log })
    await server.open()
    this.closings.push(() => server.close())
    const address = masterAddress(masterOf(opts), opts)
    this.link = await MasterLink.open({ opts, settings: await signInSettings(opts), log, address })
    this.closings.push(() => this.link.close())
    await this.link.channel.authenticate()
    this.session = new MinionSession({ opts, log, host, link: this.link, surroundings: this.surroundings() }, grains)
    this.outbox = this.openOutbox()
    this.jobs = new Jobs({
      opts,
      log,
      functions: () => this.session.functions,
      finished: (ret) => this.send(ret),
    })
    this.closings.push(() => this.jobs.settle())
    this.closings.push(listenForRefreshes(this.bus, this.session, log))
    await this.session.refreshPillar()
    await this.connected()
    this.outbox.resume()
    await this.tellStart()
  }

  async close(): Promise<void> {
    for (const close of this.closings.splice(0).reverse()) await close()
  }

  /** How functions reach this minion. */
  private surroundings(): Partial<RegistryContext> {
    const { bus } = this
    return {
      askMinion: async ({ tag, data, answer, wait }) => {
        const answered = bus.next((own) => own === answer, wait)
        bus.fire(tag, data)
        return (await answered)?.data ?? null
      },
      daemon: {
        askMaster: (load) => this.link.channel.send(load),
        fire: async (tag, data) => {
          bus.fire(tag, data)
          return true
        },
        running: () => this.jobs.list(),
        signal: (jid, signal) => this.jobs.signal(jid, signal),
      },
    }
  }

  private openOutbox(): Outbox {
    const { opts, log } = this
    const [first, most] = ['return_retry_timer', 'return_retry_timer_max'].map(
      (name) => numberOf(opts.get(name) ?? 5) ?? 5,
    )
    const outbox = new Outbox({
      directory: join(str(opts.get('cachedir')!), 'outbox'),
      send: (load) => this.link.channel.send(load),
      delay: () => first! + Math.random() * Math.max(0, most! - first!),
      log,
    })
    this.closings.push(() => outbox.close())
    return outbox
  }

  private connected(): Promise<void> {
    return new Promise((done) => {
      this.link.listen(
        (load) => this.take(load),
        () => done(),
        () => this.log('warning', `The connection to master ${this.link} was lost`),
      )
    })
  }

  /** A publication: is it for us, and new? */
  private take(load: Dict): void {
    if (!isJob(load)) return
    const jid = str(load.get('jid')!)
    if (!this.isMeant(load) || this.seen.has(jid)) return
    this.seen.add(jid)
    if (this.seen.size > REMEMBERED_JIDS) this.seen.delete(this.seen.values().next().value!)
    this.jobs.begin(load)
  }

  private isMeant(load: Dict): boolean {
    const kind = textOf(load.get('tgt_type') ?? null) ?? 'glob'
    const subject = {
      id: str(this.opts.get('id')!),
      grains: this.session.grains,
      pillar: this.session.pillar,
      opts: this.opts,
      log: this.log,
    }
    const delimiter = textOf(load.get('delimiter') ?? null)
    try {
      return match(kind, load.get('tgt')!, subject, delimiter === undefined ? {} : { delimiter }) === true
    } catch (error) {
      this.log('error', `The target ${str(load.get('tgt')!)} cannot be judged: ${toError(error).message}`)
      return false
    }
  }

  private send(ret: Dict): void {
    const load: Dict = new Map<Value, Value>([['cmd', '_return'], ['id', this.opts.get('id')!], ...ret])
    void this.outbox.post(load)
  }

  /** Tells the master of an event. */
  async fireMaster(tag: string, data: Value): Promise<void> {
    const load = new Map<Value, Value>([
      ['id', this.opts.get('id')!],
      ['cmd', '_minion_event'],
      ['pretag', null],
      ['data', data],
      ['tag', tag],
    ])
    await this.link.channel.send(load)
  }

  private async tellStart(): Promise<void> {
    const id = str(this.opts.get('id')!)
    const text = `Minion ${id} started at ${asctime(new Date())}`
    if (truthy(this.opts.get('enable_legacy_startup_events') ?? true)) await this.fireMaster('minion_start', text)
    await this.link.channel.send(
      new Map<Value, Value>([
        ['cmd', '_register_resources'],
        ['id', id],
        ['resources', new Map()],
        ['resource_grains', new Map()],
      ]),
    )
    await this.fireMaster(`salt/minion/${id}/start`, text)
  }
}

function masterOf(opts: Dict): string {
  const master = opts.get('master') ?? 'salt'
  return Array.isArray(master) ? str(master[0] as Value) : str(master)
}

/** As C's asctime writes local time. */
function asctime(date: Date): string {
  const [weekday, month, day, year] = date.toDateString().split(' ') as [string, string, string, string]
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${date.toTimeString().slice(0, 8)} ${year}`
}
