// Values of `sdb://<profile>/<key>`, from the drivers of the library or of users' own (`_sdb`). A profile is an option, or an entry
// of pillar, that names its driver.
import { randomInt } from 'node:crypto'
import { type Dict, failure, misuse, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  reads,
  ret,
  type SdbAction,
  sdbPlace,
} from '../../../sdk/mod.ts'

/** Call the driver of a URI; undefined if the text is not an `sdb://` URI. */
async function act(ctx: FunctionContext, action: SdbAction, uri: Value, value?: Value): Promise<Value | undefined> {
  const place = sdbPlace(uri, withPillar(ctx))
  if (typeof place === 'string') return undefined
  const { driver: name, key, profile } = place
  const own = await ctx.ownPlugin('sdb', name)
  if (own?.has(action)) {
    return own.call(action, value === undefined ? [key] : [key, value], new Map([['profile', profile]]))
  }
  if (own) throw failure(`The sdb driver '${name}' has no function '${action}'`)
  const answer = await ctx.callSdb(name, { action, key, profile, ...(value !== undefined && { value }) })
  if (answer === undefined) throw failure(`There is no sdb driver '${name}'`)
  return answer
}

/** Return the options with the pillar of this call, which may contain profiles. */
const withPillar = (ctx: FunctionContext): Dict => new Map(ctx.opts).set('pillar', ctx.pillar)

async function get(ctx: FunctionContext, uri: Value, strict: boolean): Promise<Value> {
  const problem = sdbPlace(uri, withPillar(ctx))
  if (strict && typeof problem === 'string') throw misuse(problem)
  const found = await act(ctx, 'get', uri)
  return found === undefined ? uri : found
}

async function getOrSetHash(ctx: FunctionContext, uri: Value, length: number, chars: string): Promise<Value> {
  if (typeof uri !== 'string' || !uri.startsWith('sdb://')) return false
  const known = await get(ctx, uri, false)
  if (known !== null) return known
  const letters = [...chars]
  const made = Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
  await act(ctx, 'set', uri, made)
  return made
}

const uri = arg.any('`sdb://<profile>/<key>`; any other value is returned unchanged')

export default defineModule({
  name: 'sdb',
  doc: 'Read and write values by `sdb://<profile>/<key>`.',
  functions: {
    get: reads({
      doc: 'Return a value; a text that is not an sdb URI is returned unchanged.',
      args: { uri, strict: arg.boolean('Whether another text is an error', { default: false }) },
      returns: ret.any('The value'),
      example: 'sdb.get sdb://osenv/HOME',
      run: (ctx, { uri, strict }) => get(ctx, uri, strict),
    }),
    set: changes({
      doc: 'Set a value, if the driver supports it.',
      args: { uri, value: arg.any('Value, of any type') },
      calledAs: 'set_',
      returns: ret.any('The answer of the driver, or False if the text is not an sdb URI'),
      example: 'sdb.set sdb://osenv/colour green',
      run: async (ctx, { uri, value }) => (await act(ctx, 'set', uri, value)) ?? false,
    }),
    delete: changes({
      doc: 'Delete a value, if the driver supports it.',
      args: { uri },
      returns: ret.any('The answer of the driver, or False if the text is not an sdb URI'),
      example: 'sdb.delete sdb://mine/colour',
      run: async (ctx, { uri }) => (await act(ctx, 'delete', uri)) ?? false,
    }),
    get_or_set_hash: changes({
      doc: 'Return a value; if it is missing, create a random one and set it.',
      args: {
        uri,
        length: arg.integer('Length of the random value', { default: 8 }),
        chars: arg.string('Characters of the random value', {
          default: 'abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)',
        }),
      },
      returns: ret.any('The value'),
      example: "sdb.get_or_set_hash 'sdb://mine/secret' 50",
      run: (ctx, { uri, length, chars }) => getOrSetHash(ctx, uri, Number(length), chars),
    }),
  },
})
