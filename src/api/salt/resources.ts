// The resources of Salt's API that run functions: `/`, `/run`, `/minions`, `/jobs` and `/keys`.
import { type Dict, dictFrom, isDict, str, type Value } from '../../data/mod.ts'
import { HttpError } from '../errors.ts'
import { CLIENTS, runLowstate } from '../lowstate.ts'
import { keyArchive } from './key-archive.ts'
import { answerLogin, askLogin, logOut, makeToken } from './login.ts'
import { type ApiResource, isChunks, lowstateOf, type ResourceAnswer, type SaltCall, tokenField } from './resource.ts'

const returned = (value: Value): ResourceAnswer => ({ value: new Map([['return', value]]) })

function welcome(): ResourceAnswer {
  return {
    value: dictFrom({ return: 'Welcome', clients: [...CLIENTS] }),
  }
}

const asSession = (call: SaltCall, lowstate: Value): Promise<Value[]> =>
  runLowstate(call.work, lowstate, tokenField(call))

async function minions(call: SaltCall): Promise<ResourceAnswer> {
  return returned(
    await asSession(call, [dictFrom({ client: 'local', tgt: call.parts['mid'] ?? '*', fun: 'grains.items' })]),
  )
}

/** Start jobs, and return where their returns will be. */
async function beginJobs(call: SaltCall): Promise<ResourceAnswer> {
  const fixed = new Map([...tokenField(call), ['client', 'local_async']])
  const jobs = await runLowstate(call.work, lowstateOf(call), fixed)
  const links = jobs
    .filter((job): job is Dict => isDict(job) && job.size > 0)
    .map((job): Value => new Map([['href', `/jobs/${str(job.get('jid')!)}`]]))
  const value: Value = dictFrom({ return: jobs, _links: new Map([['jobs', links]]) })
  return { value, status: 202 }
}

async function jobs(call: SaltCall): Promise<ResourceAnswer> {
  const { jid } = call.parts
  if (jid === undefined) {
    const [all = null] = await asSession(call, [dictFrom({ client: 'runner', fun: 'jobs.list_jobs' })])
    return returned([all])
  }
  const [job = null] = await asSession(call, [dictFrom({ client: 'runner', fun: 'jobs.list_job', jid })])
  const result = isDict(job) ? (job.get('Result') ?? null) : null
  if (!isDict(result)) throw new TypeError('The job has no result')
  const values = [...result].map(([id, data]): [Value, Value] => [
    id,
    isDict(data) ? (data.get('return') ?? null) : null,
  ])
  return {
    value: dictFrom({ info: [job], return: [new Map(values)] }),
  }
}

async function keys(call: SaltCall): Promise<ResourceAnswer> {
  const { mid: id } = call.parts
  const wanted = id === undefined ? { fun: 'key.list_all' } : { fun: 'key.finger', match: id }
  const [answer = null] = await asSession(call, [dictFrom({ client: 'wheel', ...wanted })])
  const data = isDict(answer) ? (answer.get('data') ?? null) : null
  return returned(isDict(data) ? (data.get('return') ?? new Map()) : new Map())
}

/** Make a key pair, accept it, and send it as an archive. */
async function makeKeys(call: SaltCall): Promise<ResourceAnswer> {
  const lowstate = lowstateOf(call)
  if (!isChunks(lowstate) || lowstate.length === 0) throw new TypeError('The body is no mapping')
  const given: Dict = new Map([...lowstate[0]!, ...tokenField(call)])
  given.set('client', 'wheel').set('fun', 'key.gen_accept')
  const mid = given.get('mid')
  if (mid !== undefined) given.set('id_', mid)
  given.delete('mid')
  const [answer = null] = await runLowstate(call.work, [given])
  const data = isDict(answer) ? (answer.get('data') ?? null) : null
  const made = isDict(data) ? (data.get('return') ?? null) : null
  if (!isDict(made)) throw new TypeError(str(made))
  return keyArchive(str(given.get('id_') ?? ''), str(made.get('pub') ?? ''), str(made.get('priv') ?? ''))
}

async function run(call: SaltCall): Promise<ResourceAnswer> {
  return returned(await runLowstate(call.work, lowstateOf(call)))
}

/** Salt has no page here, and fails. */
function noPage(): never {
  throw new HttpError(500, '')
}

const ALLOW = 'GET, HEAD, POST'
const BOTH = ['GET', 'POST'] as const

const runAsSession = async (call: SaltCall): Promise<ResourceAnswer> =>
  returned(await asSession(call, lowstateOf(call)))

/** By path. */
export const RESOURCES: ReadonlyMap<string, ApiResource> = new Map<string, ApiResource>([
  [
    '/',
    {
      handlers: { GET: { answer: welcome }, POST: { answer: runAsSession, query: 'any' } },
      allow: ALLOW,
      sessions: ['POST'],
      login: ['POST'],
      keepsAnswers: true,
    },
  ],
  [
    '/login',
    {
      handlers: { GET: { answer: askLogin }, POST: { answer: answerLogin, query: 'any' } },
      allow: ALLOW,
      sessions: BOTH,
      login: [],
    },
  ],
  [
    '/logout',
    {
      handlers: { GET: { answer: noPage, isBare: true }, POST: { answer: logOut } },
      allow: ALLOW,
      sessions: ['POST'],
      login: ['POST'],
    },
  ],
  [
    '/token',
    {
      handlers: { GET: { answer: welcome }, POST: { answer: makeToken, query: 'any' } },
      allow: ALLOW,
      sessions: [],
      login: [],
    },
  ],
  [
    '/minions',
    {
      handlers: { GET: { answer: minions, parts: ['mid'] }, POST: { answer: beginJobs, query: 'any' } },
      allow: ALLOW,
      sessions: BOTH,
      login: BOTH,
      keepsAnswers: true,
    },
  ],
  [
    '/jobs',
    {
      handlers: { GET: { answer: jobs, parts: ['jid', 'timeout'] }, POST: { answer: runAsSession, query: 'any' } },
      allow: ALLOW,
      sessions: BOTH,
      login: BOTH,
    },
  ],
  [
    '/keys',
    {
      handlers: {
        GET: { answer: keys, parts: ['mid'] },
        POST: { answer: makeKeys, query: 'any', isBare: true, isWithoutCookie: true },
      },
      allow: ALLOW,
      sessions: BOTH,
      login: [],
    },
  ],
  [
    '/run',
    {
      handlers: { GET: { answer: welcome }, POST: { answer: run, query: 'any' } },
      allow: ALLOW,
      sessions: [],
      login: [],
      keepsAnswers: true,
    },
  ],
])

/** The resources that exist only with sessions. */
export const OF_SESSIONS: ReadonlySet<string> = new Set(['/login', '/logout', '/minions', '/jobs'])
