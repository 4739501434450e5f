// A small site of Brine's daemons in this process: masters and minions on loopback, below one directory that is removed
// again. Events on a master's bus are recorded for tests.

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, silentLog } from '../../src/base/mod.ts'
import { callOverSsh } from '../../src/cli/over-ssh.ts'
import { LocalClient, localKey, type PublishRequest } from '../../src/client/mod.ts'
import { masterConfig, minionConfig, syndicMasterConfig } from '../../src/config/mod.ts'
import { type Dict, type Plain, str, toPlain, type Value } from '../../src/data/mod.ts'
import { Master } from '../../src/master/mod.ts'
import { Minion, ProxyGroup } from '../../src/minion/mod.ts'
import { runMasterFunction, socketAccess } from '../../src/runner/mod.ts'
import { Syndic, syndicOptions } from '../../src/syndic/mod.ts'
import { freePort } from '../free-port.ts'
import { PATIENCE_SECONDS } from '../until.ts'

export interface SeenEvent {
  tag: string
  data: Dict
}

export interface RunnerAnswer {
  jid: string
  value: Value
  printed: string
  retcode: number
}

export class TestMaster {
  readonly seen: SeenEvent[] = []
  readonly config: string
  private readonly opts: Dict
  private master: Master | undefined

  constructor(opts: Dict, config: string) {
    this.opts = opts
    this.config = config
  }

  /** The user for whom this process publishes jobs. */
  get user(): string {
    return localKey(this.opts).user
  }

  async start(): Promise<void> {
    this.master = await Master.open(this.opts, silentLog, undefined, callOverSsh)
    this.master.parts.bus.listen(({ tag, data }) => this.seen.push({ tag, data }))
  }

  /** The master itself, while it runs. */
  get opened(): Master {
    if (!this.master) throw new Error('The master does not run')
    return this.master
  }

  async stop(): Promise<void> {
    await this.master?.close()
    this.master = undefined
  }

  /** Waits for an event. */
  async event(tag: RegExp, seconds = PATIENCE_SECONDS): Promise<SeenEvent> {
    for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(50)) {
      const found = this.seen.find((event) => tag.test(event.tag))
      if (found) return found
    }
    throw new Error(`No event ${tag} in ${seconds} s, but ${this.seen.map((event) => event.tag).join(', ')}`)
  }

  /** Has minions run a function, and gives the number of the job. */
  async publish(tgt: string, fun: string, arg: Value[] = []): Promise<string> {
    const client = await LocalClient.open(this.opts, silentLog)
    try {
      const published = await client.publish({ tgt, fun, arg })
      return published?.jid ?? ''
    } finally {
      client.close()
    }
  }

  /** Return the result of one minion. */
  async ask(id: string, fun: string, arg: Value[] = [], seconds = PATIENCE_SECONDS): Promise<Plain> {
    const jid = await this.publish(id, fun, arg)
    const { data } = await this.event(new RegExp(`^salt/job/${jid}/ret/${id}$`), seconds)
    return toPlain(data.get('return')!)
  }

  /** Every answer to a job, in the order in which they came; minions that did not answer are `null`. */
  async gather(request: PublishRequest): Promise<Array<[id: string, answer: Plain]>> {
    const client = await LocalClient.open(this.opts, silentLog)
    try {
      const published = await client.publish(request)
      const answers: Array<[string, Plain]> = []
      const patience = { timeout: PATIENCE_SECONDS, gatherJobTimeout: PATIENCE_SECONDS }
      if (published)
        for await (const { id, data } of client.collect(published, patience))
          answers.push([id, data ? toPlain(data.get('return')!) : null])
      return answers
    } finally {
      client.close()
    }
  }

  /** Calls a function of the wheel. */
  async wheel(fun: string, args: Value[]): Promise<Plain> {
    const access = await socketAccess(this.opts, silentLog)
    try {
      const call = { family: 'wheel', fun, args, kwargs: new Map(), user: 'root' } as const
      return toPlain((await runMasterFunction(access, call)).value)
    } finally {
      access.close()
    }
  }

  /** Call a runner like salt-run; return its result and its output. */
  async run(fun: string, args: Value[] = [], kwargs: Record<string, Value> = {}): Promise<RunnerAnswer> {
    const access = socketAccess(this.opts, silentLog, { overSsh: callOverSsh })
    let printed = ''
    try {
      const call = { family: 'runner', fun, args, kwargs: new Map(Object.entries(kwargs)), user: 'root' } as const
      const { value, jid, retcode } = await runMasterFunction(access, {
        ...call,
        print: (text) => void (printed += text),
      })
      return { jid, value, printed, retcode }
    } finally {
      access.close()
    }
  }

  /** Request a new publication key, and wait until it is used. */
  async rotateKey(): Promise<void> {
    this.seen.splice(0)
    writeFileSync(join(str(this.opts.get('cachedir')!), '.dfn'), '')
    await this.event(/^key$/)
  }
}

export class TestSite {
  readonly root: string = mkdtempSync(join(tmpdir(), 'brine-site-'))
  readonly ports: { pub: number; ret: number }
  private readonly closings: Array<() => Promise<unknown>> = []
  /** Where the first master has its keys. */
  private keys: string | undefined

  static async open(): Promise<TestSite> {
    return new TestSite({ pub: await freePort(), ret: await freePort() })
  }

  private constructor(ports: { pub: number; ret: number }) {
    this.ports = ports
  }

  /** Masters of one site share their keys, and differ in address. */
  async master(name = 'master', address = '127.0.0.1', more: Record<string, unknown> = {}): Promise<TestMaster> {
    const file = this.write(name, 'master', {
      interface: address,
      publish_port: this.ports.pub,
      ret_port: this.ports.ret,
      auto_accept: true,
      timeout: 5,
      file_roots: { base: [join(this.root, 'srv')] },
      ...more,
    })
    const opts = await masterConfig({ path: file })
    const keys = str(opts.get('pki_dir')!)
    if (this.keys !== undefined) {
      mkdirSync(keys, { recursive: true })
      for (const key of ['master.pem', 'master.pub']) cpSync(join(this.keys, key), join(keys, key))
    }
    this.keys = keys
    const master = new TestMaster(opts, join(this.root, name, 'etc'))
    this.closings.push(() => master.stop())
    await master.start()
    return master
  }

  /** Write the configuration of a minion and return its path; programs take the folder. */
  minionConfig(id: string, more: Record<string, unknown> = {}, kind: 'minion' | 'proxy' = 'minion'): string {
    return this.write(id, kind, {
      ...(kind === 'minion' && { id }),
      master: '127.0.0.1',
      master_port: this.ports.ret,
      publish_port: this.ports.pub,
      acceptance_wait_time: 1,
      recon_default: 50,
      recon_max: 200,
      return_retry_timer: 1,
      return_retry_timer_max: 1,
      auth_timeout: 2,
      ...more,
    })
  }

  async minion(id: string, more: Record<string, unknown> = {}): Promise<Minion> {
    const minion = new Minion(await minionConfig({ path: this.minionConfig(id, more) }), silentLog)
    this.closings.push(() => minion.close())
    await minion.open()
    return minion
  }

  /** A proxy minion with those that its pillar lists. */
  async proxy(id: string, more: Record<string, unknown> = {}, log: Log = silentLog): Promise<Minion> {
    const path = this.minionConfig(id, more, 'proxy')
    const optionsOf = (proxyId: string) => minionConfig({ path, proxyId })
    const group = new ProxyGroup({ opts: await optionsOf(id), log, optionsOf })
    this.closings.push(() => group.close())
    await group.open()
    return group.minion
  }

  /** The syndic of a master that this site has, by the name of that master; its options are those of the master. */
  async syndic(master: string, id: string): Promise<Syndic> {
    const lower = await syndicMasterConfig({ path: join(this.root, master, 'etc', 'master') })
    const minion = await minionConfig({ path: this.minionConfig(id) })
    const syndic = new Syndic(syndicOptions(lower, minion, true), silentLog)
    this.closings.push(() => syndic.close())
    await syndic.open()
    return syndic
  }

  atEnd(closing: () => Promise<unknown>): void {
    this.closings.push(closing)
  }

  async close(): Promise<void> {
    for (const close of this.closings.splice(0).reverse()) await close()
    rmSync(this.root, { recursive: true, force: true })
  }

  private write(name: string, kind: string, options: Record<string, unknown>): string {
    const home = join(this.root, name)
    mkdirSync(join(home, 'etc'), { recursive: true })
    mkdirSync(join(this.root, 'srv'), { recursive: true })
    const file = join(home, 'etc', kind)
    writeFileSync(file, JSON.stringify({ root_dir: home, ...options }))
    return file
  }
}
