// Plays a scenario: starts what it needs, does its steps in order, and says which came out otherwise than recorded.
import { setTimeout as sleep } from 'node:timers/promises'
import { BusClient, type BusEvent } from '../../src/bus/mod.ts'
import { fnmatch } from '../../src/data/mod.ts'
import { Cluster, type Ran } from './cluster.ts'
import { differenceOfTexts, matchesJson, readJson } from './compare.ts'
import { missingEvents } from './events.ts'
import { jsonDifferences } from './json-differences.ts'
import { exitHere, knownDifference } from './known.ts'
import { hasOutstandingJobs } from './outstanding.ts'
import { Placeholders } from './placeholders.ts'
import { keyFiles, pythonCall } from './python-calls.ts'
import type { Json, Scenario, Step } from './scenario.ts'

export interface StepVerdict {
  name: string
  /** Why it failed; undefined when it passed. */
  problem?: string
  /** Steps that this runner cannot do, with the reason. */
  skipped?: string
}

type Verdict = Omit<StepVerdict, 'name'>

const START_SECONDS = 60

/** A scenario may take that long; what it has not done by then counts as failed. */
const SCENARIO_SECONDS = 150

/** Questions that change nothing: recordings were made on a slower machine, where jobs had ended when they were asked. */
const ASKS_ABOUT_JOBS = /salt-run jobs\.|saltutil\.(running|find_job|is_running)\b/

/** A number that no job has, for those that recordings made up. */
const NO_JOB = '20010101000000000000'

class Play {
  private readonly scenario: Scenario
  private readonly cluster: Cluster
  private readonly seen: BusEvent[] = []
  private readonly known = new Placeholders()
  private readonly down = new Set<string>()
  /** Commands that were started before their turn. */
  private readonly ahead = new Map<Step, Promise<Ran>>()
  private recorder: BusClient | undefined

  constructor(scenario: Scenario) {
    this.scenario = scenario
    this.cluster = new Cluster(scenario)
  }

  async run(): Promise<StepVerdict[]> {
    const verdicts: StepVerdict[] = []
    try {
      await this.cluster.prepare()
      await this.begin()
      const end = Date.now() + SCENARIO_SECONDS * 1000
      for (const [index, step] of this.scenario.steps.entries()) {
        await this.startAhead(index)
        const verdict: Verdict =
          Date.now() < end ? await this.perform(step) : { problem: 'the scenario had no time left' }
        verdicts.push({ name: this.nameOf(step, index), ...this.excused(verdict, index) })
      }
      for (const verdict of await this.eventsVerdict())
        verdicts.push({ ...this.excused(verdict, 'events'), name: verdict.name })
    } catch (error) {
      verdicts.push({ name: `${this.scenario.scenario}/setup`, problem: String(error) })
    } finally {
      this.recorder?.close()
      await this.cluster.close()
    }
    return verdicts
  }

  /** Scenarios about the reactor and orchestrations say by their events what came of it. */
  private async eventsVerdict(): Promise<StepVerdict[]> {
    if (!/^(reactor|orch)-/.test(this.scenario.scenario)) return []
    const name = `${this.scenario.scenario}/events`
    const end = Date.now() + 6000
    for (;;) {
      const missing = missingEvents(this.scenario.events, this.seen, (value) => this.cluster.placed(value))
      if (missing.length === 0) return [{ name }]
      if (Date.now() > end)
        return [{ name, problem: `missing\n${missing.join('\n')}\nlog: ${this.cluster.log('master')}` }]
      await sleep(500)
    }
  }

  private excused(verdict: Verdict, index: number | string): Verdict {
    const reason = verdict.problem === undefined ? undefined : knownDifference(`${this.scenario.scenario}/${index}`)
    return reason === undefined ? verdict : { skipped: reason }
  }

  private nameOf(step: Step, index: number): string {
    const what = step.run ?? step.action ?? step.wait_event ?? Object.keys(step)[0]!
    return `${this.scenario.scenario}/${index}: ${what}`
  }

  private async begin(): Promise<void> {
    this.cluster.start('master')
    await this.until('the bus of the master', async () => this.record())
    const ids = Object.keys(this.scenario.setup.minions)
    for (const id of ids) this.cluster.start(id)
    const isOpen = this.scenario.setup.master['auto_accept'] === true
    const tag = (id: string): string => (isOpen ? `salt/minion/${id}/start` : 'salt/auth')
    await this.until(`the start of ${ids.join(', ')}`, async () =>
      ids.every((id) => this.seen.some((event) => event.tag === tag(id) && (isOpen || event.data.get('id') === id))),
    )
    for (const id of ids.filter((each) => this.isDown(each))) {
      this.down.add(id)
      await this.cluster.stop(id)
    }
    if (isOpen) await this.syncModules()
  }

  /** Users' modules were on their way before recordings began, but for those that are about it. */
  private async syncModules(): Promise<void> {
    const paths = Object.keys(this.scenario.setup.files ?? {})
    const has = (kinds: RegExp): boolean => paths.some((path) => kinds.test(path))
    if (this.scenario.steps.some(({ run }) => run?.includes('saltutil.sync'))) return
    if (has(/\/_(modules|states|grains|returners|beacons)\//)) await this.cluster.run("salt '*' saltutil.sync_all")
    if (has(/\/_(modules|runners)\//)) await this.cluster.run('salt-run saltutil.sync_all')
  }

  /** A minion that was asked and never answered in the whole recording was known, but not running. */
  private isDown(id: string): boolean {
    const { events } = this.scenario
    const isAsked = events.some(({ data }) => Array.isArray(data['minions']) && data['minions'].includes(id))
    return isAsked && !events.some(({ tag, data }) => tag.endsWith(`/${id}`) || data['id'] === id)
  }

  private async record(): Promise<boolean> {
    const pub = `${this.cluster.sockets}/master_event_pub.ipc`
    try {
      this.recorder = await BusClient.open({ paths: { pub, pull: '' } })
    } catch {
      return false
    }
    void this.gather(this.recorder)
    return true
  }

  private async gather(recorder: BusClient): Promise<void> {
    while (recorder.isOpen) {
      const event = await recorder.next(1)
      if (event) this.seen.push(event)
    }
  }

  private async until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const end = Date.now() + START_SECONDS * 1000
    while (!(await holds())) {
      if (Date.now() > end) throw new Error(`Waited ${START_SECONDS} s for ${what}\n${this.logs()}`)
      await sleep(100)
    }
  }

  private logs(): string {
    const names = ['master', ...Object.keys(this.scenario.setup.minions)]
    return names.map((name) => `${name}: ${this.cluster.log(name).slice(-800)}`).join('\n')
  }

  private async perform(step: Step): Promise<Verdict> {
    if (step.run !== undefined) return this.command(step)
    if (step.wait_event !== undefined) return this.awaited(step)
    if (step.action !== undefined) return this.act(step.action)
    if (typeof step['python_api'] === 'string') return this.pythonCall(step['python_api'], step['result'] as Json)
    if (String(step['observed']).startsWith('key files in the master cachedir')) {
      return this.judged(step['files'] as Json, keyFiles(this.cluster))
    }
    return { skipped: `no way to do ${Object.keys(step)[0]}` }
  }

  private judged(expected: Json, actual: Json): Verdict {
    return this.known.attempt(() => matchesJson(expected, actual, this.known))
      ? {}
      : { problem: `${JSON.stringify(actual)}, not ${JSON.stringify(expected)}` }
  }

  private async pythonCall(call: string, expected: Json): Promise<Verdict> {
    const actual = await pythonCall(this.cluster, this.scenario, call)
    if (actual === undefined) return { skipped: `no way to do ${call}` }
    if (JSON.stringify(expected) === '{"data":"<...>"}')
      return 'data' in (actual as object) ? {} : { problem: 'no data' }
    return this.judged(this.cluster.placed(expected), actual)
  }

  /** Commands that wait for events were started before the steps that send them. */
  private async startAhead(index: number): Promise<void> {
    const { steps } = this.scenario
    const sends = (step: Step | undefined): boolean => step?.run?.includes(' event.') ?? false
    if (!sends(steps[index]) || sends(steps[index - 1])) return
    const later = steps.slice(index).find((step) => !sends(step))
    if (!later?.note?.startsWith('started in the background')) return
    this.ahead.set(later, this.cluster.run(later.run!))
    await sleep(3000)
  }

  private async command(step: Step): Promise<Verdict> {
    const end = Date.now() + 30_000
    for (;;) {
      const verdict = await this.commandOnce(step)
      if (verdict.problem === undefined || !ASKS_ABOUT_JOBS.test(step.run!) || Date.now() > end) return verdict
      if (!hasOutstandingJobs(this.seen, (id) => !this.down.has(id))) return verdict
      await sleep(1000)
    }
  }

  private async commandOnce(step: Step): Promise<Verdict> {
    const { on, stdin } = step
    const options = { ...(on !== undefined && { on }), ...(stdin !== undefined && { stdin }) }
    const ran = await (this.ahead.get(step) ?? this.cluster.run(this.known.filled(step.run!, NO_JOB), options))
    const problems: string[] = []
    const expectedExit = exitHere(step.exit ?? 0, step.run!, step.stdout ?? '')
    if (ran.status !== expectedExit) problems.push(`exit ${ran.status}, not ${expectedExit}`)
    const expected = this.cluster.placed(step.stdout ?? '') as string
    if (step.json !== undefined) {
      const wanted = this.cluster.placed(step.json)
      // `--show-jid` prints a line before the documents
      const [first = '', ours = ''] = [expected, ran.stdout].map((text) => text.split('\n')[0])
      if (first.startsWith('jid: ')) this.known.matches(first, ours)
      const differences = [...jsonDifferences(wanted, readJson(ran.stdout), this.known)]
      if (differences.length > 0) problems.push(`json\n${differences.join('\n')}`)
    } else if (expected !== '<USAGE>\n') {
      const difference = differenceOfTexts(expected, ran.stdout, this.known)
      if (difference !== '') problems.push(`stdout\n${difference}`)
    }
    return problems.length === 0 ? {} : { problem: `${problems.join('\n')}\nstderr: ${ran.stderr.slice(0, 1500)}` }
  }

  private async awaited({ wait_event, seen = true }: Step): Promise<Verdict> {
    const pattern = this.known.filled(wait_event!, '*')
    const found = (): boolean => this.seen.some(({ tag }) => fnmatch(tag, pattern))
    const end = Date.now() + (seen ? 30_000 : 3000)
    while (!found() && Date.now() < end) await sleep(100)
    return found() === seen ? {} : { problem: seen ? 'no such event came' : 'such an event came' }
  }

  /** What recordings describe in words, as far as their words are known here. */
  private async act(action: string): Promise<Verdict> {
    const [, id] = /^minion (\w+) is /.exec(action) ?? []
    const [, file, change] = /^file (\S+) (is appended to|mode is changed)/.exec(action) ?? []
    if (file !== undefined && change === 'is appended to') this.cluster.append(file, 'more\n')
    else if (file !== undefined) this.cluster.setMode(file, 0o600)
    else if (id !== undefined && /stopped/.test(action)) {
      this.down.add(id)
      await this.cluster.stop(id)
    } else if (id !== undefined && /restarted/.test(action)) {
      await this.cluster.stop(id)
      await this.restart(id)
    } else if (id !== undefined && /started/.test(action)) await this.restart(id)
    else if (/^master is stopped \(SIGTERM\) and started again/.test(action)) {
      await this.cluster.stop('master')
      await sleep(2000)
      this.cluster.start('master')
      await this.until('the bus of the restarted master', async () => this.record())
      await sleep(3000)
    } else if (!/^master (has|started)/.test(action)) return { skipped: `no way to do: ${action}` }
    return {}
  }

  private async restart(id: string): Promise<void> {
    const before = this.starts(id)
    this.down.delete(id)
    this.cluster.start(id)
    const end = Date.now() + 15_000
    while (this.starts(id) === before && Date.now() < end) await sleep(100)
  }

  private starts(id: string): number {
    return this.seen.filter(({ tag }) => tag === `salt/minion/${id}/start`).length
  }
}

export function play(scenario: Scenario): Promise<StepVerdict[]> {
  return new Play(scenario).run()
}
