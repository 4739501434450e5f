// Keys of an etcd server.
import { type Dict, isDict, misuse, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { type Etcd, etcdOf } from './client.ts'

const key = arg.text('Key, such as `/app/port`')
const path = arg.text('Key of a folder', { default: '/' })
const recurse = arg.flag('Everything below the key', { default: false })
const connection = {
  profile: arg.text('Name of the option or pillar that has the settings of the server', { optional: true }),
  kwargs: arg.open(
    '`host`, `port`, `username`, `password`, `ca`, `client_cert`, `client_key`: settings besides the profile',
  ),
}

interface Connection {
  profile: string | null
  kwargs: ReadonlyMap<string, Value>
}

const SETTINGS = new Set(['host', 'port', 'username', 'password', 'ca', 'client_key', 'client_cert'])

/** Return a client: the settings of the profile, of the configuration without one, and of the call before these. */
async function clientOf(ctx: FunctionContext, { profile, kwargs }: Connection): Promise<Etcd> {
  const named = profile === null ? null : await ctx.call('config.get', [profile, null])
  if (profile !== null && !isDict(named))
    throw misuse(`There is no profile '${profile}' with the settings of an etcd server`)
  const settings: Dict = new Map(isDict(named) ? named : ctx.opts)
  for (const [name, value] of kwargs) if (SETTINGS.has(name) && value !== null) settings.set(`etcd.${name}`, value)
  return etcdOf(ctx, settings)
}

/** Return nested values as one dict with full keys. An empty dict stays, for an empty folder. */
function flattened(fields: Dict, path: string): Array<[string, Value]> {
  if (fields.size === 0) return [[path, new Map()]]
  const base = path.replace(/^\/+|\/+$/g, '')
  return [...fields].flatMap(([name, value]): Array<[string, Value]> => {
    const whole = `${base === '' ? '' : `/${base}`}/${str(name).replace(/^\/+|\/+$/g, '')}`
    return isDict(value) ? flattened(value, whole) : [[whole, value]]
  })
}

const isEmptyDict = (value: Value): boolean => isDict(value) && value.size === 0

export default defineModule({
  name: 'etcd_mod',
  virtual: 'etcd',
  doc: 'Keys of an etcd server, by its API v2 or v3 (`etcd.require_v2: False`).',
  functions: {
    get: reads({
      doc: 'Return the value of a key.',
      args: { key, recurse, ...connection },
      returns: ret.any('The value, or nested dicts with `recurse`; None if there is none'),
      example: 'etcd.get /path/to/key profile=my_etcd_config',
      run: async (ctx, { key, recurse, ...where }) => {
        const client = await clientOf(ctx, where)
        return (recurse ? await client.tree(key) : await client.get(key)) ?? null
      },
    }),
    set: changes({
      doc: 'Set the value of a key, or create a folder.',
      args: {
        key,
        value: arg.any('Value; texts and numbers in the API v2'),
        profile: connection.profile,
        ttl: arg.count('Seconds after which the key is removed', { optional: true }),
        directory: arg.flag('Create a folder; only in the API v2', { default: false }),
        kwargs: connection.kwargs,
      },
      returns: ret.any('The value, or True for a folder'),
      example: 'etcd.set /path/to/key value ttl=60',
      run: async (ctx, { key, value, ttl, directory, ...where }) => {
        const client = await clientOf(ctx, where)
        const seconds = ttl === null ? undefined : Number(ttl)
        if (directory) {
          await client.makeFolder(key, seconds)
          return true
        }
        await client.set(key, value, seconds)
        return (await client.get(key)) ?? null
      },
    }),
    update: changes({
      doc: 'Set the values of nested keys.',
      args: {
        fields: arg.dict('Nested dicts of values'),
        path: arg.text('Key below which they are', { default: '' }),
        ...connection,
      },
      returns: ret.dict('The values by whole key'),
      example: "etcd.update \"{'/path/to/key': {'user': 'ann'}}\"",
      run: async (ctx, { fields, path, ...where }) => {
        const client = await clientOf(ctx, where)
        const done: Dict = new Map()
        for (const [whole, value] of flattened(fields, path)) {
          if (isEmptyDict(value)) {
            await client.makeFolder(whole)
            done.set(whole, true)
            continue
          }
          await client.set(whole, value)
          done.set(whole, (await client.get(whole)) ?? null)
        }
        return done
      },
    }),
    ls: reads({
      doc: 'Return the keys directly below a folder. Names of folders end with a slash.',
      args: { path, ...connection },
      returns: ret.dict('The values by key, in a dict under the path'),
      example: 'etcd.ls /path/to/dir/ profile=my_etcd_config',
      run: async (ctx, { path, ...where }) => {
        const found = await (await clientOf(ctx, where)).tree(path)
        if (found === undefined) return new Map()
        const base = path.endsWith('/') ? path : `${path}/`
        const below = [...found].map(([name, value]): [Value, Value] =>
          isDict(value) ? [`${base}${str(name)}/`, new Map()] : [`${base}${str(name)}`, value],
        )
        return new Map<Value, Value>([[path, new Map(below)]])
      },
    }),
    rm: changes({
      doc: 'Remove a key.',
      args: { key, recurse, ...connection },
      returns: ret.any('True; None if there was no such key'),
      example: 'etcd.rm /path/to/key recurse=True',
      run: async (ctx, { key, recurse, ...where }) => (await (await clientOf(ctx, where)).delete(key, recurse)) || null,
    }),
    tree: reads({
      doc: 'Return everything below a folder.',
      args: { path, ...connection },
      returns: ret.optional(ret.dict('Nested dicts')),
      example: 'etcd.tree /path/to/keys',
      run: async (ctx, { path, ...where }) => (await (await clientOf(ctx, where)).tree(path)) ?? null,
    }),
  },
})
