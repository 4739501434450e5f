// `mongo`: jobs and events as documents of MongoDB, in the collections `saltReturns`, `jobs` and `events`.
import { type Dict, dictFrom, failure, isDict, isList, str, type Value } from '../../../data/mod.ts'
import { defineReturner, type FunctionContext, returnerOptions } from '../../../sdk/mod.ts'

const DEFAULTS = { host: 'salt', port: 27017, db: 'salt', user: '', password: '' }

/** Dots in keys would be paths for the server. */
function withoutDots(data: Value): Value {
  if (!isDict(data)) return data
  return new Map([...data].map(([key, value]) => [str(key).replaceAll('.', '-'), withoutDots(value)]))
}

async function serverOf(ctx: FunctionContext, ret?: Dict): Promise<Record<string, Value>> {
  const { db, ...server } = await returnerOptions(ctx, 'mongo', DEFAULTS, ret)
  return { ...server, database: db }
}

async function insert(ctx: FunctionContext, collection: string, documents: Value[], ret?: Dict): Promise<void> {
  const answer: Value = await ctx.call('mongodb.insert', [documents, collection], await serverOf(ctx, ret))
  if (answer !== true) throw failure(`MongoDB did not take a document for ${collection}: ${str(answer)}`)
}

async function find(ctx: FunctionContext, collection: string, query: Dict): Promise<Dict[]> {
  const found: Value = await ctx.call('mongodb.find', [collection, [query]], await serverOf(ctx))
  if (!isList(found)) throw failure(`MongoDB answers: ${str(found)}`)
  return found.filter(isDict)
}

const dictAt = (data: Dict | undefined, name: string): Dict => {
  const value = data?.get(name) ?? null
  return isDict(value) ? value : new Map()
}

export default defineReturner({
  name: 'mongo_future_return',
  virtual: 'mongo',
  doc: 'Store jobs and events in MongoDB. Options `mongo.host`, `mongo.port`, `mongo.db`, `mongo.user` and `mongo.password`; mongosh must be installed.',
  functions: {
    returner: async (ctx, ret) => {
      const document = new Map<Value, Value>([
        ['minion', ret.get('id') ?? null],
        ['jid', ret.get('jid') ?? null],
        ['return', withoutDots(ret.get('return') ?? null)],
        ['fun', ret.get('fun') ?? null],
        ['full_ret', withoutDots(ret)],
        ...(ret.has('out') ? [['out', ret.get('out')!] as [Value, Value]] : []),
      ])
      await insert(ctx, 'saltReturns', [document], ret)
    },
    event_return: (ctx, events) => insert(ctx, 'events', events.map(withoutDots)),
    save_load: (ctx, jid, load) => insert(ctx, 'jobs', [dictFrom({ jid, load: withoutDots(load) })]),
    get_load: async (ctx, jid) => dictAt((await find(ctx, 'jobs', new Map([['jid', jid]])))[0], 'load'),
    get_jid: async (ctx, jid) => {
      const found = await find(ctx, 'saltReturns', new Map([['jid', jid]]))
      return new Map(found.map((each) => [each.get('minion') ?? null, dictAt(each, 'full_ret')]))
    },
    get_fun: async (ctx, fun) => {
      const found = await find(ctx, 'saltReturns', new Map([['fun', fun]]))
      const sorted = found.sort((a, b) => (str(a.get('jid') ?? '') < str(b.get('jid') ?? '') ? -1 : 1))
      return new Map(sorted.map((each) => [each.get('minion') ?? null, dictAt(each, 'full_ret')]))
    },
    get_jids: async (ctx) => {
      const found = await find(ctx, 'jobs', new Map())
      return new Map(found.map((each) => [str(each.get('jid') ?? ''), dictAt(each, 'load')]))
    },
    get_minions: async (ctx) => {
      const found = await find(ctx, 'saltReturns', new Map())
      return [...new Set(found.map((each) => str(each.get('minion') ?? '')))].sort()
    },
  },
})
