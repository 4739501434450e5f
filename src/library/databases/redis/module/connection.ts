// Whom functions of `redis` talk to, from their arguments and the options `redis.host` and so on.
import { str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, HostError } from '../../../../sdk/mod.ts'
import { RedisClient, RedisError, type Reply } from './client.ts'

export type Given = Readonly<Record<string, Value>>

interface Service {
  prefix: string
  port: number
}

export const REDIS: Service = { prefix: 'redis', port: 6379 }
export const SENTINEL: Service = { prefix: 'redis_sentinel', port: 26379 }

async function chosen(ctx: FunctionContext, given: Given, { prefix }: Service, name: string): Promise<string> {
  const value = given[name] ?? null
  const option = truthy(value) ? value : await ctx.call('config.option', [`${prefix}.${name}`], { default: '' })
  return truthy(option) ? str(option) : ''
}

/** Opens a connection, uses it and closes it. */
export async function withRedis<T>(
  ctx: FunctionContext,
  given: Given,
  use: (send: (...words: readonly string[]) => Promise<Reply>) => Promise<T>,
  service: Service = REDIS,
): Promise<T> {
  const host = (await chosen(ctx, given, service, 'host')) || 'localhost'
  const port = Number((await chosen(ctx, given, service, 'port')) || service.port)
  const password = await chosen(ctx, given, service, 'password')
  const db = service === REDIS ? await chosen(ctx, given, service, 'db') : ''
  const login = [...(password === '' ? [] : [['AUTH', password]]), ...(db === '' || db === '0' ? [] : [['SELECT', db]])]
  const address = host.startsWith('/') ? { path: host } : { host, port }
  const client = await RedisClient.open(ctx, address, login)
  try {
    return await use((...words) => client.send(...words))
  } finally {
    client.close()
  }
}

/** Whether an error means that the server cannot be reached. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof HostError || (error instanceof RedisError && error.message.startsWith('Connection closed'))
