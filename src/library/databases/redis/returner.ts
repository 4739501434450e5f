// `redis`: jobs in Redis, under the keys that Salt uses: `load:<jid>`, the hash `ret:<jid>`, `<minion>:<fun>` and `minions`.
import { type Dict, dumpJson, isDict, isList, loadJson, numberOf, str, textOf, type Value } from '../../../data/mod.ts'
import { defineReturner, type FunctionContext, option, returnerOptions } from '../../../sdk/mod.ts'

const DEFAULTS = { host: 'salt', port: 6379, unix_socket_path: '', db: '0', password: '' }

interface Server {
  run(fun: string, args: readonly Value[]): Promise<Value>
  /** Retention of jobs, in seconds. */
  lifetime: number
}

async function server(ctx: FunctionContext, ret?: Dict): Promise<Server> {
  const { host, port, unix_socket_path, db, password } = await returnerOptions(ctx, 'redis', DEFAULTS, ret)
  const kept = option(ctx.opts, 'keep_jobs_seconds')
  const place = {
    host: unix_socket_path === '' ? host : unix_socket_path,
    port,
    db: numberOf(db) ?? 0,
    ...(password !== '' && { password }),
  }
  return { lifetime: kept, run: async (fun, args) => ctx.call(`redis.${fun}`, args, place) }
}

const parsed = (text: Value): Dict => {
  const value = loadJson(textOf(text) ?? '{}')
  return isDict(value) ? value : new Map()
}

export default defineReturner({
  name: 'redis_return',
  virtual: 'redis',
  doc: 'Store jobs in Redis.',
  functions: {
    returner: async (ctx, ret) => {
      const { run, lifetime } = await server(ctx, ret)
      const [id, jid] = [str(ret.get('id')!), str(ret.get('jid')!)]
      await run('hset', [`ret:${jid}`, id, dumpJson(ret)])
      await run('expire', [`ret:${jid}`, lifetime])
      await run('set_key', [`${id}:${str(ret.get('fun')!)}`, jid])
      await run('sadd', ['minions', id])
    },
    save_load: async (ctx, jid, load) => {
      const { run, lifetime } = await server(ctx)
      await run('set_key', [`load:${jid}`, dumpJson(load)])
      await run('expire', [`load:${jid}`, lifetime])
    },
    get_load: async (ctx, jid) => parsed(await (await server(ctx)).run('get_key', [`load:${jid}`])),
    get_jid: async (ctx, jid) => {
      const all = await (await server(ctx)).run('hgetall', [`ret:${jid}`])
      return new Map([...(isDict(all) ? all : [])].map(([id, text]) => [id, parsed(text)]))
    },
    get_fun: async (ctx, fun) => {
      const { run } = await server(ctx)
      const found: Dict = new Map()
      for (const id of await members(run)) {
        const jid = await run('get_key', [`${str(id)}:${fun}`])
        const text = jid === null ? null : await run('hget', [`ret:${str(jid)}`, id])
        if (text !== null) found.set(id, parsed(text))
      }
      return found
    },
    get_jids: async (ctx) => {
      const { run } = await server(ctx)
      const names = await run('keys', ['load:*'])
      const found = new Map<string, Dict>()
      for (const name of isList(names) ? names.map(str).sort() : []) {
        found.set(name.slice('load:'.length), parsed(await run('get_key', [name])))
      }
      return found
    },
    get_minions: async (ctx) => members((await server(ctx)).run),
  },
})

async function members(run: Server['run']): Promise<Value[]> {
  const found = await run('smembers', ['minions'])
  return isList(found) ? [...found] : []
}
