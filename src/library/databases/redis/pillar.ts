// `redis`: the data of a Redis server under the minion id, unconverted (`key_value`) or parsed as JSON (`key_json`).
import { lookup } from '../../../base/mod.ts'
import { failure, isDict, loadJson, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineExtPillar, type ExtPillarContext } from '../../../sdk/mod.ts'

type Ask = (fun: string, ...args: Value[]) => Promise<Value>

/** By type of the key; a list and a sorted set are read completely. */
const READ: Readonly<Record<string, (ask: Ask, key: string) => Promise<Value>>> = lookup({
  string: (ask, key) => ask('get_key', key),
  hash: (ask, key) => ask('hgetall', key),
  list: (ask, key) => ask('lrange', key, 0, -1),
  set: (ask, key) => ask('smembers', key),
  zset: (ask, key) => ask('zrange', key, 0, -1),
})

async function keyValue({ minionId }: ExtPillarContext, ask: Ask, pillarKey: Value): Promise<Value> {
  const read = READ[str(await ask('key_type', minionId))]
  return read ? new Map([[pillarKey ?? 'redis_pillar', await read(ask, minionId)]]) : new Map()
}

async function keyJson({ minionId }: ExtPillarContext, ask: Ask, pillarKey: Value): Promise<Value> {
  const text = await ask('get_key', minionId)
  if (!truthy(text)) return new Map()
  const data = loadJson(str(text))
  return isDict(data) && !truthy(pillarKey) ? data : new Map([[truthy(pillarKey) ? pillarKey : 'redis_pillar', data]])
}

const FORMS = lookup({ key_value: keyValue, key_json: keyJson })

export default defineExtPillar({
  name: 'redis',
  doc: 'The value that a Redis server has under the id of the minion. Options `redis.host`, `redis.port` and the like name the server.',
  args: {
    function: arg.text('`key_value` for the value of any type, `key_json` for a text of JSON'),
    pillar_key: arg.any('Key to put the value under; `redis_pillar` by default, none for a dict of JSON', {
      default: null,
    }),
  },
  run: (ctx, { function: name, pillar_key }) => {
    const form = FORMS[name]
    if (!form) throw failure(`The function of ext_pillar redis is '${name}', but must be key_value or key_json`)
    return form(ctx, async (fun, ...args) => ctx.call(`redis.${fun}`, args), pillar_key)
  },
})
