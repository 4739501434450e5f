// `etcd`: values of keys of an etcd server.
import { arg, defineSdb } from '../../../sdk/mod.ts'
import { etcdOf } from './client.ts'

export default defineSdb({
  name: 'etcd',
  doc: 'Keys of an etcd server.',
  args: {
    profile: arg.open(
      '`etcd.host` (127.0.0.1), `etcd.port` (2379), `etcd.username`, `etcd.password`, `etcd.ca`, `etcd.client_cert`, ' +
        '`etcd.client_key`, `etcd.require_v2` (True; False for API v3) and `etcd.encode_values` (True: values of v3 are msgpack)',
    ),
  },
  get: async (ctx, key, { profile }) => etcdOf(ctx, new Map(profile)).get(key),
  set: async (ctx, key, value, { profile }) => {
    const etcd = etcdOf(ctx, new Map(profile))
    await etcd.set(key, value)
    return etcd.get(key)
  },
  delete: (ctx, key, { profile }) => etcdOf(ctx, new Map(profile)).delete(key),
})
