// `sentry`: returns as events of Sentry, failed ones as errors. The settings are in pillar, under `raven`.
import { randomUUID } from 'node:crypto'
import { type Dict, dictFrom, dumpJson, failure, isDict, isList, str, truthy, type Value } from '../../../data/mod.ts'
import { askWeb, defineReturner, type FunctionContext, webUrl } from '../../../sdk/mod.ts'

/** The address for events, and the key that authenticates the sender. */
interface Project {
  url: string
  key: string
  secret: string
}

function projectOf(settings: Dict): Project {
  const text = (name: string): string => str(settings.get(name) ?? '')
  const dsn = text('dsn')
  if (dsn !== '') {
    const { protocol, host, pathname, username, password } = webUrl(dsn, 'raven:dsn in pillar')
    const [, base, id] = /^(.*)\/([^/]+)\/?$/.exec(pathname) ?? []
    if (!id) throw failure('raven:dsn in pillar names no project')
    return { url: `${protocol}//${host}${base}/api/${id}/store/`, key: username, secret: password }
  }
  const servers = settings.get('servers') ?? []
  const missing = ['servers', 'public_key', 'secret_key', 'project'].find((name) => !settings.has(name))
  if (missing || !isList(servers)) throw failure(`Sentry returner needs key '${missing ?? 'servers'}' in pillar`)
  const url = `${str(servers[0] ?? '')}/api/${encodeURIComponent(text('project'))}/store/`
  return { url, key: text('public_key'), secret: text('secret_key') }
}

/** Return the failed states of a state run, whose keys all contain dashes; undefined for other returns. */
function failedStates(returned: Value): Dict | undefined {
  if (!isDict(returned) || returned.size === 0) return undefined
  if (![...returned.keys()].every((key) => str(key).includes('-'))) return undefined
  return new Map([...returned].filter(([, state]) => isDict(state) && !truthy(state.get('result') ?? null)))
}

function messageOf(ret: Dict): string {
  const args = ret.get('fun_args') ?? []
  const list = isList(args) ? args : []
  const last = list.at(-1) ?? null
  const named = isDict(last) ? [...last].filter(([key]) => !str(key).startsWith('_')) : []
  const words = [
    ...list.filter((arg) => typeof arg === 'string').map(str),
    ...named.map(([key, value]) => `${str(key)}=${str(value)}`).sort(),
  ]
  return ['salt func:', str(ret.get('fun') ?? ''), ...words].join(' ')
}

async function report(ctx: FunctionContext, ret: Dict): Promise<void> {
  const settings = ctx.pillar.get('raven') ?? null
  if (!isDict(settings)) throw failure("Sentry returner needs the key 'raven' in pillar")
  const failed = failedStates(ret.get('return') ?? null)
  const isFine = failed ? failed.size === 0 : truthy(ret.get('success') ?? false)
  if (isFine && truthy(settings.get('report_errors_only') ?? false)) return
  const { url, key, secret } = projectOf(settings)
  const message = messageOf(ret)
  const result = failed && failed.size > 0 ? new Map(ret).set('failed_states', failed) : ret
  const names = settings.get('tags') ?? []
  const tags = isList(names) ? names.map((name): [Value, Value] => [name, ctx.grains.get(name) ?? null]) : []
  // pillar contains secrets, so it is sent only on request
  const shown: Value = settings.get('hide_pillar') === false ? ctx.pillar : 'HIDDEN'
  const event = new Map<Value, Value>([
    ['event_id', randomUUID().replaceAll('-', '')],
    ['timestamp', new Date().toISOString().slice(0, 19)],
    ['platform', 'python'],
    ['culprit', message],
    ['level', isFine ? 'info' : 'error'],
    ['message', message],
    ['tags', new Map(tags)],
    ['extra', dictFrom({ result, pillar: shown, grains: ctx.grains })],
  ])
  const login = [`sentry_key=${key}`, ...(secret === '' ? [] : [`sentry_secret=${secret}`])].join(', ')
  const headers = { 'Content-Type': 'application/json', 'X-Sentry-Auth': `Sentry sentry_version=7, ${login}` }
  const { status, text } = await askWeb(ctx, { url, method: 'POST', body: dumpJson(event), headers })
  if (status >= 300) throw failure(`Sentry answers with status ${status}: ${text.slice(0, 200)}`)
}

export default defineReturner({
  name: 'sentry_return',
  virtual: 'sentry',
  doc:
    'Send returns to Sentry, failed ones as errors. Pillar `raven` has `dsn` (or `servers`, `public_key`, `secret_key` and `project`), `tags` (grains), ' +
    '`report_errors_only` and `hide_pillar` (True; with False the whole pillar is sent along).',
  functions: { returner: report },
})
