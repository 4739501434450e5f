// Lowstate: requests to the API as a list of chunks. A chunk names a client (`local`, `runner`, `wheel` …), a function
// and its arguments, and contains the credentials of its caller. The master authorises every chunk.
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, str, truthy, type Value } from '../data/mod.ts'
import { beginBatch, runApiBatch } from './clients/batch.ts'
import { local, localAsync, localSubset } from './clients/local.ts'
import { runner, runnerAsync, wheel, wheelAsync } from './clients/master-calls.ts'
import { ssh } from './clients/ssh.ts'
import type { ClientWork } from './clients/work.ts'
import { HttpError } from './errors.ts'

type Client = (work: ClientWork, low: Dict) => Promise<Value[]>

const one =
  (client: (work: ClientWork, low: Dict) => Promise<Value>): Client =>
  async (work, low) => [await client(work, low)]

const RUNNERS: ReadonlyMap<string, Client> = new Map([
  ['local', one(local)],
  ['local_async', one(localAsync)],
  ['local_batch', runApiBatch],
  ['local_subset', one(localSubset)],
  ['runner', one(runner)],
  ['runner_async', one(runnerAsync)],
  ['ssh', one(ssh)],
  ['wheel', one(wheel)],
  ['wheel_async', one(wheelAsync)],
])

/** The names of the clients. Salt's list contains `destroy`, which is a method of its class and no client. */
export const CLIENTS: readonly string[] = ['destroy', ...RUNNERS.keys()]

const CREDENTIALS = ['token', 'eauth'] as const

/** Run one chunk. Return its results: one, or one for each return of a batch. */
async function runChunk(work: ClientWork, chunk: Dict): Promise<Value[]> {
  const { opts } = work.master.access
  const low: Dict = new Map(chunk)
  const arg = low.get('arg')
  if (arg !== undefined && !isList(arg)) low.set('arg', [arg])
  const token = low.get('token')
  if (token !== undefined && !isHex(token)) throw new HttpError(401, 'Invalid token')
  const name = low.get('client') ?? null
  const client = typeof name === 'string' ? RUNNERS.get(name) : undefined
  if (!client) throw new HttpError(400, `Invalid client specified: '${name === null ? 'None' : str(name)}'`)
  const enabled = option(opts, 'netapi_enable_clients')
  if (!isList(enabled) || !enabled.includes(name)) {
    throw new HttpError(
      400,
      `Client disabled: '${str(name)}'. Add to 'netapi_enable_clients' master config option to enable.`,
    )
  }
  if (!CREDENTIALS.some((field) => low.has(field))) throw new HttpError(401, 'No authentication credentials given')
  if (truthy(low.get('raw_shell') ?? null) && !option(opts, 'netapi_allow_raw_shell')) {
    throw new HttpError(401, 'Raw shell option not allowed.')
  }
  return runJudged(work, low, client)
}

/** Run a chunk whose form is checked, and fire its audit event. */
async function runJudged(work: ClientWork, low: Dict, client: Client): Promise<Value[]> {
  const hasPassword = !low.has('token')
  if (hasPassword) work.limits.beforeLogin(work.peer.host)
  try {
    const results = await client(work, low)
    await audited(work, low, results[0] ?? null)
    return results
  } catch (error) {
    if (error instanceof HttpError) {
      if (hasPassword && WRONG_PASSWORD.has(error.refusal ?? '')) work.limits.loginFailed(work.peer.host)
      await refusedChunk(work, low, error)
    }
    throw error
  }
}

/** Refusals of chunks with a password. The master does not distinguish a wrong password from a missing right. */
const WRONG_PASSWORD = new Set(['AuthenticationError', 'EauthAuthenticationError'])

/** Fields of a chunk in its audit event. */
const TOLD = ['client', 'fun', 'tgt', 'tgt_type', 'arg', 'kwarg']

const told = (low: Dict): Dict => new Map([...low].filter(([name]) => TOLD.includes(name as string)))

/** Return the user of a chunk: of the session, of the credentials, or of the token. */
async function userOf({ user, master, peer }: ClientWork, low: Dict): Promise<string> {
  if (user !== undefined || !low.has('token')) return user ?? str(low.get('username') ?? '')
  const asked = new Map<Value, Value>([['cmd', 'get_token']]).set('token', low.get('token')!)
  const token = await master.command(asked, peer)
  return isDict(token) ? str(token.get('name') ?? '') : ''
}

async function audited(work: ClientWork, low: Dict, result: Value): Promise<void> {
  const jid = isDict(result) ? (result.get('jid') ?? null) : null
  const fields = told(low).set('success', true)
  if (typeof jid === 'string') fields.set('jid', jid)
  work.audit.tell({
    what: 'call',
    user: await userOf(work, low),
    address: work.peer.host ?? '',
    isProven: true,
    fields,
  })
}

async function refusedChunk(work: ClientWork, low: Dict, { status, message }: HttpError): Promise<void> {
  const fields = told(low).set('success', false).set('status', status).set('reason', message)
  const isProven = work.user !== undefined
  work.audit.tell({ what: 'call', user: await userOf(work, low), address: work.peer.host ?? '', isProven, fields })
}

/** Begin a batch with the token of a session, and do not wait for its returns. */
export async function runBatchAsync(work: ClientWork, low: Dict): Promise<Value> {
  const [begun = null] = await runJudged(work, low, one(beginBatch))
  return begun
}

/** Run chunks in their order. The first that is refused ends the request; chunks before it have run. */
export async function runLowstate(work: ClientWork, lowstate: Value, fixed: Dict = new Map()): Promise<Value[]> {
  if (!isList(lowstate)) throw new HttpError(400, 'Lowstates must be a list')
  if (lowstate.length > MOST_CHUNKS) throw new HttpError(400, `A request has at most ${MOST_CHUNKS} chunks`)
  const results: Value[] = []
  for (const chunk of lowstate) {
    if (!isDict(chunk)) throw new TypeError('A chunk of the lowstate is no mapping')
    results.push(...(await runChunk(work, new Map([...chunk, ...fixed]))))
  }
  return results
}

const MOST_CHUNKS = 1000

/** Whether a value reads as a hexadecimal number, as tokens do. */
const isHex = (value: Value): boolean => typeof value === 'string' && /^[0-9a-fA-F]{1,128}$/.test(value)
