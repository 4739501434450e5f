// `elasticsearch`: returns, events and loads of jobs as documents of Elasticsearch. An index is made when it is missing: `NAME-v1`, with the
// alias `NAME`.
import { randomUUID } from 'node:crypto'
import {
  type Dict,
  dictFrom,
  dumpJson,
  failure,
  isDict,
  isList,
  loadJson,
  numberOf,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import {
  askWeb,
  defineReturner,
  type FunctionContext,
  returnerOptions,
  type WebAnswer,
  type WebRequest,
} from '../../../sdk/mod.ts'

const DEFAULTS = {
  debug_returner_payload: false,
  doc_type: 'default',
  functions_blacklist: [] as Value[],
  index_date: false,
  master_event_index: 'salt-master-event-cache',
  master_event_doc_type: 'default',
  master_job_cache_index: 'salt-master-job-cache',
  master_job_cache_doc_type: 'default',
  number_of_shards: 1,
  number_of_replicas: 0,
  states_order_output: false,
  states_count: false,
  states_single_index: false,
}

type Options = Record<keyof typeof DEFAULTS, Value>

const STATE_FUNCTIONS = ['state.apply', 'state.highstate', 'state.sls']

const optionsOf = (ctx: FunctionContext, ret?: Dict): Promise<Options> =>
  returnerOptions<keyof typeof DEFAULTS>(ctx, 'elasticsearch', DEFAULTS, ret)

/** Send a request to the first host of the profile `elasticsearch`. */
async function send(ctx: FunctionContext, path: string, request: Omit<WebRequest, 'url'> = {}): Promise<WebAnswer> {
  const profile = await ctx.call('config.option', ['elasticsearch'])
  const setting = (name: string): Value => (isDict(profile) ? (profile.get(name) ?? null) : null)
  const hosts = truthy(setting('host')) ? setting('host') : setting('hosts')
  const host = str((isList(hosts) ? hosts[0] : hosts) || '127.0.0.1:9200')
  const base = /^https?:/.test(host)
    ? host.replace(/\/$/, '')
    : `${truthy(setting('use_ssl')) ? 'https' : 'http'}://${host}`
  const ca = setting('ca_certs')
  return askWeb(ctx, {
    url: `${base}/${path}`,
    headers: { 'Content-Type': 'application/json' },
    ...(truthy(setting('username')) && { username: str(setting('username')), password: str(setting('password')) }),
    ...(truthy(ca) && { ca: str(ca) }),
    ...(setting('verify_certs') !== null && { verify: truthy(setting('verify_certs')) }),
    ...request,
  })
}

async function sent(ctx: FunctionContext, path: string, method: string, body: Value): Promise<void> {
  const { status, text } = await send(ctx, path, { method, body: dumpJson(body) })
  if (status >= 300) throw failure(`Elasticsearch answers with status ${status} to ${path}: ${text.slice(0, 300)}`)
}

async function ensureIndex(ctx: FunctionContext, index: string, options: Options): Promise<void> {
  if ((await send(ctx, encodeURIComponent(index), { method: 'HEAD' })).status === 200) return
  const settings: Dict = new Map([
    ['number_of_shards', options.number_of_shards],
    ['number_of_replicas', options.number_of_replicas],
  ])
  const name = encodeURIComponent(`${index}-v1`)
  await sent(ctx, name, 'PUT', new Map([['settings', settings]]))
  await sent(ctx, `${name}/_alias/${encodeURIComponent(index)}`, 'PUT', new Map())
}

/** Servers before version 7 have types of documents; later ones know `_doc`. */
const documentPath = (index: string, type: Value, id?: string): string => {
  const kind = str(type) === 'default' ? '_doc' : encodeURIComponent(str(type))
  return `${encodeURIComponent(index)}/${kind}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
}

const today = (): string => new Date().toISOString().slice(0, 10).replaceAll('-', '.')

/** Dots in keys would be paths for the server. */
function withoutDots(data: Value): Value {
  if (isList(data)) return data.map(withoutDots)
  if (!isDict(data)) return data
  const found: Dict = new Map()
  for (const [key, value] of data) {
    const name = str(key)
    if (name.includes('.')) found.set('_orig_key', name)
    found.set(name.replaceAll('.', '_'), withoutDots(value))
  }
  return found
}

/** Prefix the keys of states with their order in the run, for sorting. */
function inRunOrder(states: Dict): Dict {
  const width = String(states.size).length
  return new Map(
    [...states].map(([key, state]): [Value, Value] => {
      if (!isDict(state)) return [key, state]
      const parts = str(key).split('_|-')
      const run = String(numberOf(state.get('__run_num__') ?? 0) ?? 0).padStart(width, '0')
      return [`${run}_|-${str(key)}`, new Map(state).set('_func', `${parts[0]}.${parts.at(-1)}`)]
    }),
  )
}

function countsOf(states: Dict): Dict {
  const failed = [...states.values()].filter((state) => isDict(state) && state.get('result') === false).length
  return dictFrom({ succeeded: states.size - failed, failed })
}

async function store(ctx: FunctionContext, ret: Dict): Promise<void> {
  const options = await optionsOf(ctx, ret)
  const fun = str(ret.get('fun') ?? '')
  const skipped = options.functions_blacklist
  if ((isList(skipped) && skipped.map(str).includes(fun)) || (ret.get('return') ?? null) === null) return
  const isRun = STATE_FUNCTIONS.includes(fun)
  let index = truthy(options.states_single_index) && isRun ? 'salt-state_apply' : `salt-${fun.replaceAll('.', '_')}`
  if (truthy(options.index_date)) index = `${index}-${today()}`
  let returned = ret.get('return')!
  let counts: Dict = new Map()
  if (isRun) {
    if (!isDict(returned)) returned = new Map([['return', returned]])
    else if (truthy(options.states_order_output)) {
      index = `${index}-ordered`
      returned = inRunOrder(returned)
    }
    if (truthy(options.states_count)) counts = countsOf(returned)
  }
  await ensureIndex(ctx, index, options)
  const retcode = ret.get('retcode') ?? 1
  const data = new Map<Value, Value>([
    ['@timestamp', new Date().toISOString()],
    ['success', !truthy(retcode)],
    ['retcode', retcode],
    ['minion', ret.get('id') ?? null],
    ['fun', fun],
    ['jid', ret.get('jid') ?? null],
    ['counts', counts],
    ['data', withoutDots(returned)],
  ])
  if (truthy(options.debug_returner_payload)) ctx.log('debug', `elasticsearch payload: ${dumpJson(data)}`)
  await sent(ctx, documentPath(index, options.doc_type), 'POST', data)
}

export default defineReturner({
  name: 'elasticsearch_return',
  virtual: 'elasticsearch',
  doc:
    'Store returns, events and loads of jobs in Elasticsearch. The option `elasticsearch` has `host` or `hosts`, `use_ssl`, `username`, `password`, `ca_certs` ' +
    'and `verify_certs`; `elasticsearch.index_date`, `elasticsearch.states_count` and others are those of Salt.',
  functions: {
    returner: store,
    event_return: async (ctx, events) => {
      const options = await optionsOf(ctx)
      const name = str(options.master_event_index)
      const index = truthy(options.index_date) ? `${name}-${today()}` : name
      await ensureIndex(ctx, index, options)
      for (const event of events) {
        const data = dictFrom({ tag: event.get('tag') ?? '', data: event.get('data') ?? '' })
        await sent(ctx, documentPath(index, options.master_event_doc_type, randomUUID()), 'PUT', data)
      }
    },
    save_load: async (ctx, jid, load) => {
      const options = await optionsOf(ctx)
      const index = str(options.master_job_cache_index)
      await ensureIndex(ctx, index, options)
      const data = dictFrom({ jid, load })
      await sent(ctx, documentPath(index, options.master_job_cache_doc_type, jid), 'PUT', data)
    },
    get_load: async (ctx, jid) => {
      const options = await optionsOf(ctx)
      const path = documentPath(str(options.master_job_cache_index), options.master_job_cache_doc_type, jid)
      const { status, text } = await send(ctx, path)
      const found = status === 200 ? loadJson(text) : null
      const source = isDict(found) ? (found.get('_source') ?? null) : null
      const load = isDict(source) ? (source.get('load') ?? null) : null
      return isDict(load) ? load : new Map()
    },
  },
})
