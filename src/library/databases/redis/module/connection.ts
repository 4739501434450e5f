// The server that functions of `redis` talk to, from their arguments and the options `redis.host` and so on.
import { str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, HostError } from '../../../../sdk/mod.ts'
import { portOf, RedisClient, RedisError, type Reply } from './client.ts'

/** Address and login of a server; a missing or empty part comes from the options. */
export type Server = Readonly<Partial<Record<'host' | 'port' | 'db' | 'password', string | null>>>

interface Service {
  prefix: string
  port: number
}

export const REDIS: Service = { prefix: 'redis', port: 6379 }
export const SENTINEL: Service = { prefix: 'redis_sentinel', port: 26379 }

/** Open a connection, use it and close it. */
export async function withRedis<T>(
  ctx: FunctionContext,
  server: Server,
  use: (send: (...words: readonly string[]) => Promise<Reply>) => Promise<T>,
  service: Service = REDIS,
): Promise<T> {
  const part = async (name: keyof Server): Promise<string> => {
    const option = server[name] || (await ctx.call('config.option', [`${service.prefix}.${name}`], { default: '' }))
    return truthy(option) ? str(option) : ''
  }
  const host = (await part('host')) || 'localhost'
  const port = portOf(await part('port'), `${service.prefix}.port`, service.port)
  const password = await part('password')
  const db = service === REDIS ? await part('db') : ''
  const login = [...(password === '' ? [] : [['AUTH', password]]), ...(db === '' || db === '0' ? [] : [['SELECT', db]])]
  const address = host.startsWith('/') ? { path: host } : { host, port }
  const client = await RedisClient.open(ctx, address, login)
  try {
    return await use((...words) => client.send(...words))
  } finally {
    client.close()
  }
}

/** Send one command, and return the reply. */
export const ask = (ctx: FunctionContext, server: Server, words: readonly Value[]): Promise<Reply> =>
  withRedis(ctx, server, (send) => send(...words.map(str)))

/** Return whether an error means that the server cannot be reached. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof HostError || (error instanceof RedisError && error.message.startsWith('Connection closed'))
