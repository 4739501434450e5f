// Plays a scenario: starts its programs, runs its steps in order, and reports differences from the recording.
import { setTimeout as sleep } from 'node:timers/promises'
import { PATIENCE_SECONDS } from '../until.ts'
import { LOWER_MASTER, type Ran, SECOND_MASTER } from './cluster.ts'
import { differenceOfTexts, matchesJson, readJson } from './compare.ts'
import { isForOthers, missingEvents } from './events.ts'
import { HttpSteps } from './http-steps.ts'
import { jsonDifferences } from './json-differences.ts'
import { exitHere, knownDifference } from './known.ts'
import { hasOutstandingJobs } from './outstanding.ts'
import { NO_JOB, Placeholders } from './placeholders.ts'
import type { Programs } from './programs.ts'
import { keyFiles, pythonCall } from './python-calls.ts'
import type { Json, RecordedEvent, Scenario, Step } from './scenario.ts'
import { Stage } from './stage.ts'

export interface StepVerdict {
  name: string
  /** Why it failed; undefined when it passed. */
  problem?: string
  /** Steps that this runner cannot do, with the reason. */
  skipped?: string
}

type Verdict = Omit<StepVerdict, 'name'>

/** Time limit of a scenario; unfinished steps count as failed. */
const SCENARIO_SECONDS = 600

/** Time limit for the effects of the last step, also on a busy machine. */
const LATE_SECONDS = 30

/** Questions that change nothing: recordings were made on a slower machine, where jobs had ended when they were asked. */
const ASKS_ABOUT_JOBS = /salt-run jobs\.|GET \/jobs|saltutil\.(running|find_job|is_running)\b/

/** Scenarios whose events show the results. */
const TOLD_BY_EVENTS =
  /^(more-|rest-|reactor-|orch-|syndic|custom-events|state-progress-events|event-id-spoofing|async-and-running)/

class Play {
  private readonly scenario: Scenario
  private readonly stage: Stage
  private readonly known = new Placeholders()
  /** Commands that were started before their turn. */
  private readonly ahead = new Map<Step, Promise<Ran>>()
  private readonly http: HttpSteps

  constructor(scenario: Scenario, programs?: Programs) {
    this.scenario = scenario
    this.stage = new Stage(scenario, programs)
    this.http = new HttpSteps(scenario, this.stage, this.known)
  }

  async run(): Promise<StepVerdict[]> {
    const verdicts: StepVerdict[] = []
    const { scenario, steps, events } = this.scenario
    try {
      await this.stage.open()
      const end = Date.now() + SCENARIO_SECONDS * 1000
      for (const [index, step] of steps.entries()) {
        await this.startAhead(index)
        const verdict: Verdict =
          Date.now() < end ? await this.perform(step) : { problem: 'the scenario had no time left' }
        verdicts.push({ name: this.nameOf(step, index), ...this.excused(verdict, index) })
      }
      if (TOLD_BY_EVENTS.test(scenario)) {
        const verdict = await this.eventsVerdict(events, 'master')
        verdicts.push({ name: `${scenario}/events`, ...this.excused(verdict, 'events') })
      }
    } catch (error) {
      verdicts.push({ name: `${scenario}/setup`, problem: String(error) })
    } finally {
      await this.stage.close()
    }
    return verdicts
  }

  private async eventsVerdict(recorded: readonly RecordedEvent[], of: string): Promise<Verdict> {
    const end = Date.now() + LATE_SECONDS * 1000
    for (;;) {
      const missing = missingEvents(recorded, this.stage.seen(of), (value) => this.stage.cluster.placed(value))
      if (missing.length === 0) return {}
      if (Date.now() > end) {
        return { problem: `missing\n${missing.join('\n')}\nlog: ${this.stage.cluster.log(of).slice(-2000)}` }
      }
      await sleep(500)
    }
  }

  private excused(verdict: Verdict, index: number | string): Verdict {
    const reason = verdict.problem === undefined ? undefined : knownDifference(`${this.scenario.scenario}/${index}`)
    return reason === undefined ? verdict : { skipped: reason }
  }

  private nameOf(step: Step, index: number): string {
    const what = step.run ?? step.http ?? step.action ?? step.wait_event ?? step.observed ?? Object.keys(step)[0]!
    return `${this.scenario.scenario}/${index}: ${what}`
  }

  private async perform(step: Step): Promise<Verdict> {
    if (step.run !== undefined) return this.patiently(step.run, () => this.commandOnce(step))
    if (step.http !== undefined) return this.patiently(step.http, () => this.requested(step))
    if (step.wait_event !== undefined) return this.awaited(step)
    if (step.action !== undefined) {
      return (await this.stage.act(step.action)) ? {} : { skipped: `no way to do: ${step.action}` }
    }
    if (typeof step['python_api'] === 'string') return this.pythonCall(step['python_api'], step['result'] as Json)
    if (step.observed !== undefined) return this.observed(step, step.observed)
    return { skipped: `no way to do ${Object.keys(step)[0]}` }
  }

  private async observed(step: Step, what: string): Promise<Verdict> {
    if (what.startsWith('key files in the master cachedir')) {
      return this.judged(step['files'] as Json, keyFiles(this.stage.cluster))
    }
    const [, id] = /^events on the minion bus of (\w+)/.exec(what) ?? []
    if (id !== undefined) return this.eventsVerdict((step['minion_bus'] as RecordedEvent[]).filter(isForOthers), id)
    const [, refused] = /^minion (\w+) after the denial/.exec(what) ?? []
    if (refused !== undefined) return this.logged(refused, /rejected this minion's public key/)
    if (what === 'minion log lines about masters') return this.logged('web1', /Master ip address changed/)
    if (what === 'events on the lower master') {
      return this.eventsVerdict(step['events'] as RecordedEvent[], LOWER_MASTER)
    }
    if (what === 'events_on_B') return this.eventsVerdict(step['events'] as RecordedEvent[], SECOND_MASTER)
    return { skipped: `no way to observe: ${what}` }
  }

  /** Logs differ, but must contain the relevant text. */
  private async logged(name: string, text: RegExp): Promise<Verdict> {
    const end = Date.now() + LATE_SECONDS * 1000
    while (!text.test(this.stage.cluster.log(name)) && Date.now() < end) await sleep(100)
    const log = this.stage.cluster.log(name)
    return text.test(log) ? {} : { problem: `the log does not have ${text.source}:\n${log}` }
  }

  private judged(expected: Json, actual: Json): Verdict {
    return this.known.attempt(() => matchesJson(expected, actual, this.known))
      ? {}
      : { problem: `${JSON.stringify(actual)}, not ${JSON.stringify(expected)}` }
  }

  private async pythonCall(call: string, expected: Json): Promise<Verdict> {
    const actual = await pythonCall(this.stage.cluster, this.scenario, call)
    if (actual === undefined) return { skipped: `no way to do ${call}` }
    if (JSON.stringify(expected) === '{"data":"<...>"}')
      return 'data' in (actual as object) ? {} : { problem: 'no data' }
    return this.judged(this.stage.cluster.placed(expected), actual)
  }

  /** Commands that wait for events were started before the steps that send them. */
  private async startAhead(index: number): Promise<void> {
    const { steps } = this.scenario
    const sends = (step: Step | undefined): boolean => step?.run?.includes(' event.') ?? false
    if (!sends(steps[index]) || sends(steps[index - 1])) return
    const later = steps.slice(index).find((step) => !sends(step))
    if (!later?.note?.startsWith('started in the background')) return
    this.ahead.set(later, this.stage.run(later, later.run!))
    await sleep(3000)
  }

  private async requested(step: Step): Promise<Verdict> {
    const problem = await this.http.problem(step)
    return problem === undefined ? {} : { problem }
  }

  /** Query jobs again until minions have answered all. */
  private async patiently(what: string, ask: () => Promise<Verdict>): Promise<Verdict> {
    const end = Date.now() + 30_000
    for (;;) {
      const verdict = await ask()
      if (verdict.problem === undefined || !ASKS_ABOUT_JOBS.test(what) || Date.now() > end) return verdict
      if (!hasOutstandingJobs(this.stage.seen(), (id) => !this.stage.down.has(id))) return verdict
      await sleep(1000)
    }
  }

  private async commandOnce(step: Step): Promise<Verdict> {
    const ran = await (this.ahead.get(step) ?? this.stage.run(step, this.known.filled(step.run!, NO_JOB)))
    const problems: string[] = []
    const expectedExit = exitHere(step.exit ?? 0, step.run!, step.stdout ?? '')
    if (ran.status !== expectedExit) problems.push(`exit ${ran.status}, not ${expectedExit}`)
    const expected = this.stage.cluster.placed(step.stdout ?? '') as string
    if (step.json !== undefined) {
      const wanted = this.stage.cluster.placed(step.json)
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
    const [, tags = '', words = ''] = /^(\S+)(.*)$/.exec(wait_event!) ?? []
    const found = await this.stage.hears(this.known.filled(tags, '*'), words, seen ? PATIENCE_SECONDS : 3)
    return found === seen ? {} : { problem: seen ? 'no such event came' : 'such an event came' }
  }
}

/** Our own programs play it, unless others are named. */
export function play(scenario: Scenario, programs?: Programs): Promise<StepVerdict[]> {
  return new Play(scenario, programs).run()
}
