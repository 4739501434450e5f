// `webhook`: returns and events as JSON to a web server.
import { type Dict, dumpJson, str, type Value } from '../../../data/mod.ts'
import { defineReturner, type FunctionContext, returnerOptions, webUrl } from '../../../sdk/mod.ts'

const DEFAULTS = { url: null, method: 'POST', headers: null, username: null, password: null }

async function send(ctx: FunctionContext, data: Value, ret?: Dict): Promise<void> {
  const { url, method, headers, username, password } = await returnerOptions(ctx, 'webhook', DEFAULTS, ret)
  if (url === null) {
    ctx.log('error', 'The webhook returner needs the option webhook.url')
    return
  }
  const { origin } = webUrl(str(url), 'The option webhook.url')
  const header: Dict = new Map<Value, Value>([['Content-Type', 'application/json']])
  if (headers instanceof Map) for (const [name, value] of headers) header.set(name, value)
  const parameters = new Map<string, Value>([
    ['url', str(url)],
    ['method', method],
    ['data', dumpJson(data)],
    ['header_dict', header],
    ...(username === null
      ? []
      : ([
          ['username', username],
          ['password', password],
        ] as Array<[string, Value]>)),
  ])
  const answer = await ctx.http.query(parameters)
  // the rest of the address may hold a token
  if (answer.has('error')) ctx.log('error', `The webhook at ${origin} failed: ${str(answer.get('error')!)}`)
}

export default defineReturner({
  name: 'webhook',
  doc: 'Send returns and events to a web server.',
  functions: {
    returner: (ctx, ret) => send(ctx, ret, ret),
    event_return: (ctx, events) => send(ctx, [...events]),
  },
})
