// A web server's answer as a state: whether it has the wanted status and text.
import { compileRegex, type Dict, iterate, numberOf, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

interface Wanted {
  name: string
  match: Value
  match_type: Value
  status: Value
  status_type: Value
  wait_for: Value
  kwargs: ReadonlyMap<string, Value>
}

/** Whether a wish is met, and the sentence about it. */
interface Verdict {
  met: boolean
  said: string
}

const verdict = (met: boolean, what: string): Verdict => ({ met, said: `${what} was ${met ? '' : 'not '}found.` })

const matches = (pattern: Value, text: Value): boolean => compileRegex(str(pattern)).search(str(text)) !== null

function textVerdict({ match, match_type }: Wanted, data: Dict): Verdict | undefined {
  const text = data.get('text') ?? ''
  if (match === null) return undefined
  if (match_type === 'string') return verdict(str(text).includes(str(match)), `Match text "${str(match)}"`)
  if (match_type === 'pcre') return verdict(matches(match, text), `Match pattern "${str(match)}"`)
  return undefined
}

function statusVerdict({ status, status_type }: Wanted, data: Dict, earlier: boolean | null): Verdict | undefined {
  const seen = str(data.get('status') ?? '')
  if (status === null) return undefined
  if (status_type === 'string') return verdict(seen === str(status), `Status ${str(status)}`)
  if (status_type === 'pcre') return verdict(matches(status, seen), `Status pattern "${str(status)}"`)
  if (status_type !== 'list') return undefined
  const found = [...iterate(status)].filter((one) => str(one) === seen).map((one) => `Status ${str(one)} was found.`)
  const met = found.length > 0 && earlier !== false
  // where the text was not found, the statuses count as not found either, as in Salt
  const missing = (earlier ?? found.length > 0) ? [] : [`Statuses ${str(status)} were not found.`]
  return { met: met || earlier === true, said: [...found, ...missing].join(' ') }
}

async function ask(ctx: StateContext, { name, wait_for, kwargs }: Wanted): Promise<Dict> {
  const keywords = new Map<string, Value>([['decode', false], ...kwargs, ['text', true], ['status', true]])
  if (ctx.test) keywords.set('test', true)
  if (!truthy(wait_for)) return ctx.call('http.query', [name], keywords)
  return ctx.call('http.wait_for_successful_query', [name], keywords.set('wait_for', wait_for))
}

async function query(ctx: StateContext, wanted: Wanted): Promise<StateReturn> {
  const { name, match, status, kwargs } = wanted
  if (match === null && status === null) {
    const comment = ' Either match text (match) or a status code (status) is required.'
    return { name, result: false, comment, changes: {}, data: {} }
  }
  const data = await ask(ctx, wanted)
  const text = textVerdict(wanted, data)
  const code = statusVerdict(wanted, data, text?.met ?? null)
  const verdicts = [text, code].filter((one) => one !== undefined)
  const result = verdicts.length === 0 ? null : verdicts.every(({ met }) => met)
  const comment = verdicts.map(({ said }) => said).join(' ')
  if (!ctx.test) return { name, result, comment, changes: {}, data }
  const address = kwargs.has('test_url') ? `, TEST URL WAS: ${str(kwargs.get('test_url')!)}` : ''
  return { name, result: null, comment: `${comment} (TEST MODE${address})`, changes: {}, data }
}

/** What `query` takes, from keywords alone. */
function wantedFrom(name: string, keywords: ReadonlyMap<string, Value>): Wanted {
  const kwargs = new Map(keywords)
  const take = (key: string, otherwise: Value = null): Value => {
    const value = kwargs.get(key) ?? otherwise
    kwargs.delete(key)
    return value
  }
  return {
    name,
    match: take('match'),
    match_type: take('match_type', 'string'),
    status: take('status'),
    status_type: take('status_type', 'string'),
    wait_for: null,
    kwargs,
  }
}

/** Between two tries where no interval is given. */
const PAUSE = 0.1

async function waitFor(ctx: StateContext, seconds: number, wanted: Wanted): Promise<StateReturn> {
  const end = performance.now() + seconds * 1000
  const interval = numberOf(wanted.kwargs.get('request_interval') ?? null) ?? PAUSE
  for (;;) {
    const outcome = await query(ctx, wanted).catch((error: unknown) => ({ error }))
    const isReport = 'comment' in outcome
    // a dry run asks nobody, so there is nothing to wait for
    if (isReport && (outcome.result === true || ctx.test)) return outcome
    if (performance.now() > end) {
      if (isReport) return outcome
      throw outcome.error
    }
    await new Promise((resolve) => setTimeout(resolve, interval * 1000))
  }
}

const name = arg.string('The address')
const kwargs = arg.open('How it is asked, as for the function http.query')

export default defineState({
  name: 'http',
  doc: 'What web servers answer.',
  functions: {
    query: state({
      doc: 'A web server answers as wanted.',
      args: {
        name,
        match: arg.text('What the text of the answer must have', { optional: true }),
        match_type: arg.text('string, or pcre for a regular expression', { default: 'string' }),
        status: arg.any('The status that is wanted', { optional: true }),
        status_type: arg.text('string, pcre for a regular expression, or list', { default: 'string' }),
        wait_for: arg.any('For how many seconds it may fail', { optional: true }),
        kwargs,
      },
      run: query,
    }),
    wait_for_successful_query: state({
      doc: 'A web server answers as wanted before a time is over.',
      args: { name, wait_for: arg.number('For how many seconds', { default: 300 }), kwargs },
      run: (ctx, { name, wait_for, kwargs }) => waitFor(ctx, numberOf(wait_for)!, wantedFrom(name, kwargs)),
    }),
  },
})
