// A minion with several masters of which it uses one at a time: it leaves one that ends or hangs, and each return goes to the master that
// published the job, when that one is back.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../until.ts'
import { TestSite } from './site.ts'

let site: TestSite

beforeEach(async () => {
  site = await TestSite.open()
})
afterEach(() => site.close())

const FAILOVER = { master_type: 'failover', master_alive_interval: 1, retry_dns: 0 }

/** An address that leads to the first master, until it hangs: connections stay and nothing comes through. */
class HangingAddress {
  private readonly servers: Server[] = []
  private readonly sockets = new Set<Socket>()
  private hangs = false

  async open(address: string, ports: readonly number[]): Promise<void> {
    for (const port of ports) {
      const server = createServer((socket) => this.lead(socket, port))
      this.servers.push(server)
      await new Promise<void>((done) => server.listen(port, address, done))
    }
  }

  private lead(socket: Socket, port: number): void {
    this.sockets.add(socket.on('error', () => undefined))
    if (this.hangs) return
    const behind = connect(port, '127.0.0.1').on('error', () => undefined)
    this.sockets.add(behind)
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      one.on('data', (bytes) => !this.hangs && other.write(bytes)).on('close', () => !this.hangs && other.destroy())
    }
  }

  hang(): void {
    this.hangs = true
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    await Promise.all(this.servers.map((server) => new Promise((done) => server.close(done))))
  }
}

test('A return goes to the master that published the job, when it is back, and to no other', async () => {
  const first = await site.master('a', '127.0.0.1')
  const second = await site.master('b', '127.0.0.2')
  // no question comes into play: the end of a connection is noticed by itself
  const alive = { master_alive_interval: 600 }
  await site.minion('web1', { ...FAILOVER, ...alive, master: ['127.0.0.1', '127.0.0.2'] })
  await first.event(/^salt\/minion\/web1\/start$/)
  const [begun, go] = ['begun', 'go'].map((name) => join(site.root, name))
  const words = `touch ${begun}; until [ -e ${go} ]; do sleep 0.05; done; echo done`
  const jid = await first.publish('web1', 'cmd.run', [words])
  await until('the job', () => existsSync(begun!))
  await first.stop()
  await second.event(/^salt\/minion\/web1\/start$/)
  writeFileSync(go!, '')
  expect(await second.ask('web1', 'test.ping')).toBe(true)
  await first.start()
  const { data } = await first.event(new RegExp(`^salt/job/${jid}/ret/web1$`))
  expect(data.get('return')).toBe('done')
  // the minion stays with the second master, which does not know the job
  expect(await second.ask('web1', 'test.ping')).toBe(true)
  const returns = (seen: readonly { tag: string }[]): number =>
    seen.filter(({ tag }) => tag === `salt/job/${jid}/ret/web1`).length
  expect([returns(first.seen), returns(second.seen)]).toEqual([1, 0])
})

test('The master that published a job learns that the minion was killed during it', async () => {
  const first = await site.master('a', '127.0.0.1')
  const second = await site.master('b', '127.0.0.2')
  const options = { ...FAILOVER, master_alive_interval: 600, master: ['127.0.0.1', '127.0.0.2'] }
  const minion = await site.minion('web1', options)
  const [begun, go, kept] = ['begun', 'go', 'kept'].map((name) => join(site.root, name)) as [string, string, string]
  const jid = await first.publish('web1', 'cmd.run', [`touch ${begun}; until [ -e ${go} ]; do sleep 0.05; done`])
  await until('the job', () => existsSync(begun))
  const cache = join(site.root, 'web1/var/cache/salt/minion')
  cpSync(join(cache, 'proc'), kept, { recursive: true })
  await first.stop()
  writeFileSync(go, '')
  await minion.close()
  // the disk as a minion leaves it that is killed in the midst of the job
  rmSync(join(cache, 'outbox-127.0.0.1'), { recursive: true })
  cpSync(kept, join(cache, 'proc'), { recursive: true })
  second.seen.splice(0)
  await site.minion('web1', options)
  await second.event(/^salt\/minion\/web1\/start$/)
  await first.start()
  const { data } = await first.event(new RegExp(`^salt/job/${jid}/ret/web1$`))
  expect(data.get('return')).toMatch(/^The minion was stopped while it was running the job/)
  expect(second.seen.filter(({ tag }) => tag.startsWith(`salt/job/${jid}/`))).toEqual([])
})

test('A master that hangs is left for the next one', async () => {
  await site.master('a', '127.0.0.1')
  const second = await site.master('b', '127.0.0.2')
  const address = new HangingAddress()
  await address.open('127.0.0.5', [site.ports.pub, site.ports.ret])
  site.atEnd(() => address.close())
  await site.minion('web1', { ...FAILOVER, master: ['127.0.0.5', '127.0.0.2'] })
  address.hang()
  await second.event(/^salt\/minion\/web1\/start$/)
  expect(await second.ask('web1', 'test.ping')).toBe(true)
})

/** Whether a process can have a separate file of host names; else log the reason. */
function canRename(): boolean {
  try {
    execFileSync('unshare', ['-Umr', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    process.stderr.write('Skipping the test of names of masters: no mount namespace can be made\n')
    return false
  }
}

/** Start a minion that reads host names from a separate file. */
function minionWithHosts(config: string, hosts: string): ChildProcess {
  const program = join(import.meta.dirname, '../../dist/salt-minion.js')
  const words = 'mount --bind "$1" /etc/hosts && exec "$2" "$3" -c "$4" -l quiet'
  const given = [hosts, process.execPath, program, config]
  return spawn('unshare', ['-Umr', 'sh', '-c', words, 'sh', ...given], { stdio: 'ignore' })
}

test.runIf(canRename())('A minion goes where the name of its master leads after the connection was lost', async () => {
  const first = await site.master('a', '127.0.0.1')
  const second = await site.master('b', '127.0.0.2')
  const hosts = join(site.root, 'hosts')
  writeFileSync(hosts, '127.0.0.1 master.example\n')
  const config = dirname(site.minionConfig('web1', { master: 'master.example' }))
  const minion = minionWithHosts(config, hosts)
  const ended = new Promise((done) => minion.once('exit', done))
  site.atEnd(async () => {
    minion.kill('SIGKILL')
    await ended
  })
  await first.event(/^salt\/minion\/web1\/start$/)
  // the same file, so that the minion sees it
  writeFileSync(hosts, '127.0.0.2 master.example\n')
  expect(await first.ask('web1', 'test.ping')).toBe(true)
  await first.stop()
  await second.event(/^salt\/minion\/web1\/start$/)
  expect(await second.ask('web1', 'test.ping')).toBe(true)
})
