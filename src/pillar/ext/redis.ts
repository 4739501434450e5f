// `redis`: what a Redis server has under the minion's id, as the value it is (`key_value`) or as JSON (`key_json`).
import { lookup } from '../../base/mod.ts'
import { isDict, loadJson, str, truthy, type Value } from '../../data/mod.ts'
import type { ExtPillar, ExtPillarContext } from '../ext-pillar.ts'

type Ask = (fun: string, ...args: Value[]) => Promise<Value>

/** By type of the key; a list and a sorted set are asked for whole. */
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

export const redis: ExtPillar = {
  parameters: ['function', 'pillar_key'],
  required: 1,
  run: (ctx, { named }) => {
    const how = { key_value: keyValue, key_json: keyJson }[str(named.get('function')!)]
    const ask: Ask = async (fun, ...args) => ctx.functions!.call(`redis.${fun}`, args, new Map())
    return how && ctx.functions ? how(ctx, ask, named.get('pillar_key') ?? null) : new Map()
  },
}
