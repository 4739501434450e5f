// The attacked site: a master and minions as processes of their own, run from source, below one directory. Events are heard
// by a listener on the bus from the start to the end, because a listener makes some attacks possible.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { Cluster, type Ran } from '../../live/cluster.ts'
import type { Programs } from '../../live/programs.ts'
import type { Json } from '../../live/scenario.ts'
import { PATIENCE_SECONDS, until } from '../../until.ts'
import { type BusEvent, listenToBus, type Ports, RogueMinion, Stranger } from './attacker.ts'
import { field, pack } from './msgpack.ts'
import { RELAY_ADDRESS, Relay } from './relay.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** Programs start in directories of their own, from where the name alone would not be found. */
const TSX = import.meta.resolve('tsx')

/** The tree's own sources, so that the tests run the present code. */
const fromSource: Programs = {
  words: (program) => [process.execPath, '--import', TSX, join(ROOT, 'src/cli', `${program}.ts`)],
  env: {},
  hasGroups: false,
}

/** A master that answers at all answers within this, however busy the machine is. */
const ALIVE_SECONDS = 8

export interface SitePlan {
  master?: { [option: string]: Json }
  /** Minions reach their master through the relays. */
  minions?: { [id: string]: { [option: string]: Json } }
  files?: { [path: string]: string }
}

const RETURN = /^salt\/job\/(\d+)\/ret\/(.+)$/

export class Site {
  readonly cluster: Cluster
  readonly events: BusEvent[] = []
  readonly client: Stranger
  /** A program on the master's machine. */
  private readonly program: Stranger
  private readonly strangers: Stranger[] = []
  readonly requests: Relay
  readonly publications: Relay
  private readonly plan: SitePlan
  private bus: Socket | undefined
  private readonly rogues: RogueMinion[] = []
  private readonly waiting = new Set<() => void>()

  private constructor(plan: SitePlan, cluster: Cluster, requests: Relay, publications: Relay) {
    this.plan = plan
    this.cluster = cluster
    this.requests = requests
    this.publications = publications
    this.client = this.stranger()
    this.program = new Stranger(this.ports, undefined, '127.0.0.1')
  }

  static async open(plan: SitePlan): Promise<Site> {
    const through = { master: RELAY_ADDRESS, auth_timeout: 5 }
    const minions = Object.entries(plan.minions ?? {}).map(([id, more]) => [id, { config: { ...through, ...more } }])
    const setup = {
      master: { auto_accept: true, timeout: 60, gather_job_timeout: 60, ...plan.master },
      minions: Object.fromEntries(minions),
      files: plan.files ?? {},
    }
    const cluster = new Cluster({ scenario: 'proofs', description: '', setup, steps: [], events: [] }, fromSource)
    await cluster.prepare()
    const relays = [await Relay.open(cluster.requestPort), await Relay.open(cluster.publishPort)] as const
    const site = new Site(plan, cluster, ...relays)
    mkdirSync(site.path('marks'))
    cluster.start('master')
    for (const id of site.ids) cluster.start(id)
    await site.listening()
    await site.minionsAnswer()
    return site
  }

  get ids(): string[] {
    return Object.keys(this.plan.minions ?? {})
  }

  get ports(): Ports {
    return { requests: this.cluster.requestPort, publications: this.cluster.publishPort }
  }

  path(...parts: string[]): string {
    return join(this.cluster.root, ...parts)
  }

  /** The files that an attack left in the directory for marks. */
  get marks(): string[] {
    return readdirSync(this.path('marks'))
  }

  private async listening(): Promise<void> {
    const socket = join(this.cluster.sockets, 'master_event_pub.ipc')
    await until('the master listens', async () => existsSync(socket) && (await this.answers(2)))
    const look = (): void => {
      for (const each of [...this.waiting]) each()
    }
    this.bus = listenToBus(socket, (event) => {
      this.events.push(event)
      look()
    }).on('close', look)
    await new Promise((done, fail) => this.bus!.once('connect', done).once('error', fail))
  }

  private async answers(seconds: number): Promise<boolean> {
    const stranger = new Stranger(this.ports, undefined, '127.0.0.1')
    try {
      await stranger.ping(seconds)
      return true
    } catch {
      return false
    } finally {
      stranger.close()
    }
  }

  /** Whether the process is the one that was started, and serves. */
  async isAlive(seconds = ALIVE_SECONDS): Promise<boolean> {
    return existsSync(`/proc/${this.cluster.pidOf('master')}`) && this.answers(seconds)
  }

  /** Starts the master again where an attack ended it, so that the next attack is judged by itself. */
  async revive(): Promise<void> {
    if (await this.isAlive()) return
    await this.cluster.stop('master', 'SIGKILL')
    this.cluster.start('master')
    await this.listening()
    await this.minionsAnswer()
  }

  private async minionsAnswer(): Promise<void> {
    for (const id of this.ids)
      await until(`${id} answers`, async () => {
        try {
          return (await this.answer(id, 'test.ping', [], 3)) === true
        } catch {
          return false
        }
      })
  }

  private get key(): string {
    return readFileSync(join(this.cluster.cachedir, `.${userInfo().username}_key`), 'utf8')
  }

  /** A command of the master's owner. */
  owner(load: object): Promise<unknown> {
    return this.program.clear({ key: this.key, user: userInfo().username, ...load })
  }

  /** Publishes as the owner of the master does, and gives the number of the job. */
  async publish(tgt: string, fun: string, arg: unknown[]): Promise<string> {
    const reply = await this.owner({ cmd: 'publish', tgt, tgt_type: 'glob', fun, arg, ret: '', jid: '' })
    return String(field(reply, 'load', 'jid'))
  }

  /** Return a minion's result for a job of the master's owner. */
  async answer(id: string, fun: string, arg: unknown[] = [], seconds?: number): Promise<unknown> {
    const jid = await this.publish(id, fun, arg)
    const { data } = await this.event((tag) => tag === `salt/job/${jid}/ret/${id}`, seconds)
    return field(data, 'return')
  }

  /** Waits for an event; those since a moment count too. */
  event(isMeant: (tag: string) => boolean, seconds = PATIENCE_SECONDS, since = 0): Promise<BusEvent> {
    return new Promise((done, fail) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer)
        this.waiting.delete(look)
        settle()
      }
      const timer = setTimeout(() => end(() => fail(new Error(`no event in ${seconds} s: ${isMeant}`))), seconds * 1000)
      const look = (): void => {
        const found = this.events.slice(since).find(({ tag }) => isMeant(tag))
        if (found) end(() => done(found))
        else if (this.bus!.destroyed) end(() => fail(new Error('the master closed its event bus')))
      }
      this.waiting.add(look)
      look()
    })
  }

  /** Waits until minions are done with everything that was published before: they begin jobs in their order. */
  async settled(): Promise<void> {
    const settle = async (id: string): Promise<void> => {
      const isIdle = async (): Promise<boolean> => pack(await this.answer(id, 'saltutil.running')).equals(pack([]))
      await until(`${id} is done`, isIdle)
      await this.answer(id, 'test.ping')
    }
    await Promise.all(this.ids.map(settle))
  }

  /** Which minions returned something with this word in it. */
  returnedWith(word: string): string[] {
    const found = this.events.flatMap(({ tag, data }) => {
      const [, , id] = RETURN.exec(tag) ?? []
      return id !== undefined && pack(data).includes(word) ? [id] : []
    })
    return [...new Set(found)].sort()
  }

  /** Tags of events with this word in them. */
  toldWith(word: string): string[] {
    return this.events.filter(({ data }) => pack(data).includes(word)).map(({ tag }) => tag)
  }

  /** Return a stranger with separate connections. */
  stranger(): Stranger {
    const stranger = new Stranger(this.ports)
    this.strangers.push(stranger)
    return stranger
  }

  async rogue(id: string): Promise<RogueMinion> {
    const rogue = await RogueMinion.signIn(id, this.ports)
    this.rogues.push(rogue)
    return rogue
  }

  run(line: string): Promise<Ran> {
    return this.cluster.run(line)
  }

  async close(): Promise<void> {
    for (const rogue of this.rogues) rogue.close()
    for (const stranger of [this.program, ...this.strangers]) stranger.close()
    this.bus?.destroy()
    await this.cluster.close()
    await this.requests.close()
    await this.publications.close()
  }
}
