// Sends events of the bus to a URL, one request each.
import { dumpJson, fnmatch, isList, str, type Value } from '../../../data/mod.ts'
import { arg, type BusMessage, defineEngine } from '../../../sdk/mod.ts'

export default defineEngine({
  name: 'http_logstash',
  doc: 'Send the data of events to Logstash, or another server that takes JSON, by POST requests.',
  args: {
    url: arg.string('URL of the server'),
    funs: arg.any('List of functions: events with another `fun` are not sent', { optional: true }),
    tags: arg.any('List of globs: only events with a matching tag are sent', { optional: true }),
  },
  start: async (ctx, { url, funs, tags }) => {
    for await (const event of ctx.events()) {
      if (!isWanted(event, funs, tags)) continue
      const query = new Map<string, Value>([
        ['url', url],
        ['method', 'POST'],
        ['header_dict', new Map<Value, Value>([['Content-Type', 'application/json']])],
        ['data', dumpJson(event.data)],
        ['decode', true],
        ['status', true],
        ['opts', ctx.opts],
      ])
      const answer = await ctx.http.query(query)
      // the next event is sent all the same
      const error = answer.get('error')
      if (error !== undefined) ctx.log('error', `http_logstash: ${url} does not take ${event.tag}: ${str(error)}`)
    }
  },
})

function isWanted({ tag, data }: BusMessage, funs: Value, tags: Value): boolean {
  if (isList(tags) && tags.length > 0 && !tags.some((glob) => fnmatch(tag, str(glob)))) return false
  const fun = data.get('fun')
  return !isList(funs) || funs.length === 0 || fun === undefined || funs.map(str).includes(str(fun))
}
