// Whether the answer of a REST API is the recorded one, and what a recording keeps of an answer.
import { repr, unescapeHtml } from '../../src/data/mod.ts'
import { sameLines } from './any-order.ts'
import type { HttpAnswer } from './http-request.ts'
import { jsonDifferences } from './json-differences.ts'
import type { Placeholders } from './placeholders.ts'
import type { Json, Step } from './scenario.ts'
import { shortened } from './stand-ins.ts'

/** Headers that recordings keep. */
const KEPT_HEADERS = [
  'Content-Type',
  'Server',
  'Allow',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'Access-Control-Allow-Credentials',
  'Access-Control-Allow-Methods',
  'Access-Control-Allow-Headers',
  'Access-Control-Max-Age',
  'Cache-Control',
  'Content-Disposition',
  'Location',
  'X-Auth-Token',
  'Vary',
  'Set-Cookie',
]

/** Headers that say something by not being there. */
const TELLING_HEADERS = ['X-Auth-Token', 'Cache-Control', 'Content-Disposition', 'Location']

/** Headers of a connection, which recordings of streams name: they are the HTTP library's. */
const CONNECTION_HEADERS = new Set(['Connection', 'Transfer-Encoding'])

/** An error page, shortened to its heading and its text as recordings have it. */
function shortenedPage(html: string): string {
  const [, heading] = /<h2>([\s\S]*?)<\/h2>/.exec(html) ?? []
  const [, text] = /<p>([\s\S]*?)<\/p>/.exec(html) ?? []
  if (heading === undefined || text === undefined) return /<html/i.test(html) ? '<HTML application page>' : html
  return `<HTML error page: h2=${repr(unescapeHtml(heading))} p=${repr(unescapeHtml(text))}>`
}

/** An archive of tar, shortened to the names of its files. */
function shortenedArchive(text: string): string {
  const blocks = text.match(/[\s\S]{512}/g) ?? []
  const names = blocks.filter((block) => block.slice(257, 262) === 'ustar').map((block) => block.split('\0')[0])
  return `<archive of ${names.join(', ')}>`
}

/** The body as recordings have it. */
function shortenedBody(answer: HttpAnswer): string {
  if (isPage(answer)) return shortenedPage(answer.body)
  return answer.headers.get('content-type') === 'application/x-tar' ? shortenedArchive(answer.body) : answer.body
}

const isPage = (answer: HttpAnswer): boolean => answer.headers.get('content-type')?.startsWith('text/html') ?? false

/** Yield the differences of an answer, line by line; nothing if it equals the recorded one. */
export function* answerDifferences(step: Step, answer: HttpAnswer, known: Placeholders): Generator<string> {
  if (answer.status !== step['status']) yield `status ${answer.status}, not ${step['status']}`
  if (step['reason'] !== undefined && answer.reason !== step['reason']) {
    yield `reason ${answer.reason}, not ${step['reason']}`
  }
  yield* headerDifferences(step, answer, known)
  if (typeof step['body'] === 'string') yield* bodyDifferences(step['body'], answer, known)
  if (step.json !== undefined) yield* jsonDifferences(withRest(step), parsed(answer.body), known, 'json')
  if (step['json_keys'] !== undefined) yield* keyDifferences(step['json_keys'] as string[], parsed(answer.body))
}

function* headerDifferences(step: Step, answer: HttpAnswer, known: Placeholders): Generator<string> {
  const recorded = (step['response_headers'] ?? {}) as Record<string, string | null>
  // recordings made by hand name only what matters
  const isWhole = 'Server' in recorded
  const names = new Set([...Object.keys(recorded), ...(isWhole ? TELLING_HEADERS : [])])
  for (const name of names) {
    if (name === 'Server' || CONNECTION_HEADERS.has(name)) continue
    const [expected, actual] = [recorded[name] ?? undefined, answer.headers.get(name.toLowerCase())]
    if (expected === undefined || actual === undefined) {
      if (expected !== actual) yield `header ${name}: ${actual ?? 'missing'}, not ${expected ?? 'there'}`
    } else if (!matchesHeader(name, expected, actual, known)) yield `header ${name}: ${actual}, not ${expected}`
  }
}

/** A cookie may have attributes beside those of the recording, which make it safer. */
function matchesHeader(name: string, expected: string, actual: string, known: Placeholders): boolean {
  if (name !== 'Set-Cookie') return known.matches(expected, actual)
  const attributes = actual.split('; ')
  return expected.split('; ').every((wanted) => attributes.some((attribute) => known.matches(wanted, attribute)))
}

function* bodyDifferences(expected: string, answer: HttpAnswer, known: Placeholders): Generator<string> {
  const actual = shortenedBody(answer)
  // of some pages a recording has only the status
  if (/^<HTML error page \d+>$/.test(expected) && actual.startsWith('<HTML error page')) return
  if (known.attempt(() => known.matches(expected, actual))) return
  if (!expected.startsWith('<') && sameLines(expected, actual, known)) return
  yield `body ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`
}

/** Of a list of all jobs, recordings keep the last ones. */
function withRest({ json, note = '' }: Step): Json {
  if (!note.startsWith('only the last two jobs')) return json!
  const { return: jobs } = json as { return: Json[] }
  return { return: jobs.map((each) => ({ ...(each as object), '...': '' })) }
}

function* keyDifferences(expected: readonly string[], actual: Json | undefined): Generator<string> {
  const names = Object.keys((actual ?? {}) as object)
  // servers are distinguished by a number
  const plain = (keys: readonly string[]): string => [...keys.map((key) => key.replace(/\d+$/, '#'))].sort().join()
  if (plain(names) !== plain(expected)) yield `keys ${names}, not ${expected}`
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

/** Return an answer in the form of a recording. */
export function keptOfAnswer(answer: HttpAnswer, notes: Pick<Step, 'note'>): Step {
  const type = answer.headers.get('content-type') ?? ''
  const headers = KEPT_HEADERS.map((name) => [name, answer.headers.get(name.toLowerCase())] as const)
  const kept: Step = {
    ...notes,
    status: answer.status,
    reason: answer.reason,
    response_headers: Object.fromEntries(headers.filter(([, value]) => value !== undefined)),
  }
  if (type === 'application/json' && answer.body !== '') return { ...kept, json: JSON.parse(answer.body) as Json }
  return { ...kept, body: shortened(shortenedBody(answer).replace(/\b1\d{9}\.\d+/g, '<EPOCH>')) }
}
