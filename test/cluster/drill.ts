// The drill of a cluster: three masters, three NATS servers and many simulated minions, with faults at random. Jobs and events go on all the
// while. At the end every acknowledged job, return and event must be once on every master.
//   npm run -s cluster-drill -- --minutes 3 --minions 300
//   npm run -s cluster-drill -- --minority      leave one master alone
//   npm run -s cluster-drill -- --leader 10     kill the NATS server that leads the log, ten times
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { connect } from '@nats-io/transport-node'
import { isGone, toError } from '../../src/base/mod.ts'
import { clusterSettings } from '../../src/cluster/settings.ts'
import { generateRsaKeys, RsaPrivateKey } from '../../src/wire/mod.ts'
import { until } from '../until.ts'
import { natsServer } from './nats-binary.ts'
import { RoamingMinion } from './roaming-minion.ts'
import { Trio, type TrioMaster } from './trio.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    minions: { type: 'string', default: '300' },
    leader: { type: 'string', default: '0' },
    minority: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
})

const say = (text: string): void => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`)

/** What a fault did to whom, and how it is undone. */
type Fault = (master: TrioMaster) => Promise<void>

async function revived(master: TrioMaster): Promise<void> {
  if (isGone(master.pid)) master.start()
  await until(`${master.address} is ready again`, () => master.isReady(), 60)
}

const pause = (low: number, high: number): Promise<void> => sleep(randomInt(low, high))

const FAULTS: Record<string, Fault> = {
  'kill -9 of a master and its NATS server': async (master) => {
    master.signal('SIGKILL', 'both')
    await master.ended()
    await pause(500, 8000)
    await revived(master)
  },
  'kill -9 of a master': async (master) => {
    master.signal('SIGKILL', 'master')
    await master.ended()
    await pause(200, 3000)
    await revived(master)
  },
  'kill -9 of a NATS server': async (master) => {
    master.signal('SIGKILL', 'nats')
    await pause(500, 3000)
    await revived(master)
  },
  'a NATS server hangs': async (master) => {
    const pid = master.natsPid
    process.kill(pid, 'SIGSTOP')
    await pause(2000, 12_000)
    if (!isGone(pid)) process.kill(pid, 'SIGCONT')
    await revived(master)
  },
  'a master and its NATS server hang': async (master) => {
    const nats = master.natsPid
    master.signal('SIGSTOP', 'both')
    await pause(2000, 12_000)
    master.signal('SIGCONT', 'master')
    if (!isGone(nats)) process.kill(nats, 'SIGCONT')
    await revived(master)
  },
  'a master stops and starts': async (master) => {
    await master.stop()
    await revived(master)
  },
}

class Drill {
  private readonly trio: Trio
  private readonly minions: RoamingMinion[] = []
  private readonly jobs = new Set<string>()
  private readonly events = new Set<string>()
  private refused = 0
  private isOver = false
  private slowest = 0

  constructor(program: string) {
    this.trio = new Trio(program)
  }

  async open(count: number): Promise<void> {
    await this.trio.prepare()
    await this.trio.start()
    const key = new RsaPrivateKey((await generateRsaKeys(2048)).privatePem)
    const made = Array.from(
      { length: count },
      (_, index) => new RoamingMinion(`sim-${index}`, { ...this.trio, key }, index),
    )
    this.minions.push(...made)
    for (let at = 0; at < count; at += 20) await Promise.all(made.slice(at, at + 20).map((minion) => minion.open()))
    say(`${count} minions are there`)
    // a master means only minions whose keys it knows
    const areKnown = (): boolean =>
      this.trio.masters.every((master) => made.every(({ id }) => master.hasKey('minions', id)))
    await until('the keys are on all masters', areKnown)
    say('their keys are on all masters')
  }

  /** Publish jobs and fire events all the while. */
  async work(): Promise<void> {
    for (let number = 0; !this.isOver; number++) {
      const master = this.trio.masters[number % 3]!
      const began = performance.now()
      try {
        const jid = await master.publish('sim-*', 'test.ping')
        this.jobs.add(jid)
        this.slowest = Math.max(this.slowest, performance.now() - began)
      } catch {
        this.refused++
      }
      const minion = this.minions[number % this.minions.length]!
      const tag = `drill/${number}`
      await minion.fire(tag).then(
        () => this.events.add(tag),
        () => {},
      )
      await sleep(300)
    }
  }

  async answersWithin(seconds: number): Promise<number> {
    const began = performance.now()
    const alive = this.trio.masters.find((master) => !isGone(master.pid))!
    let jid = ''
    await until(
      'a master takes a job',
      async () => {
        jid = await alive.publish('sim-*', 'test.ping').catch(() => '')
        return jid !== ''
      },
      60,
    )
    this.jobs.add(jid)
    const answered = (): boolean => alive.look((jobs) => jobs.returns(jid).size) === this.minions.length
    await until('all minions answer', answered, 90).catch((error: unknown) => {
      const silent = this.minions.filter(({ id }) => alive.look((jobs) => jobs.returnOf(jid, id)) === undefined)
      for (const minion of silent) say(`  no return to ${jid}: ${minion.tellOf(jid)}`)
      throw error
    })
    const took = (performance.now() - began) / 1000
    if (took > seconds) say(`  all minions answered after ${took.toFixed(1)} s, more than ${seconds}`)
    return took
  }

  async faults(minutes: number, only: string | undefined): Promise<void> {
    const end = Date.now() + minutes * 60_000
    const names = Object.keys(FAULTS).filter((name) => only === undefined || name.includes(only))
    const working = this.work()
    for (let round = 1; Date.now() < end; round++) {
      const name = names[randomInt(names.length)]!
      const master = this.trio.masters[randomInt(3)]!
      say(
        `${round}: ${name} (${master.address}); ${this.jobs.size} jobs, ${this.events.size} events, ${this.refused} refused`,
      )
      await FAULTS[name]!(master)
      const took = await this.answersWithin(10)
      say(`   all minions answered in ${took.toFixed(1)} s`)
    }
    this.isOver = true
    await working
  }

  /** Leave one master alone: it must refuse jobs and keys in clear words, and take them again afterwards. */
  async minority(): Promise<void> {
    const [alone, ...others] = this.trio.masters
    const pids = others.map(({ natsPid }) => natsPid)
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    say('the NATS servers of two masters hang')
    const refusal = async (what: string, call: () => Promise<unknown>): Promise<void> => {
      let text = ''
      await until(`${what} is refused`, async () => {
        text = await call().then(
          (value) => JSON.stringify(value),
          (error: unknown) => toError(error).message,
        )
        return text.includes('majority')
      })
      say(`   ${what}: ${text}`)
    }
    await refusal('a job', () => alone!.publish('sim-*', 'test.ping'))
    await refusal('a key', () => alone!.run('wheel', 'key.delete', ['sim-0']))
    say(
      `   ready: ${await alone!.isReady()}; the file server answers: ${JSON.stringify(await alone!.run('runner', 'fileserver.envs'))}`,
    )
    for (const pid of pids) if (!isGone(pid)) process.kill(pid, 'SIGCONT')
    for (const master of this.trio.masters) await revived(master)
    say(`   all minions answered in ${(await this.answersWithin(10)).toFixed(1)} s`)
  }

  /** Kill the server that leads the log, and ask all minions. */
  async leaders(times: number): Promise<void> {
    for (let round = 1; round <= times; round++) {
      const leader = await this.leader()
      say(`${round}: kill -9 of the NATS server of ${leader.address}, which leads the log`)
      leader.signal('SIGKILL', 'nats')
      const took = await this.answersWithin(10)
      say(`   all minions answered in ${took.toFixed(1)} s`)
      await revived(leader)
    }
  }

  private async leader(): Promise<TrioMaster> {
    for (;;) {
      const settings = clusterSettings(await this.trio.masters[0]!.options())
      const { user = '', pass = '' } = settings.login
      try {
        const connection = await connect({ servers: settings.servers, user, pass, timeout: 2000 })
        const reply = await connection.request('$JS.API.STREAM.INFO.brine-trio-log', '', { timeout: 2000 })
        await connection.close()
        const { cluster } = reply.json<{ cluster?: { leader?: string } }>()
        const found = this.trio.masters.find(({ address }) => address.replaceAll('.', '_') === cluster?.leader)
        if (found) return found
      } catch {
        // there is no leader yet
      }
      await sleep(200)
    }
  }

  /** Compare what every master has with what was acknowledged; return what is wrong. */
  async check(): Promise<string[]> {
    for (const master of this.trio.masters) await revived(master)
    await until('all minions are idle', () => this.minions.every(({ isIdle }) => isIdle), 60)
    const wrong: string[] = []
    const tags = [...this.jobs].flatMap((jid) => [`salt/job/${jid}/new`, `salt/job/${jid}/publish`])
    for (const master of this.trio.masters) {
      const missing = (counts: ReadonlyMap<string, number>): string[] =>
        [...tags, ...this.events].filter((tag) => counts.get(tag) !== 1)
      let counts = new Map<string, number>()
      const look = async (): Promise<boolean> => {
        counts = await master.journal((tag) => tag.startsWith('drill/') || tag.startsWith('salt/job/'))
        return missing(counts).length === 0
      }
      await until('the journal is whole', look, 20).catch(() => {})
      for (const tag of missing(counts))
        wrong.push(`${master.address}: ${tag} is ${counts.get(tag) ?? 0} times in the journal`)
      for (const [tag, count] of counts)
        if (count > 1 && tag.includes('/ret/')) wrong.push(`${master.address}: ${tag} ${count} times`)
      master.look((jobs) => {
        for (const jid of this.jobs)
          if (jobs.job(jid) === undefined) wrong.push(`${master.address}: job ${jid} is not in the store`)
        for (const minion of this.minions)
          for (const jid of minion.ran.keys())
            if (this.jobs.has(jid) && jobs.returnOf(jid, minion.id) === undefined)
              wrong.push(`${master.address}: the return of ${minion.id} to ${jid} is missing`)
      })
    }
    const pairs = this.minions.length * this.jobs.size
    const ran = this.minions.reduce(
      (sum, { ran }) => sum + [...ran.keys()].filter((jid) => this.jobs.has(jid)).length,
      0,
    )
    say(`${this.jobs.size} jobs and ${this.events.size} events were acknowledged, ${this.refused} jobs refused`)
    say(
      `${ran} of ${pairs} pairs of job and minion ran; the slowest publication took ${(this.slowest / 1000).toFixed(1)} s`,
    )
    return wrong
  }

  async close(isKept: boolean): Promise<void> {
    this.isOver = true
    for (const minion of this.minions) await minion.close()
    if (isKept) {
      for (const master of this.trio.masters) master.signal('SIGKILL', 'both')
      say(`files are left in ${this.trio.root}`)
    } else await this.trio.close()
  }
}

async function main(): Promise<number> {
  const found = natsServer()
  if ('reason' in found) {
    console.log(`skipped: ${found.reason}`)
    return 0
  }
  const drill = new Drill(found.program)
  let wrong: string[] = []
  try {
    await drill.open(Number(values.minions))
    if (values.minority) await drill.minority()
    else if (Number(values.leader) > 0) await drill.leaders(Number(values.leader))
    else await drill.faults(Number(values.minutes), values.only)
    wrong = await drill.check()
    for (const text of wrong.slice(0, 50)) say(`WRONG ${text}`)
    say(
      wrong.length === 0
        ? 'every acknowledged job, return and event is once on every master'
        : `${wrong.length} are wrong`,
    )
  } catch (error) {
    wrong = [toError(error).stack ?? '']
    console.log(wrong[0])
  } finally {
    await drill.close(wrong.length > 0)
  }
  return wrong.length === 0 ? 0 : 1
}

process.exit(await main())
