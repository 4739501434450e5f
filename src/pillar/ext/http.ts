// `http_json` and `http_yaml`: what a web server answers as pillar. `%s` in the URL stands for the minion's id, and with
// `with_grains` a name in angle brackets for the value of a grain.
import { type BoundArguments, str, traverse, truthy, type Value } from '../../data/mod.ts'
import { httpClient } from '../../http/mod.ts'
import type { ExtPillar, ExtPillarContext } from '../ext-pillar.ts'

const PARAMETERS = ['url', 'with_grains', 'header_dict', 'auth', 'username', 'password']

const quoted = (text: string): string => encodeURIComponent(text).replaceAll('%2F', '/')

/** The address; undefined when a grain in it has no value. */
function addressFor({ minionId, grains, log }: ExtPillarContext, { named }: BoundArguments): string | undefined {
  let url = str(named.get('url')!).replaceAll('%s', quoted(minionId))
  if (!truthy(named.get('with_grains') ?? false)) return url
  for (const [whole, name] of url.matchAll(/<(.*?)>/g)) {
    const value = traverse(grains, name!, { default: null })
    if (!truthy(value)) {
      log('error', `Unable to get minion '${minionId}' grain: ${name}`)
      return undefined
    }
    url = url.replaceAll(whole, quoted(str(value)))
  }
  return url
}

const answerOf = (kind: 'json' | 'yaml', parameters: readonly string[]): ExtPillar => ({
  parameters,
  required: 1,
  run: async (ctx, args) => {
    const url = addressFor(ctx, args)
    if (url === undefined) return new Map()
    const query = new Map<string, Value>([
      ['url', url],
      ['decode', true],
      ['decode_type', kind],
    ])
    for (const name of ['header_dict', 'username', 'password']) query.set(name, args.named.get(name) ?? null)
    const answer = await httpClient(ctx.host, ctx.opts).query(query)
    const data = answer.get('dict')
    if (data !== undefined) {
      const namespace = args.named.get('namespace') ?? null
      return truthy(namespace) ? new Map([[namespace, data]]) : data
    }
    ctx.log('error', `Error on minion '${ctx.minionId}' http query: ${url}`)
    for (const [key, value] of answer) ctx.log('error', `${str(key)}: ${str(value)}`)
    return new Map()
  },
})

export const httpJson = answerOf('json', [...PARAMETERS, 'namespace'])
export const httpYaml = answerOf('yaml', PARAMETERS)
