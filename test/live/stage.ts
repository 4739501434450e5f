// The site of a scenario: its masters and minions, which of them run, and the events on their buses.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BusEvent } from '../../src/bus/mod.ts'
import { fnmatch } from '../../src/data/mod.ts'
import { PATIENCE_SECONDS } from '../until.ts'
import { API, Cluster, LOWER_MASTER, type Ran, SECOND_MASTER, SYNDIC } from './cluster.ts'
import { EventLog } from './event-log.ts'
import type { Programs } from './programs.ts'
import type { Scenario, Step } from './scenario.ts'

const START_SECONDS = 2 * PATIENCE_SECONDS

/** After a restart a minion may be refused, and then fires no start event. */
const RESTART_SECONDS = 15

/** Steps say in words which master they are about, where there are two. */
function masterOf(words: string): string {
  if (/\bon the lower master\b/.test(words)) return LOWER_MASTER
  return /\bon master B\b|^master B\b/.test(words) ? SECOND_MASTER : 'master'
}

/** The file that is added and removed elsewhere in the recording, so that minions notice it. */
const CHANGED_MODULE = 'srv/salt/_modules/probe.py'

/** Whether the words describe only the initial situation. */
const isAboutSetup = (action: string): boolean =>
  /^master(s A .* and B .* share one key pair| has| started)/.test(action)

/** Whether something listens on a port of loopback. */
const answers = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => done(true))
    socket.on('error', () => done(false))
    socket.on('connect', () => socket.destroy())
  })

export class Stage {
  readonly cluster: Cluster
  readonly down = new Set<string>()
  private readonly scenario: Scenario
  /** The number of events when the last action began: expected events come after it. */
  private acted = 0
  private readonly logs = new Map<string, EventLog>()

  constructor(scenario: Scenario, programs?: Programs) {
    this.scenario = scenario
    this.cluster = new Cluster(scenario, programs)
  }

  /** Events of a daemon so far; of the first master unless another is named. */
  seen(name = 'master'): readonly BusEvent[] {
    return this.logs.get(name)?.seen ?? []
  }

  async open(): Promise<void> {
    await this.cluster.prepare()
    await this.startMaster('master')
    if (this.cluster.hasSecondMaster) {
      await this.until('the key of the master', async () => this.cluster.hasKeys)
      this.cluster.shareKeys()
      await this.startMaster(SECOND_MASTER)
    }
    if (this.cluster.hasLowerMaster) await this.openLower()
    const ids = Object.keys(this.scenario.setup.minions)
    for (const id of ids) this.cluster.start(id)
    const isOpen = this.scenario.setup.master['auto_accept'] === true
    const tag = (id: string): string => (isOpen ? `salt/minion/${id}/start` : 'salt/auth')
    await this.until(`the start of ${ids.join(', ')}`, async () =>
      ids.every((id) => this.seen().some((event) => event.tag === tag(id) && (isOpen || event.data.get('id') === id))),
    )
    await this.listenToMinions()
    for (const id of ids.filter((each) => this.isDown(each))) await this.stop(id)
    if (isOpen) await this.syncModules()
    if (this.cluster.apiOptions) await this.startApi()
  }

  /** A master below and its minions; its syndic is started by a step. */
  private async openLower(): Promise<void> {
    await this.startMaster(LOWER_MASTER)
    const ids = Object.keys(this.scenario.setup.lower_minions ?? {})
    for (const id of ids) this.cluster.start(id)
    await this.until(`the start of ${ids.join(', ')}`, async () =>
      ids.every((id) => this.seen(LOWER_MASTER).some(({ tag }) => tag === `salt/minion/${id}/start`)),
    )
  }

  /** Listen to the buses of minions in the steps. */
  private async listenToMinions(): Promise<void> {
    for (const { observed } of this.scenario.steps) {
      const [, id] = /^events on the minion bus of (\w+)/.exec(String(observed)) ?? []
      if (id !== undefined) await this.listen(id, this.cluster.minionEventSocket(id))
    }
  }

  private async startMaster(name: string): Promise<void> {
    this.cluster.start(name)
    await this.listen(name, `${this.cluster.socketsOf(name)}/master_event_pub.ipc`)
  }

  private async startApi(): Promise<void> {
    this.cluster.start(API)
    await this.until('the REST API', () => answers(this.cluster.apiPort))
  }

  private async listen(name: string, socket: string): Promise<void> {
    const log = this.logs.get(name) ?? new EventLog(socket)
    this.logs.set(name, log)
    await this.until(`the bus of ${name}`, () => log.listen())
  }

  /** Users' modules were with minions before recordings began, and with the master but for the one that is about it. */
  private async syncModules(): Promise<void> {
    const paths = Object.keys(this.scenario.setup.files ?? {})
    const has = (kinds: RegExp): boolean => paths.some((path) => kinds.test(path))
    if (has(/\/_(modules|states|grains|returners|beacons)\//)) await this.cluster.run("salt '*' saltutil.sync_all")
    if (this.scenario.steps.some(({ run }) => run?.startsWith('salt-run saltutil.sync'))) return
    if (has(/\/_(modules|runners)\//)) await this.cluster.run('salt-run saltutil.sync_all')
  }

  /** A minion that was asked and never answered in the whole recording was known, but not running. */
  private isDown(id: string): boolean {
    const { events } = this.scenario
    const isAsked = events.some(({ data }) => Array.isArray(data['minions']) && data['minions'].includes(id))
    return isAsked && !events.some(({ tag, data }) => tag.endsWith(`/${id}`) || data['id'] === id)
  }

  private async until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const end = Date.now() + START_SECONDS * 1000
    while (!(await holds())) {
      if (Date.now() > end) throw new Error(`Waited ${START_SECONDS} s for ${what}\n${this.tails()}`)
      await sleep(100)
    }
  }

  private tails(): string {
    const names = ['master', LOWER_MASTER, SYNDIC, API, ...Object.keys(this.scenario.setup.minions)]
    return names.map((name) => `${name}: ${this.cluster.log(name).slice(-800)}`).join('\n')
  }

  /** Whether such an event comes, or has come since an action; words behind the tag may name the other master. */
  async hears(tag: string, words: string, seconds: number): Promise<boolean> {
    const from = words === '' ? this.acted : 0
    const heard = (): boolean =>
      this.seen(masterOf(words))
        .slice(from)
        .some((event) => fnmatch(event.tag, tag))
    const end = Date.now() + seconds * 1000
    while (!heard() && Date.now() < end) await sleep(100)
    return heard()
  }

  /** Runs the command of a step, with the jobs it names filled in. */
  run(step: Step, line: string): Promise<Ran> {
    const { on, stdin, note = '' } = step
    const options = { ...(on !== undefined && { on }), ...(stdin !== undefined && { stdin }) }
    return this.cluster.run(line, { ...options, master: masterOf(note) })
  }

  /** Carry out an action that a recording describes in words; return false for unknown words. */
  async act(action: string): Promise<boolean> {
    if (isAboutSetup(action)) return true
    if (action.startsWith('salt-syndic ')) return this.startSyndic()
    this.acted = this.seen().length
    const [, id] = /^minion (\w+) is /.exec(action) ?? []
    const [, file, change] = /^file (\S+) (is appended to|mode is changed)/.exec(action) ?? []
    if (file !== undefined && change === 'is appended to') this.cluster.append(file, 'more\n')
    else if (file !== undefined) this.cluster.setMode(file, 0o600)
    else if (id !== undefined && /stopped/.test(action)) await this.stop(id)
    else if (id !== undefined && /started/.test(action)) {
      await this.cluster.stop(id)
      await this.startMinion(id)
    } else if (action === 'a new execution module file is added') this.cluster.append(CHANGED_MODULE, '# more\n')
    else if (action === 'the module file is removed') return true
    else if (/^master (A |B )?is /.test(action)) await this.actOnMaster(masterOf(action), action)
    else return false
    return true
  }

  private async actOnMaster(name: string, action: string): Promise<void> {
    if (/stopped|killed/.test(action)) await this.cluster.stop(name)
    if (!/started/.test(action)) return
    await sleep(2000)
    await this.startMaster(name)
    await sleep(3000)
  }

  private async startSyndic(): Promise<boolean> {
    this.acted = this.seen().length
    this.cluster.start(SYNDIC)
    // commands of the recording came later
    return this.hears('salt/syndic/*/start', '', START_SECONDS)
  }

  private async stop(id: string): Promise<void> {
    this.down.add(id)
    await this.cluster.stop(id)
  }

  private async startMinion(id: string): Promise<void> {
    const starts = (): number => this.seen().filter(({ tag }) => tag === `salt/minion/${id}/start`).length
    const before = starts()
    this.down.delete(id)
    this.cluster.start(id)
    const end = Date.now() + RESTART_SECONDS * 1000
    while (starts() === before && Date.now() < end) await sleep(100)
  }

  async close(): Promise<void> {
    for (const log of this.logs.values()) log.close()
    await this.cluster.close()
  }
}
