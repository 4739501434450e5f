// `consul`: values of keys of a Consul server.
import { str, textOf, type Value } from '../../../data/mod.ts'
import { arg, defineSdb } from '../../../sdk/mod.ts'
import { Consul } from './client.ts'

const args = {
  host: arg.text('Host of the server', { default: '127.0.0.1' }),
  port: arg.count('Port of the server', { default: 8500 }),
  token: arg.text('Access token', { optional: true, secret: true }),
  scheme: arg.text('`http` or `https`', { default: 'http' }),
  consistency: arg.text('`default`, `consistent` or `stale`', { default: 'default' }),
  dc: arg.text('Data center; that of the server by default', { optional: true }),
  verify: arg.flag('Whether the certificate of the server is checked', { default: true }),
}

const settingsOf = (settings: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> =>
  new Map(Object.entries(settings))

export default defineSdb({
  name: 'consul',
  doc: 'Keys of a Consul server.',
  args,
  get: (ctx, key, settings) => new Consul(ctx, settingsOf(settings)).get(key),
  set: (ctx, key, value, settings) => new Consul(ctx, settingsOf(settings)).set(key, textOf(value) ?? str(value)),
  delete: (ctx, key, settings) => new Consul(ctx, settingsOf(settings)).delete(key),
})
