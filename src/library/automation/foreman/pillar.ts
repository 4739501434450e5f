// `foreman`: Foreman's data about the host with the minion's id, by its API v2.
import { type Dict, failure, isDict, isList, numberOf, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, askWebJson, defineExtPillar, type ExtPillarContext } from '../../../sdk/mod.ts'

const DEFAULTS: Readonly<Record<string, Value>> = {
  url: 'http://foreman/api',
  user: 'admin',
  password: 'changeme',
  api: 2,
  verifyssl: true,
  certfile: null,
  keyfile: null,
  cafile: null,
  lookup_parameters: true,
}

async function hostData(ctx: ExtPillarContext): Promise<Dict> {
  const setting = (name: string): Value => ctx.opts.get(`foreman.${name}`) ?? DEFAULTS[name]!
  if (numberOf(setting('api')) !== 2)
    throw failure('foreman.api must be 2, the only version of the API that is supported')
  const [cert, key, ca] = [setting('certfile'), setting('keyfile'), setting('cafile')]
  const data = await askWebJson(ctx, {
    url: `${str(setting('url'))}/hosts/${encodeURIComponent(ctx.minionId)}`,
    headers: { accept: 'version=2,application/json' },
    username: str(setting('user')),
    password: str(setting('password')),
    verify: truthy(setting('verifyssl')),
    ...(truthy(ca) && { ca: str(ca) }),
    ...(truthy(cert) && truthy(key) && { cert: [str(cert), str(key)] as const }),
  })
  if (!isDict(data)) throw failure('The answer of Foreman is no mapping')
  const listed = data.get('all_parameters') ?? null
  if (truthy(setting('lookup_parameters')) && isList(listed)) {
    const named = listed
      .filter(isDict)
      .map((each): [Value, Value] => [each.get('name') ?? null, each.get('value') ?? null])
    data.set('parameters', new Map(named))
  }
  return data
}

export default defineExtPillar({
  name: 'foreman',
  doc: 'The data that Foreman has of the host with the id of the minion. Options `foreman.url`, `foreman.user`, `foreman.password` and others.',
  args: {
    key: arg.text('Key to put the data under', { optional: true }),
    only: arg.words('Names of the values to take; all by default', { default: [] }),
  },
  run: async (ctx, { key, only }) => {
    const data = await hostData(ctx)
    const chosen = only.length === 0 ? data : new Map([...data].filter(([name]) => only.includes(str(name))))
    return key ? new Map([[key, chosen]]) : chosen
  },
})
