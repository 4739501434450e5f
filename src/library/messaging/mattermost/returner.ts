// `mattermost`: returns and events as messages of an incoming webhook of Mattermost.
import { type Dict, dumpJson, type Value } from '../../../data/mod.ts'
import { askWeb, defineReturner, type FunctionContext, returnerOptions, webUrl } from '../../../sdk/mod.ts'
import { eventMessage, returnMessage } from '../common/return-message.ts'

const DEFAULTS = { api_url: '', channel: '', username: '', hook: '' }

async function post(ctx: FunctionContext, messages: readonly string[], ret?: Dict): Promise<void> {
  const { api_url, channel, username, hook } = await returnerOptions(ctx, 'mattermost', DEFAULTS, ret)
  if (hook === '' || api_url === '') {
    ctx.log('error', `mattermost.${hook === '' ? 'hook' : 'api_url'} not defined in salt config`)
    return
  }
  const url = new URL(
    `/hooks/${encodeURIComponent(String(hook))}`,
    webUrl(String(api_url), 'The option mattermost.api_url'),
  )
  for (const message of messages) {
    const payload: Dict = new Map<Value, Value>([
      ...(channel === '' ? [] : [['channel', channel] as [Value, Value]]),
      ...(username === '' ? [] : [['username', username] as [Value, Value]]),
      ['text', `\`\`\`${message}\`\`\``],
    ])
    const body = new URLSearchParams({ payload: dumpJson(payload) }).toString()
    const { status, text } = await askWeb(ctx, { url: url.href, method: 'POST', body, hasSecretPath: true })
    // the address holds the hook, which is a secret
    if (status >= 300)
      ctx.log('error', `Mattermost at ${url.origin} answers with status ${status}: ${text.slice(0, 200)}`)
  }
}

export default defineReturner({
  name: 'mattermost_returner',
  virtual: 'mattermost',
  doc: 'Post returns and events to Mattermost. Options `mattermost.hook`, `mattermost.api_url`, `mattermost.channel` and `mattermost.username`.',
  functions: {
    returner: (ctx, ret) => post(ctx, [returnMessage(ret)], ret),
    event_return: (ctx, events) => post(ctx, events.map(eventMessage)),
  },
})
