// Returners that send messages to services: the requests that each of them makes. The services are not here; a client of the web that
// keeps requests stands in for the network.
import { expect, test } from 'vitest'
import { returnerOf } from '../../src/daemon/mod.ts'
import { type Dict, fromPlain, type Plain, toPlain, type Value } from '../../src/data/mod.ts'
import { LocalHost, MemoryHost } from '../../src/host/mod.ts'
import { moduleTable, Registry } from '../../src/loader/mod.ts'
import type { FunctionContext } from '../../src/sdk/mod.ts'

interface Sent {
  method: string
  url: string
  headers: Record<string, string>
  data: string
}

const RET = {
  id: 'web1',
  jid: '20260102030405060708',
  fun: 'test.echo',
  fun_args: ['hällo', { b: 1, _x: 2 }],
  return: 'hällo',
  retcode: 0,
  success: true,
}
const MESSAGE =
  "id: web1\r\nfunction: test.echo\r\nfunction args: ['hällo', {'b': 1, '_x': 2}]\r\njid: 20260102030405060708\r\nreturn: "

const STATES = {
  'test_|-a_|-a_|-nop': { result: true, changes: {}, __run_num__: 0 },
  'test_|-b_|-b_|-fail': { result: false, changes: {}, __run_num__: 1 },
  'test_|-c_|-c_|-change': { result: true, changes: { x: 1 }, __run_num__: 2 },
}

function site(
  opts: Record<string, Plain>,
  answer: (sent: Sent) => Plain = () => ({ status: 200, body: '{"ok": true}' }),
) {
  const sent: Sent[] = []
  const logged: string[] = []
  const query = async (given: ReadonlyMap<string, Value>): Promise<Dict> => {
    const plain = (name: string): Plain => toPlain(given.get(name) ?? null) as Plain
    const one = {
      method: String(plain('method')),
      url: String(plain('url')),
      headers: (plain('header_dict') ?? {}) as Record<string, string>,
      data: String(plain('data') ?? ''),
    }
    sent.push(one)
    return fromPlain(answer(one)) as Dict
  }
  const noStreams = (): Promise<never> => Promise.reject(new Error('no streams here'))
  const { ctx } = new Registry(moduleTable, {
    opts: fromPlain({ id: 'web1', cachedir: '/tmp/brine-cache', extension_modules: '/nonexistent', ...opts }) as Dict,
    grains: fromPlain({ host: 'web1', os: 'Debian' }) as Dict,
    pillar: fromPlain(opts['pillar'] ?? {}) as Dict,
    host: new LocalHost(),
    log: (level, text) => void (level === 'error' && logged.push(text)),
    http: { query, open: noStreams, upgrade: noStreams },
  })
  const give = async (returner: string, ret: Plain): Promise<void> => {
    await (await returnerOf(ctx as FunctionContext, returner))!.returner!(ctx, fromPlain(ret) as Dict)
  }
  return { sent, logged, ctx, give }
}

const form = (data: string): Record<string, string> => Object.fromEntries(new URLSearchParams(data))

test('slack posts what a job returned, or only the states that matter', async () => {
  const settings = { 'slack.channel': '#ops', 'slack.username': 'salt', 'slack.api_key': 'key' }
  const ok = () => ({ status: 200, dict: { ok: true } })
  const all = site(settings, ok)
  await all.give('slack', RET)
  expect(all.sent[0]!.url).toContain('https://slack.com/api/chat.postMessage')
  expect(form(all.sent[0]!.data)).toMatchObject({
    channel: '#ops',
    username: 'salt',
    text: `\`\`\`${MESSAGE}'hällo'\r\n\`\`\``,
  })
  const failed = site({ ...settings, 'slack.only_show_failed': true, 'slack.yaml_format': true }, ok)
  await failed.give('slack', { ...RET, fun: 'state.apply', return: STATES })
  expect(form(failed.sent[0]!.data)['text']).toContain('return: test_|-b_|-b_|-fail:')
  expect(form(failed.sent[0]!.data)['text']).not.toMatch(/nop|change:/)
  const changed = site({ ...settings, 'slack.changes': true }, ok)
  await changed.give('slack', { ...RET, fun: 'state.apply', return: STATES })
  expect(form(changed.sent[0]!.data)['text']).toMatch(/fail.*[\s\S]*change/)
  const without = site({ 'slack.username': 'salt' })
  await without.give('slack', RET)
  expect([without.sent, without.logged]).toEqual([[], ['slack.api_key not defined in salt config']])
})

test('mattermost calls its webhook, and keeps the hook out of the log', async () => {
  const settings = {
    'mattermost.hook': 'secret-hook',
    'mattermost.api_url': 'https://chat.example.com',
    'mattermost.channel': 'ops',
  }
  const { sent, logged, ctx, give } = site(settings, () => ({ status: 403, body: 'no' }))
  await give('mattermost', RET)
  expect(sent[0]).toMatchObject({ method: 'POST', url: 'https://chat.example.com/hooks/secret-hook' })
  expect(JSON.parse(form(sent[0]!.data)['payload']!)).toEqual({
    channel: 'ops',
    text: `\`\`\`${MESSAGE}hällo\r\n\`\`\``,
  })
  expect(logged).toEqual(['Mattermost at https://chat.example.com answers with status 403: no'])
  const { event_return } = (await returnerOf(ctx, 'mattermost'))!
  await event_return!(ctx, [fromPlain({ tag: 'a/b', data: { x: 1 } }) as Dict])
  expect(JSON.parse(form(sent[1]!.data)['payload']!)).toEqual({ channel: 'ops', text: '```tag: a/b\r\nx: 1\r\n```' })
})

test('telegram sends a message of its bot, not longer than Telegram takes', async () => {
  const { sent, logged, give } = site({ 'telegram.chat_id': '-100', 'telegram.token': '123:AB' })
  await give('telegram', { ...RET, return: 'x'.repeat(5000) })
  expect(sent[0]!.url).toBe('https://api.telegram.org/bot123:AB/sendMessage')
  expect(form(sent[0]!.data)['chat_id']).toBe('-100')
  expect(form(sent[0]!.data)['text']).toHaveLength(4096)
  expect(logged).toEqual([])
})

test.each([
  ['telegram', { 'telegram.chat_id': '1', 'telegram.token': '123:SECRET' }],
  ['mattermost', { 'mattermost.hook': 'SECRET', 'mattermost.api_url': 'https://chat.example.com' }],
])('%s does not reveal the secret in its address when the server does not answer', async (returner, settings) => {
  const { sent, give } = site(settings, () => ({ error: 'connection refused' }))
  const error = await give(returner, RET).catch(String)
  expect(sent[0]!.url).toContain('SECRET')
  expect(error).toMatch(/https:\/\/[\w.]+ does not answer: connection refused/)
})

test('webhook does not reveal the rest of its address when the server does not answer', async () => {
  const { logged, give } = site({ 'webhook.url': 'https://chat.example.com/x?token=SECRET' }, () => ({
    error: 'refused',
  }))
  await give('webhook', RET)
  expect(logged).toEqual(['The webhook at https://chat.example.com failed: refused'])
})

test('splunk sends returns and events to its collector', async () => {
  const forwarder = { token: 'tok', indexer: 'splunk.example.com', sourcetype: 'salt', index: 'main' }
  const { sent, ctx, give } = site({ splunk_http_forwarder: forwarder })
  await give('splunk', RET)
  expect(sent[0]).toMatchObject({
    url: 'https://splunk.example.com:8088/services/collector/event',
    headers: { Authorization: 'Splunk tok' },
  })
  expect(JSON.parse(sent[0]!.data)).toEqual({
    time: expect.stringMatching(/^\d+$/),
    index: 'main',
    sourcetype: 'salt',
    host: 'web1',
    event: RET,
  })
  await (await returnerOf(ctx, 'splunk'))!.event_return!(ctx, [fromPlain({ tag: 'a', data: {} }) as Dict])
  expect(JSON.parse(sent[1]!.data)).toMatchObject({ event: { tag: 'a', data: {} } })
  await expect(site({}).give('splunk', RET)).rejects.toThrow('splunk_http_forwarder:token is not set')
  const refused = site({ splunk_http_forwarder: forwarder }, () => ({ status: 403, body: 'Invalid token' }))
  await expect(refused.give('splunk', RET)).rejects.toThrow(
    'Splunk at splunk.example.com answers with status 403: Invalid token',
  )
})

test('sentry gets failed states as an error, and no pillar unless asked', async () => {
  const raven = { dsn: 'https://pub:sec@sentry.example.com/base/7', tags: ['os'] }
  const { sent, give } = site({ pillar: { raven, password: 'canary' } })
  await give('sentry', { ...RET, fun: 'state.apply', return: STATES })
  expect(sent[0]).toMatchObject({
    url: 'https://sentry.example.com/base/api/7/store/',
    headers: { 'X-Sentry-Auth': 'Sentry sentry_version=7, sentry_key=pub, sentry_secret=sec' },
  })
  expect(JSON.parse(sent[0]!.data)).toMatchObject({
    level: 'error',
    message: 'salt func: state.apply hällo b=1',
    tags: { os: 'Debian' },
    extra: { pillar: 'HIDDEN', result: { failed_states: { 'test_|-b_|-b_|-fail': { result: false } } } },
  })
  expect(sent[0]!.data).not.toContain('canary')
  const quiet = site({ pillar: { raven: { ...raven, report_errors_only: true } } })
  await quiet.give('sentry', RET)
  expect(quiet.sent).toEqual([])
})

test('elasticsearch makes the index, and stores the return without dots in keys', async () => {
  const { sent, ctx, give } = site(
    { elasticsearch: { hosts: ['es.example.com:9200'], use_ssl: true, states_count: true, states_order_output: true } },
    ({ method, url }) =>
      method === 'GET'
        ? { status: 200, body: JSON.stringify({ _source: { jid: RET.jid, load: { fun: 'test.echo' } } }) }
        : { status: method === 'HEAD' && !url.includes('cache') ? 404 : 200, body: '{}' },
  )
  await give('elasticsearch', {
    ...RET,
    fun: 'state.apply',
    return: { ...STATES, 'x.y': { result: true, __run_num__: 3 } },
  })
  expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'HEAD https://es.example.com:9200/salt-state_apply-ordered',
    'PUT https://es.example.com:9200/salt-state_apply-ordered-v1',
    'PUT https://es.example.com:9200/salt-state_apply-ordered-v1/_alias/salt-state_apply-ordered',
    'POST https://es.example.com:9200/salt-state_apply-ordered/_doc',
  ])
  expect(JSON.parse(sent[3]!.data)).toMatchObject({
    success: true,
    minion: 'web1',
    counts: { succeeded: 3, failed: 1 },
    data: {
      '1_|-test_|-b_|-b_|-fail': { result: false, _func: 'test.fail' },
      _orig_key: '3_|-x.y',
      '3_|-x_y': { result: true },
    },
  })
  const { save_load, get_load, event_return } = (await returnerOf(ctx, 'elasticsearch'))!
  await save_load!(ctx, RET.jid, fromPlain({ fun: 'test.echo' }) as Dict, [])
  expect(sent.at(-1)).toMatchObject({
    method: 'PUT',
    url: `https://es.example.com:9200/salt-master-job-cache/_doc/${RET.jid}`,
  })
  expect(toPlain(await get_load!(ctx, RET.jid))).toEqual({ fun: 'test.echo' })
  await event_return!(
    ctx,
    [1, 2].map((x) => fromPlain({ tag: 'a', data: { x } }) as Dict),
  )
  expect(sent.slice(-2).map(({ data }) => JSON.parse(data))).toEqual([1, 2].map((x) => ({ tag: 'a', data: { x } })))
})

test('kafka hands the return to kcat', async () => {
  const host = new MemoryHost()
  host.which = async (name) => `/usr/bin/${name}`
  const runs: unknown[] = []
  host.run = async ({ argv, stdin }) => {
    runs.push([argv, JSON.parse(String(stdin))])
    return { retcode: 0, stdout: new Uint8Array(), stderr: new Uint8Array() } as never
  }
  const opts = fromPlain({ 'returner.kafka.bootstrap': ['k1:9092', 'k2:9092'], 'returner.kafka.topic': 'salt' }) as Dict
  const { ctx } = new Registry(moduleTable, { opts, grains: new Map(), pillar: new Map(), host })
  await (await returnerOf(ctx, 'kafka'))!.returner!(ctx, fromPlain(RET) as Dict)
  expect(runs).toEqual([[['kcat', '-P', '-b', 'k1:9092,k2:9092', '-t', 'salt', '-D', '\\x00'], RET]])
})

test('mongo stores documents without dots in keys, and finds them', async () => {
  const asked: Plain[] = []
  const { ctx } = new Registry(moduleTable, { opts: new Map(), grains: new Map(), pillar: new Map() })
  const own: FunctionContext = {
    ...ctx,
    call: ((name: string, args: Value[] = [], kwargs: object = {}) => {
      const [module, fun] = name.split('.')
      if (module !== 'mongodb') return ctx.call(name, args)
      asked.push([fun!, toPlain(args) as Plain, kwargs as Plain])
      if (fun === 'insert') return true
      return [fromPlain({ minion: 'web1', jid: RET.jid, full_ret: { return: 1 } })]
    }) as FunctionContext['call'],
  }
  const mongo = (await returnerOf(ctx, 'mongo'))!
  await mongo.returner!(own, fromPlain({ ...RET, return: { 'a.b': { 'c.d': 1 } } }) as Dict)
  const server = { host: 'salt', port: 27017, user: '', password: '', database: 'salt' }
  expect(asked[0]).toEqual([
    'insert',
    [[expect.objectContaining({ minion: 'web1', return: { 'a-b': { 'c-d': 1 } } })], 'saltReturns'],
    server,
  ])
  expect(toPlain(await mongo.get_jid!(own, RET.jid))).toEqual({ web1: { return: 1 } })
  expect(asked[1]).toEqual(['find', ['saltReturns', [{ jid: RET.jid }]], server])
})
