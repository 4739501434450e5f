// `splunk`: returns and events to the HTTP Event Collector of Splunk.
import { dictFrom, dumpJson, failure, str, truthy, type Value } from '../../../data/mod.ts'
import { askWeb, defineReturner, type FunctionContext, option } from '../../../sdk/mod.ts'

const PORT = 8088

async function send(ctx: FunctionContext, events: readonly Value[]): Promise<void> {
  const setting = async (name: string, fallback: Value = ''): Promise<Value> =>
    ctx.call('config.get', [`splunk_http_forwarder:${name}`], { default: fallback })
  const [token, indexer] = [str(await setting('token')), str(await setting('indexer'))]
  if (token === '' || indexer === '') {
    throw failure(`splunk_http_forwarder:${token === '' ? 'token' : 'indexer'} is not set`)
  }
  const verify = truthy(await setting('verify_ssl', true))
  const [index, sourcetype] = [await setting('index'), await setting('sourcetype')]
  const host = str(ctx.grains.get('host') ?? option(ctx.opts, 'id'))
  const url = `https://${indexer.includes(':') ? indexer : `${indexer}:${PORT}`}/services/collector/event`
  for (const event of events) {
    const payload = dictFrom({ time: String(Math.floor(Date.now() / 1000)), index, sourcetype, event, host })
    const headers = { Authorization: `Splunk ${token}`, 'Content-Type': 'application/json' }
    const { status, text } = await askWeb(ctx, { url, method: 'POST', body: dumpJson(payload), headers, verify })
    if (status >= 300) throw failure(`Splunk at ${indexer} answers with status ${status}: ${text.slice(0, 200)}`)
  }
}

export default defineReturner({
  name: 'splunk',
  doc:
    'Send returns and events to the HTTP Event Collector of Splunk. Option `splunk_http_forwarder` with `token`, `indexer` (port 8088 unless given), ' +
    '`sourcetype`, `index` and `verify_ssl`.',
  functions: {
    returner: (ctx, ret) => send(ctx, [ret]),
    event_return: (ctx, events) => send(ctx, events),
  },
})
