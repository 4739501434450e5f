// Values that lie elsewhere, by `sdb://<profile>/<key>`: in the environment, in YAML files, or where a driver of users' own (`_sdb`)
// finds them. A profile is an option, or an entry of pillar, that names its driver.
import { randomInt } from 'node:crypto'
import { type Dict, PyError, SaltError, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  dumpYaml,
  type FunctionContext,
  reads,
  ret,
  SDB_DRIVERS,
  type SdbMachine,
  sdbPlace,
} from '../../../sdk/mod.ts'

function machineOf(ctx: FunctionContext): SdbMachine {
  return {
    env: async (name) => (await ctx.host.env()).get(name),
    setEnv: (name, value) => ctx.host.setEnv(name, value),
    read: async (path) => new TextDecoder().decode(await ctx.host.read(path)),
    decrypt: async (data) => ctx.render({ text: await dumpYaml(data), renderer: 'yaml|gpg', saltenv: 'base' }),
    log: ctx.log,
  }
}

type Action = 'get' | 'set' | 'delete'

/** Has the driver of a place act; undefined when the text names no place. */
async function act(ctx: FunctionContext, action: Action, uri: Value, value?: Value): Promise<Value | undefined> {
  const place = sdbPlace(uri, withPillar(ctx))
  if (typeof place === 'string') return undefined
  const { driver: name, key, profile } = place
  const driver = SDB_DRIVERS[name]
  if (driver && action === 'get') return driver.get(machineOf(ctx), key, profile)
  if (driver?.set && action === 'set') return driver.set(machineOf(ctx), key, value!)
  // Salt's own says no more either
  if (driver && action === 'set') throw new SaltError('SaltException', '')
  const own = driver ? undefined : await ctx.ownPlugin('sdb', name)
  if (!own?.has(action)) throw new PyError('KeyError', `'${name}.${action}'`)
  return own.call(action, value === undefined ? [key] : [key, value], new Map([['profile', profile]]))
}

/** The pillar of this call, in which profiles may lie. */
const withPillar = (ctx: FunctionContext): Dict => new Map(ctx.opts).set('pillar', ctx.pillar)

async function get(ctx: FunctionContext, uri: Value, strict: boolean): Promise<Value> {
  const problem = sdbPlace(uri, withPillar(ctx))
  if (strict && typeof problem === 'string') throw new SaltError('SaltInvocationError', problem)
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

const uri = arg.any('`sdb://<profile>/<key>`')

export default defineModule({
  name: 'sdb',
  doc: 'Values that lie elsewhere, by `sdb://<profile>/<key>`.',
  functions: {
    get: reads({
      doc: 'A value; what names none is given back as it is.',
      args: { uri, strict: arg.boolean('Whether that is an error', { default: false }) },
      returns: ret.any('The value'),
      example: 'sdb.get sdb://osenv/HOME',
      run: (ctx, { uri, strict }) => get(ctx, uri, strict),
    }),
    set: changes({
      doc: 'Set a value, where the driver can.',
      args: { uri, value: arg.any('The value') },
      calledAs: 'set_',
      returns: ret.any('What the driver says, or false when the text names no place'),
      example: 'sdb.set sdb://osenv/colour green',
      run: async (ctx, { uri, value }) => (await act(ctx, 'set', uri, value)) ?? false,
    }),
    delete: changes({
      doc: 'Delete a value, where the driver can.',
      args: { uri },
      returns: ret.any('What the driver says, or false when the text names no place'),
      example: 'sdb.delete sdb://mine/colour',
      run: async (ctx, { uri }) => (await act(ctx, 'delete', uri)) ?? false,
    }),
    get_or_set_hash: changes({
      doc: 'A value; one that is not there is made up of random letters and set.',
      args: {
        uri,
        length: arg.integer('How many letters', { default: 8 }),
        chars: arg.string('Which letters', { default: 'abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)' }),
      },
      returns: ret.any('The value'),
      example: "sdb.get_or_set_hash 'sdb://mine/secret' 50",
      run: (ctx, { uri, length, chars }) => getOrSetHash(ctx, uri, Number(length), chars),
    }),
  },
})
