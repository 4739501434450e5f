// The steps of a scenario that are requests to the REST API. Recordings show `<TOKEN>` for tokens: in a header that is the
// session of the last login, or of the user that the step is about, and in a body the token that /token gave.
import { dumpJson, fromPlain } from '../../src/data/mod.ts'
import { until } from '../until.ts'
import { answerDifferences, keptOfAnswer } from './http-answer.ts'
import { type HttpAnswer, type HttpRequest, sendHttp } from './http-request.ts'
import { jsonDifferences } from './json-differences.ts'
import { NO_JOB, type Placeholders } from './placeholders.ts'
import type { Json, Scenario, Step } from './scenario.ts'
import type { Stage } from './stage.ts'

/** The user, if a scenario does not name one. */
const ADMIN = 'admin'

/** Time limit for an event on a stream, also on a busy machine. */
const STREAM_SECONDS = 30

interface StreamedEvent {
  tag: string
  data: Json
}

export class HttpSteps {
  private readonly scenario: Scenario
  private readonly stage: Stage
  private readonly known: Placeholders
  private readonly sessions = new Map<string, string>()
  /** The session of the last login among the steps. */
  private session: string | undefined
  /** The last token of /token. */
  private token = ''

  constructor(scenario: Scenario, stage: Stage, known: Placeholders) {
    this.scenario = scenario
    this.stage = stage
    this.known = known
  }

  /** Send the request of a step; return the difference in the answer. */
  async problem(step: Step): Promise<string | undefined> {
    const expected = this.stage.cluster.placed(step as Json) as unknown as Step
    const differences =
      typeof step['stream_start'] === 'string'
        ? await this.streamDifferences(step, expected)
        : [...answerDifferences(expected, await this.send(step), this.known)]
    if (differences.length === 0) return undefined
    return `${differences.join('\n')}\nlog: ${this.stage.cluster.log('api').slice(-1500)}`
  }

  /** Send the request of a step; return it with the answer. */
  async recorded(step: Step): Promise<Step> {
    const { note } = step
    const notes = note === undefined ? {} : { note }
    if (!('stream_start' in step)) {
      const { json, ...kept } = keptOfAnswer(await this.send(step), notes)
      if (json === undefined) return { ...step, ...kept }
      return {
        ...step,
        ...kept,
        ...(/\/stats$/.test(step.http!) ? { json_keys: Object.keys(json as object) } : { json }),
      }
    }
    const answer = await this.stream(step, (events) => events.some(({ tag }) => tag === firedBy(step).tag))
    const { reason: _, body, ...kept } = keptOfAnswer(answer, notes)
    return { ...step, ...kept, stream_start: body }
  }

  private async send(step: Step, isEnough?: (text: string) => boolean): Promise<HttpAnswer> {
    const request = await this.requestOf(step)
    const answer = await sendHttp(this.stage.cluster.apiPort, request, isEnough)
    this.remember(request, answer)
    return answer
  }

  private async requestOf(step: Step): Promise<HttpRequest> {
    const [, method, path] = /^(\S+) (\S+)$/.exec(step.http!)!
    // where a recording has no headers, only their values did not matter
    const headers = (step['request_headers'] ?? { 'X-Auth-Token': '<TOKEN>' }) as Record<string, string>
    const body = step['request_body'] as Json | undefined
    const text = typeof body === 'string' || body === undefined || body === null ? body : dumpJson(fromPlain(body))
    const session = JSON.stringify(headers).includes('<TOKEN>') ? await this.sessionFor(step) : ''
    const filled = Object.entries(headers).map(([name, value]) => [name, value.replace('<TOKEN>', session)])
    return {
      method: method!,
      path: this.filled(path!.replace('<HEX>', '0123abcd')),
      headers: Object.fromEntries(filled),
      ...(text !== undefined && text !== null && { body: this.filled(text.replaceAll('<TOKEN>', this.token)) }),
    }
  }

  private filled(text: string): string {
    return this.known.filled(this.stage.cluster.placed(text) as string, NO_JOB)
  }

  private remember({ path }: HttpRequest, { status, headers, body }: HttpAnswer): void {
    if (status !== 200) return
    if (path.endsWith('/login')) this.session = headers.get('x-auth-token') ?? this.session
    if (path.endsWith('/token')) this.token = /"token": ?"(\w+)"/.exec(body)?.[1] ?? this.token
  }

  private async sessionFor(step: Step): Promise<string> {
    const named = this.userOf(JSON.stringify([step.note, step['body']]))
    if (named === undefined && this.session !== undefined) return this.session
    const user = named ?? this.publisherOf(step) ?? ADMIN
    const known = this.sessions.get(user)
    if (known !== undefined) return known
    const headers = { Accept: 'application/json', 'Content-Type': 'application/json' }
    const body = JSON.stringify({ username: user, password: this.passwords.get(user), eauth: 'file' })
    const path = `${this.stage.cluster.apiPrefix}/login`
    const answer = await sendHttp(this.stage.cluster.apiPort, { method: 'POST', path, headers, body })
    const session = answer.headers.get('x-auth-token')
    if (session === undefined) throw new Error(`${user} could not log in: ${answer.status} ${answer.body}`)
    this.sessions.set(user, session)
    return session
  }

  /** Users and passwords of the scenario's file. */
  private get passwords(): Map<string, string> {
    const lines = (this.scenario.setup.files?.['users.txt'] ?? '').trim().split('\n')
    return new Map(lines.map((line) => line.split(':') as [string, string]))
  }

  /** The user that a text names. */
  private userOf(text: string): string | undefined {
    const [, name] = /\buser (\w+)/.exec(text) ?? []
    return name !== undefined && this.passwords.has(name) ? name : undefined
  }

  /** Return the publisher of a step's job, from the recorded events. */
  private publisherOf(step: Step): string | undefined {
    const [chunk] = [step['request_body'] as Json].flat()
    if (typeof chunk !== 'object' || chunk === null || Array.isArray(chunk)) return undefined
    const same = (one: Json | undefined, other: Json | undefined): boolean =>
      JSON.stringify(one) === JSON.stringify(other)
    const event = this.scenario.events.find(
      ({ tag, data }) =>
        /^salt\/job\/.*\/new$/.test(tag) &&
        same(data['fun'], chunk['fun']) &&
        same(data['tgt'], chunk['tgt']) &&
        same(data['arg'], chunk['arg'] ?? []),
    )
    const user = event?.data['user']
    return typeof user === 'string' && this.passwords.has(user) ? user : undefined
  }

  private async streamDifferences(step: Step, expected: Step): Promise<string[]> {
    const wanted = streamedEvents(expected['stream_start'] as string)
    const missing = (events: readonly StreamedEvent[]): StreamedEvent[] =>
      wanted.filter((event) => !events.some((other) => this.isLike(event, other)))
    const answer = await this.stream(step, (events) => missing(events).length === 0)
    const differences = [...answerDifferences(expected, answer, this.known)]
    if (!answer.body.startsWith('retry: 400\n')) differences.push('the stream does not start with `retry: 400`')
    for (const event of missing(streamedEvents(answer.body))) {
      differences.push(`the stream lacks ${JSON.stringify(event)}\nand has\n${answer.body}`)
    }
    return differences
  }

  private isLike(event: StreamedEvent, other: StreamedEvent): boolean {
    return this.known.attempt(
      () =>
        this.known.matches(event.tag, other.tag) &&
        [...jsonDifferences(event.data, other.data, this.known)].length === 0,
    )
  }

  /** Open a stream, fire the event of the step once it is open, and read until enough has come. */
  private async stream(step: Step, isEnough: (events: readonly StreamedEvent[]) => boolean): Promise<HttpAnswer> {
    let text = ''
    let isLate = false
    const answer = this.send(step, (all) => {
      text = all
      return isLate || isEnough(streamedEvents(all))
    })
    let hasEnded = false
    void answer.finally(() => (hasEnded = true)).catch(() => {})
    await until('the start of the stream', () => hasEnded || text.startsWith('retry: '))
    if (hasEnded) return answer
    const { tag, data } = firedBy(step)
    const timer = setTimeout(() => (isLate = true), STREAM_SECONDS * 1000)
    await this.stage.cluster.run(`salt-run event.send ${tag} '${JSON.stringify(data)}'`)
    // an event more ends the wait of a stream that is late
    await until('the end of the stream', () => hasEnded || isLate)
    clearTimeout(timer)
    if (isLate) await this.stage.cluster.run('salt-run event.send late')
    return answer
  }
}

/** The event that a step of a stream fires: its note names it, and its data stand there or in the recorded stream. */
function firedBy({ note = '', stream_start: stream }: Step): StreamedEvent {
  const [, tag = '', written] = /^event (\S+)(?: (\{.*\}))? was fired/.exec(note) ?? []
  if (written !== undefined) return { tag, data: JSON.parse(written) as Json }
  const recorded = streamedEvents(String(stream)).find((event) => event.tag === tag)
  const { _stamp, ...data } = (recorded?.data ?? {}) as { [key: string]: Json }
  return { tag, data }
}

/** The whole events of a stream. */
function streamedEvents(text: string): StreamedEvent[] {
  return [...text.matchAll(/^tag: (.*)\ndata: (.*)\n\n/gm)].map(([, tag, data]) => {
    const event = JSON.parse(data!) as { tag: string; data: Json }
    return { tag: tag!, data: event.data }
  })
}
