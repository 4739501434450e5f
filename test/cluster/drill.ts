// The drill of a cluster: three masters, three NATS servers and many simulated minions, with faults at random. Jobs, batches and events go
// on all the while. At the end every acknowledged job, return and event must be once on every master, and every batch over.
//   npm run -s cluster-drill -- --minutes 3 --minions 300
//   npm run -s cluster-drill -- --each          every kind of fault once
//   npm run -s cluster-drill -- --only clock    faults whose names have this word
//   npm run -s cluster-drill -- --minority      leave one master alone
//   npm run -s cluster-drill -- --leader 10     kill the NATS server that leads the log, ten times
//   npm run -s cluster-drill -- --answer-within 0   judge no times, as on a machine that does other work
import { randomInt } from 'node:crypto'
import { cpSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { isGone, toError } from '../../src/base/mod.ts'
import { generateRsaKeys, RsaPrivateKey } from '../../src/wire/mod.ts'
import { until } from '../until.ts'
import { clockLibrary, type Fault, faults, revived, Surroundings } from './drill-faults.ts'
import { natsServer } from './nats-binary.ts'
import { inNetOf, isInside, makeNet, NET_ADDRESSES, runInside, whyNoNet } from './private-net.ts'
import { RoamingMinion } from './roaming-minion.ts'
import { Trio, type TrioMaster } from './trio.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    minions: { type: 'string', default: '300' },
    leader: { type: 'string', default: '0' },
    minority: { type: 'boolean', default: false },
    each: { type: 'boolean', default: false },
    only: { type: 'string' },
    'answer-within': { type: 'string', default: '10' },
  },
})

/** Megabytes of the log and of each journal, which must hold all of a drill, and of the small disks, with room for the files that NATS allocates. */
const LOG_MEGABYTES = 64 * Math.max(1, Math.ceil((Number(values.minutes) * Number(values.minions)) / 2000))
const DISK_MEGABYTES = 4 * LOG_MEGABYTES
/** Jobs between two batches. */
const BATCH_EVERY = 15
/** Seconds in which every minion must answer after one failure. */
const ANSWER_SECONDS = Number(values['answer-within']) || Number.POSITIVE_INFINITY

const SLOW_SECONDS = 10
/** Seconds after which the drill gives up waiting, on a machine that it has for itself and on a busy one. */
const PATIENCE = Number.isFinite(ANSWER_SECONDS) ? 60 : 300

/** A master's log lines about records and returns that were missing there. */
const GAPS =
  /^.*(?:were not read in their turn|are missing$|are lost here|cannot be read on any|This master lacked|which the leader has|whose copy is not whole|reads it from its beginning).*$/gm

/** Whether a path can be copied: a socket cannot. */
const isFile = (path: string): boolean => lstatSync(path).isFile() || lstatSync(path).isDirectory()

const say = (text: string): void => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`)

class Drill {
  private readonly trio: Trio
  private readonly minions: RoamingMinion[] = []
  private readonly jobs = new Set<string>()
  private readonly events = new Set<string>()
  private readonly batches = new Set<string>()
  private refused = 0
  private isOver = false
  private slowest = 0
  private slowestAnswers = 0
  private slowAnswers = 0
  private readonly late: string[] = []
  private around!: Surroundings
  private readonly noNet: string | undefined

  constructor(program: string, noNet: string | undefined) {
    this.noNet = noNet
    const isPrivate = noNet === undefined
    this.trio = new Trio(program, isPrivate ? { addresses: NET_ADDRESSES, startedBy: inNetOf } : {})
  }

  async open(count: number): Promise<void> {
    this.around = new Surroundings(this.trio, this.noNet === undefined, this.noNet, DISK_MEGABYTES)
    for (const text of this.around.lacks) say(`left out: ${text}`)
    // NATS wants room for the whole log on the small disks
    await this.trio.prepare({ event_journal_max_size: LOG_MEGABYTES * 2 ** 20 })
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
      if (number % BATCH_EVERY === 0) await this.beginBatch(master)
      const minion = this.minions[number % this.minions.length]!
      const tag = `drill/${number}`
      await minion.fire(tag).then(
        () => this.events.add(tag),
        () => {},
      )
      await sleep(300)
    }
  }

  /** Begin a batch that goes on for some seconds. */
  private async beginBatch(master: TrioMaster): Promise<void> {
    const ids = this.minions.map(({ id }) => id)
    const jid = await master.beginBatch(ids, { batch: '25%', batch_wait: 1 }).catch(() => undefined)
    if (jid !== undefined) this.batches.add(jid)
  }

  /** Publish a job on one of the masters until one takes it, and wait until all minions have answered; return the seconds. */
  async answers(masters: readonly TrioMaster[] = this.trio.masters): Promise<number> {
    const began = performance.now()
    let jid = ''
    let taker: TrioMaster = masters[0]!
    await until(
      'a master takes a job',
      async () => {
        for (const master of masters) {
          jid ||= await master.publish('sim-*', 'test.ping').catch(() => '')
          if (jid === '') continue
          taker = master
          return true
        }
        return false
      },
      PATIENCE,
    )
    this.jobs.add(jid)
    const answered = (): boolean => taker.look((jobs) => jobs.returns(jid).size) === this.minions.length
    await until('all minions answer', answered, PATIENCE).catch((error: unknown) => {
      const silent = this.minions.filter(({ id }) => taker.look((jobs) => jobs.returnOf(jid, id)) === undefined)
      for (const minion of silent.slice(0, 20)) say(`  no return to ${jid}: ${minion.tellOf(jid)}`)
      throw error
    })
    return (performance.now() - began) / 1000
  }

  /** Let one thing go wrong, and measure how long it takes until all minions answer a job of a master that is well. */
  private async fault(name: string, fault: Fault, master: TrioMaster): Promise<void> {
    const began = performance.now()
    await fault.begin(master)
    const took = await this.answers(this.trio.masters.filter((each) => each !== master))
    this.slowestAnswers = Math.max(this.slowestAnswers, took)
    if (took > SLOW_SECONDS) this.slowAnswers++
    say(`   all minions answered in ${took.toFixed(1)} s`)
    if (took > ANSWER_SECONDS) this.late.push(`all minions answered only after ${took.toFixed(1)} s: ${name}`)
    const [least, most] = fault.lasts
    await sleep(Math.max(0, randomInt(least * 1000, most * 1000 + 1) - (performance.now() - began)))
    if (name.includes('cut off')) await this.refuses(master)
    await fault.end(master)
    await revived(master, PATIENCE * 1.5)
    // one fault at a time: the cluster is whole before the next one
    for (const each of this.trio.masters) await revived(each, PATIENCE * 1.5)
    await until('every NATS server has all of the streams', () => this.trio.isWhole(), PATIENCE * 1.5)
  }

  /** A master that was cut off refuses changes, in clear words. */
  private async refuses(master: TrioMaster): Promise<void> {
    const text = await master.publish('sim-*', 'test.ping').then(
      (jid) => `the job ${jid} was taken`,
      (error: unknown) => toError(error).message,
    )
    say(`   ${master.address} without the others: ${text}`)
    if (!text.includes('majority')) this.late.push(`${master.address} without a majority says: ${text}`)
  }

  async faults(minutes: number, only: string | undefined): Promise<void> {
    const end = Date.now() + minutes * 60_000
    const all = faults(this.around, this.noNet === undefined)
    const names = Object.keys(all).filter((name) => only === undefined || name.includes(only))
    const working = this.work()
    const isOver = (round: number): boolean => (values.each ? round > names.length : Date.now() >= end)
    for (let round = 1; !isOver(round); round++) {
      const name = values.each ? names[round - 1]! : names[randomInt(names.length)]!
      const master = this.trio.masters[randomInt(3)]!
      say(
        `${round}: ${name} (${master.address}); ${this.jobs.size} jobs, ${this.events.size} events, ${this.refused} refused`,
      )
      await this.fault(name, all[name]!, master)
    }
    this.isOver = true
    await working
    const slow = `${this.slowAnswers} took more than ${SLOW_SECONDS} s`
    say(`the slowest answer of all minions after a fault took ${this.slowestAnswers.toFixed(1)} s, ${slow}`)
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
        // a master that has just lost the others waits for them before it refuses at once
        return text.includes('does not reach a majority')
      })
      say(`   ${what}: ${text}`)
    }
    await refusal('a job', () => alone!.publish('sim-*', 'test.ping'))
    await refusal('a key', () => alone!.run('wheel', 'key.delete', ['sim-0']))
    say(
      `   ready: ${await alone!.isReady()}; the file server answers: ${JSON.stringify(await alone!.run('runner', 'fileserver.envs'))}`,
    )
    for (const pid of pids) if (!isGone(pid)) process.kill(pid, 'SIGCONT')
    for (const master of this.trio.masters) await revived(master, PATIENCE * 1.5)
    say(`   all minions answered in ${(await this.answers()).toFixed(1)} s`)
  }

  /** Kill the server that leads the log, and ask all minions. */
  async leaders(times: number): Promise<void> {
    for (let round = 1; round <= times; round++) {
      const leader = await this.trio.leader()
      say(`${round}: kill -9 of the NATS server of ${leader.address}, which leads the log`)
      leader.signal('SIGKILL', 'nats')
      const took = await this.answers()
      say(`   all minions answered in ${took.toFixed(1)} s`)
      await revived(leader, PATIENCE * 1.5)
    }
  }

  /** Compare the data of every master with the confirmed records; return the problems. */
  async check(): Promise<string[]> {
    for (const master of this.trio.masters) await revived(master, PATIENCE * 1.5)
    await until('all minions are idle', () => this.minions.every(({ isIdle }) => isIdle), PATIENCE)
    const ends = [...this.batches].map((jid) => `salt/batch/${jid}/complete`)
    const [any] = this.trio.masters
    const areOver = async (): Promise<boolean> => (await any!.journal((tag) => ends.includes(tag))).size === ends.length
    await until('all batches are over', areOver, PATIENCE * 1.5).catch(() => {})
    const wrong: string[] = [...this.late]
    for (const { root, address } of this.trio.masters)
      for (const [text] of readFileSync(join(root, 'master.log'), 'utf8').matchAll(
        /Closing a part of the master failed.*/g,
      ))
        wrong.push(`${address}: ${text}`)
    for (const { log, address } of this.trio.masters)
      for (const [text] of log.matchAll(GAPS)) say(`   a gap on ${address}: ${text}`)
    const tags = [...this.jobs].flatMap((jid) => [`salt/job/${jid}/new`, `salt/job/${jid}/publish`])
    for (const master of this.trio.masters) {
      const missing = (counts: ReadonlyMap<string, number>): string[] =>
        [...tags, ...ends, ...this.events].filter((tag) => counts.get(tag) !== 1)
      let counts = new Map<string, number>()
      const look = async (): Promise<boolean> => {
        counts = await master.journal((tag) => /^(?:drill|salt\/job|salt\/batch)\//.test(tag))
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
            if ((this.jobs.has(jid) || this.batches.has(jid)) && jobs.returnOf(jid, minion.id) === undefined)
              wrong.push(`${master.address}: the return of ${minion.id} to ${jid} is missing`)
      })
    }
    const pairs = this.minions.length * this.jobs.size
    const ran = this.minions.reduce(
      (sum, { ran }) => sum + [...ran.keys()].filter((jid) => this.jobs.has(jid)).length,
      0,
    )
    say(
      `${this.jobs.size} jobs, ${this.events.size} events and ${this.batches.size} batches were acknowledged, ${this.refused} jobs refused`,
    )
    const inBatches = this.minions.reduce(
      (sum, { ran }) => sum + [...this.batches].filter((jid) => ran.has(jid)).length,
      0,
    )
    say(`${inBatches} of ${this.minions.length * this.batches.size} pairs of batch and minion ran`)
    say(
      `${ran} of ${pairs} pairs of job and minion ran; the slowest publication took ${(this.slowest / 1000).toFixed(1)} s`,
    )
    return wrong
  }

  async close(isKept: boolean): Promise<void> {
    this.isOver = true
    await Promise.all(this.minions.map((minion) => minion.close()))
    if (isKept) {
      for (const master of this.trio.masters) {
        master.signal('SIGKILL', 'both')
        // small disks end with the drill
        cpSync(join(master.root, 'cache'), join(master.root, 'cache.kept'), { recursive: true, filter: isFile })
      }
      say(`files are left in ${this.trio.root}`)
    } else await this.trio.close(() => this.around.close())
  }
}

async function main(): Promise<number> {
  const found = natsServer()
  if ('reason' in found) {
    console.log(`skipped: ${found.reason}`)
    return 0
  }
  // a private network reaches no mirror: fetch first
  clockLibrary()
  const noNet = whyNoNet()
  if (noNet === undefined && !isInside()) return runInside()
  if (noNet === undefined) makeNet()
  const drill = new Drill(found.program, noNet)
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
