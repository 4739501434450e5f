// How fast a minion with two masters (`master_type: failover`, `master_alive_interval: 5`) answers on the other one, after its master
// was killed and after it was stopped so that it hangs. Daemons are processes of their own, out of `dist`.
//   npm run -s build && npm run -s bench -- failover [--repeat 5] [--alive 5]
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../test/free-port.ts'
import type { Bench } from './run.ts'

const MASTERS = ['127.0.0.1', '127.0.0.2']

class Pair {
  private readonly root = mkdtempSync(join(tmpdir(), 'brine-failover-'))
  private readonly daemons = new Map<string, ChildProcess>()
  private readonly dist: string
  private readonly alive: number

  constructor(dist: string, alive: number) {
    this.dist = dist
    this.alive = alive
  }

  async open(): Promise<void> {
    const [pub, ret] = [await freePort(), await freePort()]
    for (const address of MASTERS) {
      this.configure(address, 'master', { interface: address, publish_port: pub, ret_port: ret, auto_accept: true })
      if (address !== MASTERS[0]) this.shareKeys(address)
      this.start(address, 'salt-master')
      await this.until(() => existsSync(join(this.root, address, 'etc/salt/pki/master/master.pub')))
    }
    const times = { master_alive_interval: this.alive, retry_dns: 0 }
    const masters = { master: MASTERS, master_type: 'failover', master_port: ret, publish_port: pub }
    this.configure('web1', 'minion', { id: 'web1', ...masters, ...times })
    this.start('web1', 'salt-minion')
    await this.until(() => this.answersOn(MASTERS[0]!))
  }

  private shareKeys(address: string): void {
    const folder = (name: string): string => join(this.root, name, 'etc/salt/pki/master')
    mkdirSync(folder(address), { recursive: true })
    for (const key of ['master.pem', 'master.pub']) {
      copyFileSync(join(folder(MASTERS[0]!), key), join(folder(address), key))
    }
  }

  private configure(name: string, kind: string, options: object): void {
    mkdirSync(join(this.root, name, 'conf'), { recursive: true })
    const all = { root_dir: join(this.root, name), ...options }
    writeFileSync(join(this.root, name, 'conf', kind), JSON.stringify(all))
  }

  private start(name: string, program: string): void {
    const words = [join(this.dist, `${program}.js`), '-c', join(this.root, name, 'conf'), '-l', 'quiet']
    this.daemons.set(name, spawn(process.execPath, words, { stdio: 'ignore' }))
  }

  signal(address: string, signal: NodeJS.Signals): void {
    this.daemons.get(address)?.kill(signal)
  }

  /** Whether the minion answers a job of a master; the job waits two seconds for it. */
  answersOn(address: string): Promise<boolean> {
    const words = [join(this.dist, 'salt.js'), '-c', join(this.root, address, 'conf'), '-l', 'quiet', '-t', '2']
    return new Promise((done) => {
      execFile(process.execPath, [...words, '--out=txt', 'web1', 'test.ping'], (_, out) => done(/True/.test(out)))
    })
  }

  async until(holds: () => boolean | Promise<boolean>): Promise<void> {
    for (const end = Date.now() + 120_000; !(await holds()); await sleep(20)) {
      if (Date.now() > end) throw new Error('The pair of masters did not come up')
    }
  }

  async close(): Promise<void> {
    for (const daemon of this.daemons.values()) {
      if (daemon.exitCode !== null || daemon.signalCode !== null) continue
      const ended = new Promise((done) => daemon.once('exit', done))
      daemon.kill('SIGKILL')
      await ended
    }
    rmSync(this.root, { recursive: true, force: true })
  }
}

/** Seconds from the signal to the answer on the other master; `salt` itself takes a part of it. */
async function measured(dist: string, alive: number, signal: NodeJS.Signals): Promise<number> {
  const pair = new Pair(dist, alive)
  try {
    await pair.open()
    const began = performance.now()
    pair.signal(MASTERS[0]!, signal)
    await pair.until(() => pair.answersOn(MASTERS[1]!))
    return (performance.now() - began) / 1000
  } finally {
    await pair.close()
  }
}

const bench: Bench = async ({ root, args }) => {
  const options = { repeat: { type: 'string', default: '3' }, alive: { type: 'string', default: '5' } } as const
  const { values } = parseArgs({ args, options })
  const goals = { SIGKILL: 2, SIGSTOP: Math.max(2, 0.4 * Number(values.alive)) } as const
  let isGood = true
  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    const seconds: number[] = []
    for (let run = 0; run < Number(values.repeat); run++) {
      seconds.push(await measured(join(root, 'dist'), Number(values.alive), signal))
    }
    seconds.sort((one, other) => one - other)
    const median = seconds[Math.floor(seconds.length / 2)]!
    isGood &&= median <= goals[signal]
    const all = seconds.map((each) => each.toFixed(2)).join(', ')
    process.stdout.write(
      `${signal}: answer on the other master after ${median.toFixed(2)} s (${all}), goal ${goals[signal]} s\n`,
    )
  }
  return isGood
}

export default bench satisfies Bench
