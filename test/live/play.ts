// Plays a scenario: starts what it needs, does its steps in order, and says which came out otherwise than recorded.
import { setTimeout as sleep } from 'node:timers/promises'
import { BusClient, type BusEvent } from '../../src/bus/mod.ts'
import { fnmatch } from '../../src/data/mod.ts'
import { Cluster } from './cluster.ts'
import { differenceOfTexts, matchesJson, matchesText, readJson } from './compare.ts'
import type { Json, Scenario, Step } from './scenario.ts'

export interface StepVerdict {
  name: string
  /** Why it failed; undefined when it passed. */
  problem?: string
  /** Steps that this runner cannot do, with the reason. */
  skipped?: string
}

const START_SECONDS = 60

class Play {
  private readonly scenario: Scenario
  private readonly cluster: Cluster
  private readonly seen: BusEvent[] = []
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
      for (const [index, step] of this.scenario.steps.entries()) {
        verdicts.push({ name: this.nameOf(step, index), ...(await this.perform(step)) })
      }
    } catch (error) {
      verdicts.push({ name: `${this.scenario.scenario}/setup`, problem: String(error) })
    } finally {
      this.recorder?.close()
      await this.cluster.close()
    }
    return verdicts
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

  private async perform(step: Step): Promise<Omit<StepVerdict, 'name'>> {
    if (step.run !== undefined) return this.command(step)
    if (step.wait_event !== undefined) return this.awaited(step)
    if (step.action !== undefined) return this.act(step.action)
    return { skipped: `no way to do ${Object.keys(step)[0]}` }
  }

  private async command(step: Step): Promise<Omit<StepVerdict, 'name'>> {
    const { on, stdin } = step
    const ran = await this.cluster.run(step.run!, {
      ...(on !== undefined && { on }),
      ...(stdin !== undefined && { stdin }),
    })
    const problems: string[] = []
    const expectedExit = step.exit ?? 0
    if (ran.status !== expectedExit) problems.push(`exit ${ran.status}, not ${expectedExit}`)
    const expected = this.cluster.placed(step.stdout ?? '') as string
    if (step.json !== undefined) {
      const actual = readJson(ran.stdout)
      if (!matchesJson(this.cluster.placed(step.json), actual)) problems.push(`json ${ran.stdout || '(nothing)'}`)
    } else if (expected !== '<USAGE>\n') {
      const difference = differenceOfTexts(expected, ran.stdout)
      if (difference !== '') problems.push(`stdout\n${difference}`)
    }
    return problems.length === 0 ? {} : { problem: `${problems.join('\n')}\nstderr: ${ran.stderr.slice(0, 1500)}` }
  }

  private async awaited({ wait_event, seen = true }: Step): Promise<Omit<StepVerdict, 'name'>> {
    const found = (): boolean => this.seen.some(({ tag }) => fnmatch(tag, wait_event!))
    const end = Date.now() + (seen ? 30_000 : 3000)
    while (!found() && Date.now() < end) await sleep(100)
    return found() === seen ? {} : { problem: seen ? 'no such event came' : 'such an event came' }
  }

  /** What recordings describe in words, as far as their words are known here. */
  private async act(action: string): Promise<Omit<StepVerdict, 'name'>> {
    const [, id] = /^minion (\w+) is /.exec(action) ?? []
    if (id !== undefined && /stopped/.test(action)) await this.cluster.stop(id)
    else if (id !== undefined && /restarted/.test(action)) {
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

export { type Json, matchesText }
