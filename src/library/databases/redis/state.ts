// Keys of Redis, and the master that a server replicates.
import { equals, isList, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  foreseen,
  optionalText,
  reportOn,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'

const connection_args = arg.open('Connection: host, port, db and password')

const stringArgs = {
  name: arg.text('Key'),
  value: arg.any('Value; compared as text'),
  expire: arg.text('Seconds after which the key expires', { optional: true }),
  expireat: optionalText('Time at which the key expires, in seconds since the epoch; wins over `expire`'),
  connection_args,
}

async function string(ctx: StateContext, wanted: Bound<typeof stringArgs>): Promise<StateReturn> {
  const { name, value, expire, expireat, connection_args: at } = wanted
  const report = reportOn(name)
  const changes: Record<string, string> = {}
  const differs = !equals(await ctx.call('redis.get_key', [name], at), str(value))
  const comment = differs ? 'Key updated to new value' : 'Key already set to defined value'
  if (differs) changes[name] = 'Value updated'
  if (expireat) changes['expireat'] = `Key expires at ${expireat}`
  else if (expire) changes['expire'] = `TTL set to ${expire} seconds`
  if (ctx.test) return differs ? report(null, 'Key is set to be updated', changes) : report(true, comment)
  if (differs) await ctx.call('redis.set_key', [name, value], at)
  if (expireat) await ctx.call('redis.expireat', [name, expireat], at)
  else if (expire) await ctx.call('redis.expire', [name, expire], at)
  return report(true, comment, changes)
}

function absent(ctx: StateContext, name: Value, keys: Value, at: Map<string, Value>): Promise<StateReturn> {
  const several = truthy(keys)
  return ensure<Value[]>(ctx, {
    name,
    look: async () => {
      if (several && !isList(keys)) return failed('`keys` not formed as a list type')
      const there: Value[] = []
      for (const key of several && isList(keys) ? keys : [name]) {
        if (truthy(await ctx.call('redis.exists', [key], at))) there.push(key)
      }
      return there.length === 0 ? settled('Key(s) specified already absent') : there
    },
    foresee: (deleted) => foreseen(`Key${several ? 's are' : ' is'} set to be deleted`, { deleted }),
    act: async (deleted) => {
      await ctx.call('redis.delete', deleted, at)
      return changed(several ? 'Keys deleted' : 'Key deleted', { deleted })
    },
  })
}

async function slaveof(
  ctx: StateContext,
  name: string,
  sentinel: readonly Value[],
  at: Map<string, Value>,
): Promise<StateReturn> {
  const wanted = await ctx.call('redis.sentinel_get_master_ip', [name, ...sentinel])
  const [host = null, port = null] = [wanted.get('master_host'), wanted.get('master_port')]
  const own = Object.fromEntries(['host', 'port', 'password'].map((part) => [part, at.get(part) ?? null]))
  return ensure(ctx, {
    name,
    look: async () => {
      const addresses: Value[] = await ctx.call('network.ip_addrs')
      if (addresses.includes(host)) return settled(`Minion is the master: ${name}`)
      const before = await ctx.call('redis.get_master_ip', [], own)
      return equals(before, wanted) ? settled(`Minion already slave of master: ${name}`) : before
    },
    foresee: () => `Minion will be made a slave of ${name}: ${str(host)}`,
    act: async (before) => {
      await ctx.call('redis.slaveof', [host, port], at)
      const now = await ctx.call('redis.get_master_ip', [], own)
      if (!equals(now, wanted)) return failed('Failed to setup slave')
      return changed(`Minion successfully connected to master: ${name}`, { old: before, new: now })
    },
  })
}

export default defineState({
  name: 'redismod',
  virtual: 'redis',
  doc: 'Manage keys and replication of Redis.',
  functions: {
    string: state({
      doc: 'Ensure that a key has a value.',
      args: stringArgs,
      run: string,
    }),
    absent: state({
      doc: 'Ensure that keys do not exist.',
      args: {
        name: arg.any('Key; a report shows it as it was given'),
        keys: arg.any('List of keys instead of the name; anything else than a list is an error', { optional: true }),
        connection_args,
      },
      run: (ctx, { name, keys, connection_args }) => absent(ctx, name, keys, connection_args),
    }),
    slaveof: state({
      doc: 'Ensure that the server replicates the master that a sentinel names.',
      args: {
        name: arg.text('Name of the master'),
        sentinel_host: arg.text('Host of the sentinel', { optional: true }),
        sentinel_port: arg.text('Port of the sentinel', { optional: true }),
        sentinel_password: arg.text('Password of the sentinel', { optional: true, secret: true }),
        connection_args,
      },
      run: (ctx, { name, sentinel_host, sentinel_port, sentinel_password, connection_args }) =>
        slaveof(ctx, name, [sentinel_host, sentinel_port, sentinel_password], connection_args),
    }),
  },
})
