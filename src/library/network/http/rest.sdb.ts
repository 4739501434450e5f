// `rest`: answers of web services. Each setting of a profile except `driver` is a query, with `url` and the parameters
// of `http.query`.
import { failure, isDict, str, type Value } from '../../../data/mod.ts'
import { arg, defineSdb, type SdbContext } from '../../../sdk/mod.ts'

/** A key is the name of a query, and values for its template: `users?name=ann&limit=2`. */
async function ask(ctx: SdbContext, key: string, queries: ReadonlyMap<string, Value>): Promise<Value> {
  const [name = '', words = ''] = key.split('?', 2)
  const query = queries.get(name)
  if (query === undefined || !isDict(query) || !query.has('url')) {
    throw failure(`The sdb profile has no query '${name}' with a url`)
  }
  const context = new Map<string, Value>()
  for (const pair of words.split('&').filter((word) => word !== '')) {
    const equal = pair.indexOf('=')
    context.set(equal < 0 ? pair : pair.slice(0, equal), equal < 0 ? '' : pair.slice(equal + 1))
  }
  const text = str(query.get('url')!)
  const url = await ctx.render({ text, renderer: 'jinja', saltenv: 'base', context, asFile: true })
  const parameters = new Map<string, Value>([
    ['url', str(url).trim()],
    ['decode', true],
  ])
  for (const [key, value] of query) if (key !== 'url' && key !== 'backend') parameters.set(str(key), value)
  const answer = await ctx.http.query(parameters)
  if (answer.has('error')) throw failure(`The query '${name}' failed: ${str(answer.get('error')!)}`)
  return answer.get('dict') ?? answer.get('text') ?? null
}

export default defineSdb({
  name: 'rest',
  doc: 'Decoded answers of web services. A key is the name of a query, and values for the template of its URL: `sdb://profile/users?name=ann`.',
  args: {
    queries: arg.open('Queries by name, each with `url`, a Jinja template, and further arguments of `http.query`'),
  },
  get: (ctx, key, { queries }) => ask(ctx, key, queries),
  set: (ctx, key, _value, { queries }) => ask(ctx, key, queries),
})
