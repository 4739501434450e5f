// Watches a site during attacks: the processes, the delay of an honest client, events on the bus, new files, results of
// honest programs. Problems are recorded with the attacks of that time.
import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { toError } from '../../src/base/mod.ts'
import type { BusEvent } from '../security/proofs/attacker.ts'
import { field, pack } from '../security/proofs/msgpack.ts'
import { until } from '../until.ts'
import type { Attack } from './attack.ts'
import { CANARY, EVIL_WORD, MARKS } from './mutate.ts'
import type { Ping, PingTask } from './pinger.ts'
import type { FuzzSite } from './site.ts'

/** How long the master may delay an honest client, in milliseconds of the master's own work. */
const STALL_MS = 250
const MOST_OF_A_KIND = 3
const REMEMBERED = 5000
const MOST_SUSPECTS = 9

interface Noted {
  what: string
  from: number
  to: number
  /** Whether the master ended the connection. */
  isCut: boolean
}

/** Tags that only the master may use. */
const OWN_TAGS =
  /^(key$|salt\/(key|auth|run|wheel|presence|batch|reactors)(\/|$)|salt\/(minion|beacon)\/(?!app1\/)|salt\/job\/[^/]*\/(ret\/(?!app1$)|new$|publish$))/

const HARMLESS = /^(test\.\w+|saltutil\.find_job)$/

export class Watch {
  readonly problems = new Map<string, number>()
  sent = 0
  /** The longest stall that was the master's, and the longest ping, in milliseconds. */
  worstMs = 0
  longestMs = 0
  /** Times in which the master is known to be away. */
  private away = 0
  private readonly site: FuzzSite
  private readonly recent: Noted[] = []
  private readonly pinger: ChildProcess
  private isOver = false
  private lastPing = Date.now()
  private readonly rounds: Promise<unknown>[]

  constructor(site: FuzzSite) {
    this.site = site
    site.onEvent = (event) => this.judge(event)
    this.pinger = fork(join(import.meta.dirname, 'pinger.ts'), { execArgv: ['--import', 'tsx'], stdio: 'inherit' })
    this.pinger.on('message', (ping: Ping) => this.took(ping))
    this.aim()
    const rounds = [this.guard(), this.program('salt db1 test.sleep 2'), this.program('salt -L db1 -b 1 test.sleep 2')]
    this.rounds = rounds.map((round) => round.catch((error: unknown) => this.note(toError(error).message)))
  }

  /** Set the process that the pinger measures. */
  private aim(): void {
    const { transport, ports, cluster } = this.site
    this.lastPing = Date.now()
    this.pinger.send({ transport, requests: ports.requests, pid: cluster.pidOf('master') } satisfies PingTask)
  }

  note(kind: string, detail = ''): void {
    const times = (this.problems.get(kind) ?? 0) + 1
    this.problems.set(kind, times)
    if (times <= MOST_OF_A_KIND) process.stdout.write(`\r     ${kind}${detail === '' ? '' : `\n${detail}`}\n`)
  }

  /** Runs an attack, and keeps in mind when. */
  async attack({ what, run }: Attack): Promise<void> {
    // attacks during the start of a master would only end that one too
    while (this.away > Date.now()) await sleep(50)
    const noted: Noted = { what, from: Date.now(), to: Number.POSITIVE_INFINITY, isCut: false }
    this.recent.push(noted)
    if (this.recent.length > REMEMBERED) this.recent.shift()
    const answer = await run()
    noted.to = Date.now()
    if (typeof answer === 'string' && answer.includes('ECONNREFUSED')) {
      this.recent.splice(this.recent.indexOf(noted), 1)
      await sleep(100)
      return
    }
    noted.isCut = typeof answer === 'string' && /ECONNRESET|closed the connection|EPIPE/.test(answer)
    this.sent++
    const bytes = answer instanceof Uint8Array ? Buffer.from(answer) : pack(answer)
    if (bytes.includes(CANARY) || bytes.includes('PRIVATE KEY')) this.note('a secret came back', `       ${what}`)
  }

  /** Attacks that were under way at a moment, the last one first. */
  private suspects(moment: number, isMeant: (each: Noted) => boolean): string {
    return this.recent
      .filter(isMeant)
      .sort((a, b) => b.from - a.from)
      .slice(0, MOST_SUSPECTS)
      .map(({ what, from }) => `       ${from - moment} ms: ${what}`)
      .join('\n')
  }

  /** Return the attacks without an answer at the beginning of a wait. */
  private openAt(moment: number): string {
    return this.suspects(moment, ({ from, to }) => from < moment + 150 && to > moment + 100)
  }

  /** Attacks that lost their connection lately. */
  private cutSince(moment: number): string {
    return this.suspects(moment, ({ to, isCut }) => to > moment && isCut)
  }

  private took({ at, wall, stall, cpu, isLost }: Ping): void {
    if (!isLost) this.lastPing = Date.now()
    if (at < this.away || isLost || this.isOver) return
    this.worstMs = Math.max(this.worstMs, stall)
    this.longestMs = Math.max(this.longestMs, wall)
    if (stall <= STALL_MS) return
    const times = `${stall.toFixed()} of ${wall.toFixed()} ms, in which the master used ${cpu.toFixed()} ms of a processor`
    this.note('an honest client had to wait', `     ${times}\n${this.openAt(at)}`)
  }

  /** Keep the processes running; restart a master that ended or does not serve, to find further problems. */
  private async guard(): Promise<void> {
    const { cluster } = this.site
    const pids = new Map(['db1', 'web1'].map((id) => [id, cluster.pidOf(id)]))
    while (!this.isOver) {
      await sleep(50)
      for (const [id, pid] of pids) {
        if (existsSync(`/proc/${pid}`)) continue
        this.note(
          `the minion ${id} died${this.cause(id)}`,
          this.suspects(Date.now(), ({ from }) => from > Date.now() - 300),
        )
        cluster.start(id)
        pids.set(id, cluster.pidOf(id))
      }
      const isGone = !existsSync(`/proc/${cluster.pidOf('master')}`)
      const isFrozen = Date.now() - this.lastPing > 8000
      if (!isGone && !isFrozen) continue
      if (isGone) this.note(`the master died${this.cause('master')}`, this.cutSince(Date.now() - 500))
      else this.note('the master served nobody for 8 s', this.openAt(this.lastPing))
      await this.restart()
    }
  }

  /** Why a process ended, as it said itself. */
  private cause(name: string): string {
    const lines = this.site.cluster.log(name).slice(-20_000).split('\n')
    const causes = lines.flatMap((line) => /^\s*(?:reason: '(.+)',|\w*Error: (.+))$/.exec(line)?.slice(1) ?? [])
    const last = causes.filter((cause) => cause !== undefined).pop()
    return last === undefined ? '' : `: ${last.slice(0, 120)}`
  }

  private async restart(): Promise<void> {
    this.away = Number.POSITIVE_INFINITY
    await this.site.cluster.stop('master', 'SIGKILL')
    await this.site.startMaster()
    await until('the hostile minion is back', () => this.site.rogueReturns())
    this.aim()
    this.away = Date.now() + 500
  }

  /** Run an honest program repeatedly; it must get its result. */
  private async program(line: string): Promise<void> {
    while (!this.isOver) {
      const begun = Date.now()
      const { status, stdout, stderr } = await this.site.cluster.run(line)
      // a master that has just died is noticed first
      await sleep(300)
      if (this.away > begun || this.isOver) continue
      const isRight = status === 0 && /True/.test(stdout) && !stdout.includes(EVIL_WORD)
      if (isRight) continue
      const seconds = ((Date.now() - begun) / 1000).toFixed(1)
      const ended = `     status ${status} after ${seconds} s, stdout ${JSON.stringify(stdout.slice(-300))}`
      this.note(`honest: ${line} went wrong`, `${ended}, stderr ${JSON.stringify(stderr.slice(-1000))}`)
    }
  }

  private judge({ tag, data }: BusEvent): void {
    if (OWN_TAGS.test(tag) && pack(data).includes(EVIL_WORD))
      this.note('a minion told what only the master may', `       ${tag}`)
    if (/^salt\/(run|wheel)\/\d+\/new$/.test(tag)) this.note('a function of the master was called', `       ${tag}`)
    if (!/^salt\/job\/[^/]+\/new$/.test(tag)) return
    const fun = [field(data, 'fun')].flat()
    const minions = [field(data, 'minions')].flat().map(String)
    // app1 registers resources under all kinds of names, and a right on a minion covers its resources
    const isOfOthers = (id: string): boolean => id === 'db1' || id === 'web1'
    const isAllowed = fun.every((each) => HARMLESS.test(String(each))) || !minions.some(isOfOthers)
    if (!isAllowed)
      this.note(
        'a job was published that nobody may',
        `       ${String(fun)} to ${minions.slice(0, 5)} by ${String(field(data, 'user'))}`,
      )
    if (!/^salt\/job\/\d{20}(_\d+)?\/new$/.test(tag)) this.note('a job has no number', `       ${tag.slice(0, 80)}`)
  }

  /** Ends, after programs that still wait. */
  async close(): Promise<void> {
    this.isOver = true
    await Promise.all(this.rounds)
    this.pinger.kill()
    for (const mark of readdirSync(MARKS)) this.note(`a command of the fuzzer ran: ${mark}`)
  }

  /** Waits until the honest programs have a master that serves. */
  settled(): Promise<void> {
    return until('the master serves', () => Date.now() - this.lastPing < 500)
  }
}
