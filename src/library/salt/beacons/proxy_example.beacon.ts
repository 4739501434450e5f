// Reports the JSON answer of a proxied device, fetched below the address of the proxy.
import { type Dict, isDict, PyError, str, type Value } from '../../../data/mod.ts'
import { defineBeacon } from '../../../sdk/mod.ts'

const required = (options: Dict, name: string): Value => {
  const value = options.get(name)
  if (value === undefined) throw new PyError('KeyError', `'${name}'`)
  return value
}

export default defineBeacon({
  name: 'proxy_example',
  doc: 'Report the JSON answer of a page of a proxied device.',
  validate: () => undefined,
  beacon: async (ctx, config) => {
    const proxy = required(ctx.opts, 'proxy')
    const url = `${str(isDict(proxy) ? required(proxy, 'url') : '')}${str(required(config, 'endpoint'))}`
    const answer = await ctx.call('http.query', [url], { decode: true, decode_type: 'json' })
    const data = isDict(answer) ? required(answer, 'dict') : null
    return isDict(data) ? [data] : []
  },
})
