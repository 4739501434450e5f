// Keys of Redis, and whom a server follows.
import { equals, isList, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const connectionArgs = arg.open('host, port, db and password of the server')

const report = (name: Value, comment: string, result: boolean | null = true, changes = {}): StateReturn => ({
  name,
  changes,
  result,
  comment,
})

interface Wish {
  name: Value
  value: Value
  expire: Value
  expireat: Value
  connection_args: Map<string, Value>
}

async function keepString(ctx: StateContext, wish: Wish): Promise<StateReturn> {
  const { name, value, expire, expireat, connection_args: at } = wish
  const changes: Record<string, string> = {}
  const differs = !equals(await ctx.call('redis.get_key', [name], at), str(value))
  const comment = differs ? 'Key updated to new value' : 'Key already set to defined value'
  if (differs) changes[str(name)] = 'Value updated'
  if (truthy(expireat)) changes['expireat'] = `Key expires at ${str(expireat)}`
  else if (truthy(expire)) changes['expire'] = `TTL set to ${str(expire)} seconds`
  if (ctx.test) return differs ? report(name, 'Key is set to be updated', null, changes) : report(name, comment)
  if (differs) await ctx.call('redis.set_key', [name, value], at)
  if (truthy(expireat)) await ctx.call('redis.expireat', [name, expireat], at)
  else if (truthy(expire)) await ctx.call('redis.expire', [name, expire], at)
  return report(name, comment, true, changes)
}

async function absent(ctx: StateContext, name: Value, keys: Value, at: Map<string, Value>): Promise<StateReturn> {
  const several = truthy(keys)
  if (several && !isList(keys)) return report(name, '`keys` not formed as a list type', false)
  const there: Value[] = []
  for (const key of several ? (keys as Value[]) : [name]) {
    if (truthy(await ctx.call('redis.exists', [key], at))) there.push(key)
  }
  if (there.length === 0) return report(name, 'Key(s) specified already absent')
  if (ctx.test) return report(name, `Key${several ? 's are' : ' is'} set to be deleted`, null, { deleted: there })
  await ctx.call('redis.delete', there, at)
  return report(name, several ? 'Keys deleted' : 'Key deleted', true, { deleted: there })
}

async function follow(
  ctx: StateContext,
  name: string,
  sentinel: readonly Value[],
  at: Map<string, Value>,
): Promise<StateReturn> {
  const wanted = await ctx.call('redis.sentinel_get_master_ip', [name, ...sentinel])
  const { host, port, password } = Object.fromEntries(at)
  const own = { host: host ?? null, port: port ?? null, password: password ?? null }
  const addresses: Value[] = await ctx.call('network.ip_addrs')
  if (addresses.includes(wanted.get('master_host')!)) {
    return report(name, `Minion is the master: ${name}`)
  }
  const before = await ctx.call('redis.get_master_ip', [], own)
  if (equals(before, wanted)) return report(name, `Minion already slave of master: ${name}`)
  if (ctx.test) {
    const comment = `Minion will be made a slave of ${name}: ${str(wanted.get('master_host')!)}`
    return report(name, comment, null)
  }
  await ctx.call('redis.slaveof', [wanted.get('master_host')!, wanted.get('master_port')!], at)
  const now = await ctx.call('redis.get_master_ip', [], own)
  if (!equals(now, wanted)) return report(name, 'Failed to setup slave', false)
  return report(name, `Minion successfully connected to master: ${name}`, true, { old: before, new: now })
}

const optional = (doc: string) => arg.any(doc, { optional: true })

export default defineState({
  name: 'redismod',
  virtual: 'redis',
  doc: 'Keep keys of Redis.',
  functions: {
    string: state({
      doc: 'A key has a value.',
      args: {
        name: arg.text('The key'),
        value: arg.any('The value'),
        expire: arg.text('After how many seconds it expires', { optional: true }),
        expireat: arg.text('When it expires, in seconds since the epoch', { optional: true }),
        connection_args: connectionArgs,
      },
      run: (ctx, args) => keepString(ctx, args),
    }),
    absent: state({
      doc: 'Keys are not there.',
      args: {
        name: arg.any('The key'),
        keys: optional('Several keys instead'),
        connection_args: connectionArgs,
      },
      run: (ctx, { name, keys, connection_args }) => absent(ctx, name, keys, connection_args),
    }),
    slaveof: state({
      doc: 'The server follows the master that a sentinel names.',
      args: {
        name: arg.text('The name of the master'),
        sentinel_host: optional('The host of the sentinel'),
        sentinel_port: optional('The port of the sentinel'),
        sentinel_password: arg.any('The password of the sentinel', { optional: true, secret: true }),
        connection_args: connectionArgs,
      },
      run: (ctx, { name, sentinel_host, sentinel_port, sentinel_password, connection_args }) =>
        follow(ctx, name, [sentinel_host, sentinel_port, sentinel_password], connection_args),
    }),
  },
})
