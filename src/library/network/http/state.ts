// The answer of a web server as a state: compare its status and text.
import { compileRegex, type Dict, iterate, numberOf, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

interface Expectation {
  name: string
  match: string | null
  match_type: string
  status: Value
  status_type: string
  wait_for: Value
  kwargs: ReadonlyMap<string, Value>
}

/** The result of one comparison, and its sentence in the comment. */
interface Comparison {
  met: boolean
  said: string
}

const found = (met: boolean, what: string): Comparison => ({ met, said: `${what} was ${met ? '' : 'not '}found.` })

const matches = (pattern: string, text: string): boolean => compileRegex(pattern).search(text) !== null

function compareText({ match, match_type }: Expectation, data: Dict): Comparison | undefined {
  const text = str(data.get('text') ?? '')
  if (match === null) return undefined
  if (match_type === 'string') return found(text.includes(match), `Match text "${match}"`)
  if (match_type === 'pcre') return found(matches(match, text), `Match pattern "${match}"`)
  return undefined
}

function compareStatus(
  { status, status_type }: Expectation,
  data: Dict,
  earlier: boolean | null,
): Comparison | undefined {
  const seen = str(data.get('status') ?? '')
  if (status === null) return undefined
  if (status_type === 'string') return found(seen === str(status), `Status ${str(status)}`)
  if (status_type === 'pcre') return found(matches(str(status), seen), `Status pattern "${str(status)}"`)
  if (status_type !== 'list') return undefined
  const hits = [...iterate(status)].filter((code) => str(code) === seen).map((code) => `Status ${str(code)} was found.`)
  const met = hits.length > 0 && earlier !== false
  // as in Salt: if the text was not found, the statuses count as not found
  const missing = (earlier ?? hits.length > 0) ? [] : [`Statuses ${str(status)} were not found.`]
  return { met: met || earlier === true, said: [...hits, ...missing].join(' ') }
}

async function ask(ctx: StateContext, { name, wait_for, kwargs }: Expectation): Promise<Dict> {
  const keywords = new Map<string, Value>([['decode', false], ...kwargs, ['text', true], ['status', true]])
  if (ctx.test) keywords.set('test', true)
  if (!truthy(wait_for)) return ctx.call('http.query', [name], keywords)
  return ctx.call('http.wait_for_successful_query', [name], keywords.set('wait_for', wait_for))
}

async function query(ctx: StateContext, wanted: Expectation): Promise<StateReturn> {
  const { name, match, status, kwargs } = wanted
  if (match === null && status === null) {
    const comment = ' Either match text (match) or a status code (status) is required.'
    return { name, result: false, comment, changes: {}, data: {} }
  }
  const data = await ask(ctx, wanted)
  const text = compareText(wanted, data)
  const code = compareStatus(wanted, data, text?.met ?? null)
  const comparisons = [text, code].filter((comparison) => comparison !== undefined)
  const result = comparisons.length === 0 ? null : comparisons.every(({ met }) => met)
  const comment = comparisons.map(({ said }) => said).join(' ')
  if (!ctx.test) return { name, result, comment, changes: {}, data }
  const address = kwargs.has('test_url') ? `, TEST URL WAS: ${str(kwargs.get('test_url')!)}` : ''
  return { name, result: null, comment: `${comment} (TEST MODE${address})`, changes: {}, data }
}

/** Return the arguments of `query` from keywords. */
function expectationOf(name: string, keywords: ReadonlyMap<string, Value>): Expectation {
  const kwargs = new Map(keywords)
  const take = (key: string, otherwise: Value = null): Value => {
    const value = kwargs.get(key) ?? otherwise
    kwargs.delete(key)
    return value
  }
  const match = take('match')
  return {
    name,
    match: match === null ? null : str(match),
    match_type: str(take('match_type', 'string')),
    status: take('status'),
    status_type: str(take('status_type', 'string')),
    wait_for: null,
    kwargs,
  }
}

/** Seconds between two attempts, by default. */
const PAUSE = 0.1

async function waitFor(ctx: StateContext, seconds: number, wanted: Expectation): Promise<StateReturn> {
  const end = performance.now() + seconds * 1000
  const interval = numberOf(wanted.kwargs.get('request_interval') ?? null) ?? PAUSE
  for (;;) {
    const outcome = await query(ctx, wanted).catch((error: unknown) => ({ error }))
    const isReport = 'comment' in outcome
    // a dry run sends no query, so do not wait
    if (isReport && (outcome.result === true || ctx.test)) return outcome
    if (performance.now() > end) {
      if (isReport) return outcome
      throw outcome.error
    }
    await new Promise((resolve) => setTimeout(resolve, interval * 1000))
  }
}

const name = arg.string('URL')
const kwargs = arg.open('Options of the query, as for the execution function http.query')

export default defineState({
  name: 'http',
  doc: 'Check the answers of web servers.',
  functions: {
    query: state({
      doc: 'Ensure that a web server answers as expected. Needs `match` or `status`.',
      args: {
        name,
        match: arg.text('Text or pattern that the answer must contain', { optional: true }),
        match_type: arg.text('string, or pcre for a regular expression', { default: 'string' }),
        status: arg.any('Expected status: code or pattern; a list of codes with `status_type: list`', {
          optional: true,
        }),
        status_type: arg.text('string, pcre for a regular expression, or list', { default: 'string' }),
        wait_for: arg.number('Timeout in seconds for repeated attempts; a single attempt by default', {
          optional: true,
        }),
        kwargs,
      },
      run: query,
    }),
    wait_for_successful_query: state({
      doc: 'Ensure that a web server answers as expected within a timeout. Takes the arguments of `http.query`.',
      args: { name, wait_for: arg.number('Timeout in seconds', { default: 300 }), kwargs },
      run: (ctx, { name, wait_for, kwargs }) => waitFor(ctx, numberOf(wait_for)!, expectationOf(name, kwargs)),
    }),
  },
})
