// `etcd`: values of keys of an etcd server.
import type { Dict, Value } from '../../../data/mod.ts'
import { arg, defineSdb, type SdbContext } from '../../../sdk/mod.ts'
import { type Etcd, etcdOf, reportUnknownSettings } from './client.ts'

function open(ctx: SdbContext, settings: Iterable<readonly [Value, Value]>): Etcd {
  const profile: Dict = new Map(settings)
  reportUnknownSettings(profile, ctx.log)
  return etcdOf(ctx, profile)
}

export default defineSdb({
  name: 'etcd',
  doc: 'Keys of an etcd server.',
  args: {
    profile: arg.open(
      '`etcd.host` (127.0.0.1), `etcd.port` (2379), `etcd.username`, `etcd.password`, `etcd.ca`, `etcd.client_cert`, ' +
        '`etcd.client_key`, `etcd.require_v2` (True; False for API v3) and `etcd.encode_values` (True: values of v3 are msgpack)',
    ),
  },
  get: async (ctx, key, { profile }) => open(ctx, profile).get(key),
  set: async (ctx, key, value, { profile }) => {
    const etcd = open(ctx, profile)
    await etcd.set(key, value)
    return etcd.get(key)
  },
  delete: (ctx, key, { profile }) => open(ctx, profile).delete(key),
})
