// `redis`: values of keys of a Redis server.
import { arg, type Bound, defineSdb } from '../../../sdk/mod.ts'

const args = {
  host: arg.text('Host, or path of a socket', { default: 'localhost' }),
  port: arg.count('Port', { default: 6379 }),
  db: arg.count('Number of the database', { default: 0 }),
  password: arg.text('Password', { optional: true, secret: true }),
}

const server = ({ host, port, db, password }: Bound<typeof args>) => ({ host, port, db, password })

export default defineSdb({
  name: 'redis',
  doc: 'Keys of a Redis server.',
  args,
  get: (ctx, key, settings) => ctx.call('redis.get_key', [key], server(settings)),
  set: (ctx, key, value, settings) => ctx.call('redis.set_key', [key, value], server(settings)),
  delete: (ctx, key, settings) => ctx.call('redis.delete', [key], server(settings)),
})
