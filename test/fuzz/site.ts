// The site that is fuzzed: a master, the minion db1 beside it, the minion web1 behind an attacker's relays, and app1, which is
// hostile. Reactions, a waiting program, a batch and listeners on the bus are there all the time.
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { Cluster } from '../live/cluster.ts'
import { type BusEvent, listenToBus, type Ports, RogueMinion, Stranger } from '../security/proofs/attacker.ts'
import { field } from '../security/proofs/msgpack.ts'
import { RELAY_ADDRESS, Relay } from '../security/proofs/relay.ts'
import { until } from '../until.ts'
import { CANARY, MARKS, SECRET_FILE } from './mutate.ts'
import { RIGHTS } from './user.ts'

const REACTION = `
{% if data.get('forged_by') %}
leave_mark:
  local.cmd.run:
    - tgt: db1
    - args:
      - cmd: touch ${MARKS}/reaction
{% endif %}
`

const QUICK = { recon_default: 50, recon_max: 200, return_retry_timer: 1, return_retry_timer_max: 2, auth_timeout: 3 }

export class FuzzSite {
  readonly transport: string
  readonly cluster: Cluster
  rogue!: RogueMinion
  relays: { requests: Relay; publications: Relay } | undefined
  /** Numbers of the last jobs that the hostile minion heard of. */
  readonly jobs: string[] = []
  onEvent: (event: BusEvent) => void = () => {}
  private readonly listeners: Socket[] = []
  private readonly endings: Array<() => unknown> = []
  private readonly restings: Array<() => void> = []

  private constructor(transport: string) {
    this.transport = transport
    const reaction = ['<ROOT>/react.sls']
    const reactor = ['salt/key', 'salt/auth', 'salt/run/*', 'key', 'salt/minion/*/start'].map((tag) => ({
      [tag]: reaction,
    }))
    const quick = { ...QUICK, transport }
    this.cluster = new Cluster({
      scenario: 'fuzz',
      description: '',
      setup: {
        master: {
          transport,
          autosign_file: '<ROOT>/master/autosign',
          file_recv: true,
          timeout: 15,
          reactor,
          ...RIGHTS,
        },
        minions: { db1: { config: quick }, web1: { config: { ...quick, master: RELAY_ADDRESS } } },
        files: {
          'master/autosign': 'db1\nweb1\napp1\n',
          'react.sls': REACTION,
          'srv/salt/a': 'served\n',
          'srv/secret': `${CANARY}\n`,
          'srv/pillar/top.sls': 'base: {db1: [secret]}\n',
          'srv/pillar/secret.sls': `word: ${CANARY}\n`,
        },
      },
      steps: [],
      events: [],
    })
  }

  static async open(transport: string): Promise<FuzzSite> {
    const site = new FuzzSite(transport)
    const { cluster } = site
    writeFileSync(SECRET_FILE, `${CANARY}\n`)
    for (const mark of readdirSync(MARKS)) rmSync(join(MARKS, mark))
    await cluster.prepare()
    const [requests, publications] = [
      await Relay.open(cluster.requestPort, transport),
      await Relay.open(cluster.publishPort, transport),
    ]
    site.relays = { requests, publications }
    await site.startMaster()
    const started = new Set<string>()
    site.onEvent = ({ tag }) => started.add(tag)
    for (const id of ['db1', 'web1']) cluster.start(id)
    await until('the minions are there', () => ['db1', 'web1'].every((id) => started.has(`salt/minion/${id}/start`)))
    site.rogue = await RogueMinion.signIn('app1', site.ports, transport)
    await site.hearJobs()
    return site
  }

  get ports(): Ports {
    return { requests: this.cluster.requestPort, publications: this.cluster.publishPort }
  }

  get localSockets(): string[] {
    const master = ['master_event_pub.ipc', 'master_event_pull.ipc'].map((name) => join(this.cluster.sockets, name))
    const minion = this.cluster.minionEventSocket('db1')
    return [...master, minion, minion.replace('_pub', '_pull')]
  }

  async startMaster(): Promise<void> {
    const mask = process.umask(0)
    this.cluster.start('master')
    process.umask(mask)
    await until('the master listens', async () => existsSync(this.localSockets[0]!) && (await this.answers()))
    this.attach()
  }

  /** Puts listeners on the bus, one of which reads nothing. */
  private attach(): void {
    const [path] = this.localSockets
    for (const socket of this.listeners.splice(0)) socket.destroy()
    const deaf = connect(path!)
    deaf.on('error', () => {}).pause()
    this.listeners.push(
      listenToBus(path!, (event) => this.onEvent(event)),
      deaf,
    )
  }

  private async answers(): Promise<boolean> {
    const stranger = new Stranger(this.ports, this.transport, '127.0.0.1')
    try {
      await stranger.ping(2)
      return true
    } catch {
      return false
    } finally {
      stranger.close()
    }
  }

  /** The hostile minion receives jobs for which others wait. */
  private hearJobs(): Promise<void> {
    return this.rogue.listen((load) => {
      this.jobs.push(String(field(load, 'jid')))
      if (this.jobs.length > 20) this.jobs.shift()
    })
  }

  /** Whether the hostile minion has signed in again at a new master. */
  async rogueReturns(): Promise<boolean> {
    try {
      await this.rogue.authenticate()
      await this.hearJobs()
      return true
    } catch {
      return false
    }
  }

  /** Register work for the end of the attacks, before the site must become idle. */
  atRest(resting: () => void): void {
    this.restings.push(resting)
  }

  rest(): void {
    for (const resting of this.restings.splice(0)) resting()
  }

  atEnd(ending: () => unknown): void {
    this.endings.push(ending)
  }

  async close(): Promise<void> {
    for (const ending of this.endings.splice(0)) await ending()
    for (const socket of this.listeners) socket.destroy()
    this.rogue.close()
    await this.cluster.close()
    await this.relays?.requests.close()
    await this.relays?.publications.close()
  }
}
