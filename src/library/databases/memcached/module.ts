// Keys of memcached.
import { failure, isFailure, isInt, misuse, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  type FunctionDeclaration,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import { deletingTime, server, storingOptions } from './arguments.ts'
import { type Server, withMemcached } from './client.ts'
import { packed, unpacked } from './stored-value.ts'

const key = arg.text('Key: 250 bytes at most, without blanks and control characters')
const storing = {
  key,
  value: arg.any('A text or an integer; values of other types are refused'),
  ...server,
  ...storingOptions,
}

const storer = (verb: 'set' | 'add' | 'replace', doc: string, returned: string): FunctionDeclaration =>
  changes({
    doc,
    args: storing,
    returns: ret.boolean(returned),
    example: `memcached.${verb} foo bar`,
    run: (ctx, { key, value, time, min_compress_len, ...server }) =>
      withMemcached(ctx, server, (client) =>
        client.store(verb, key, packed(key, value, Number(min_compress_len)), time),
      ),
  })

/** Count a number up or down that this module or a Python program stored as an integer. */
function count(
  ctx: FunctionContext,
  verb: 'incr' | 'decr',
  key: string,
  delta: number | bigint,
  server: Server,
): Promise<Value> {
  if (delta < 0) throw misuse('Delta value must be an integer')
  return withMemcached(ctx, server, async (client) => {
    const now = await client.get(key)
    if (now !== undefined && !isInt(unpacked(now))) {
      throw failure(
        `Value for key '${key}' must be an integer to be ${verb === 'incr' ? 'incremented' : 'decremented'}`,
      )
    }
    const counted = now && (await client.count(verb, key, delta))
    if (counted === undefined) throw failure(`Key '${key}' does not exist`)
    return counted
  })
}

const counter = (name: string, verb: 'incr' | 'decr', doc: string): FunctionDeclaration =>
  changes({
    doc,
    args: { key, delta: arg.integer('By how much, 0 or more', { default: 1 }), ...server },
    returns: ret.any('The integer that it is then'),
    example: `memcached.${name} foo 2`,
    run: (ctx, { key, delta, ...server }) => count(ctx, verb, key, delta, server),
  })

export default defineModule({
  name: 'memcached',
  doc: 'Manage keys of memcached.',
  functions: {
    status: reads({
      doc: 'Return statistics of the server.',
      args: server,
      returns: ret.orFalse(ret.dict('Texts by name, below the address of the server; False if it cannot be reached')),
      example: 'memcached.status',
      run: async (ctx, server) => {
        try {
          const stats = await withMemcached(ctx, server, (client) => client.stats())
          return { [`${server.host}:${server.port} (1)`]: stats }
        } catch (error) {
          if (isFailure(error)) return false
          throw error
        }
      },
    }),
    get: reads({
      doc: 'Return the value of a key.',
      args: { key, ...server },
      returns: ret.any('Text or integer, or the stored bytes of anything else; None if there is no such key'),
      example: 'memcached.get foo',
      run: (ctx, { key, ...server }) =>
        withMemcached(ctx, server, async (client) => {
          const stored = await client.get(key)
          return stored === undefined ? null : unpacked(stored)
        }),
    }),
    set: storer('set', 'Set the value of a key.', 'Whether the value was stored'),
    add: storer(
      'add',
      'Set the value of a key that does not exist.',
      'Whether the value was stored; False if the key exists',
    ),
    replace: storer(
      'replace',
      'Set the value of a key that exists.',
      'Whether the value was stored; False if the key does not exist',
    ),
    delete: changes({
      doc: 'Delete a key.',
      args: { key, ...server, time: deletingTime },
      returns: ret.boolean('Whether the key existed'),
      example: 'memcached.delete foo',
      run: (ctx, { key, time, ...server }) => withMemcached(ctx, server, (client) => client.delete(key, time)),
    }),
    increment: counter('increment', 'incr', 'Count an integer up.'),
    incr: counter('incr', 'incr', 'Count an integer up, as `memcached.increment` does.'),
    decrement: counter('decrement', 'decr', 'Count an integer down, to 0 at least.'),
    decr: counter('decr', 'decr', 'Count an integer down, as `memcached.decrement` does.'),
  },
})
