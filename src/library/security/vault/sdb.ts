// `vault`: fields of secrets by `sdb://<profile>/secret/path/field`, or `secret/path?field`.
import { type Dict, isDict, misuse, str, type Value } from '../../../data/mod.ts'
import { arg, defineSdb, type SdbContext } from '../../../sdk/mod.ts'

/** Cut a key into the path of a secret and the name of a field. */
function placeOf(key: string): { path: string; field: string } {
  const [, path, field] = (key.includes('?') ? /^(.+)\?(.*)$/ : /^(.+)\/([^/]*)$/).exec(key) ?? []
  if (path === undefined) throw misuse(`Invalid key '${key}', must contain at least one path separator`)
  return { path, field: field! }
}

async function secretAt(ctx: SdbContext, path: string): Promise<Dict | null> {
  const secret = await ctx.call('vault.read_secret', [path], { default: null })
  return isDict(secret) ? secret : null
}

export default defineSdb({
  name: 'vault',
  doc: 'Fields of secrets of Vault.',
  args: { patch: arg.flag('Whether setting a value keeps the other fields of the secret', { default: false }) },
  get: async (ctx, key) => {
    const { path, field } = placeOf(key)
    const secret = await secretAt(ctx, path)
    if (secret) return secret.get(field) ?? null
    return key.includes('?') ? null : secretAt(ctx, key)
  },
  set: async (ctx, key, value, { patch }) => {
    const { path, field } = placeOf(key)
    const known: Dict = patch ? ((await secretAt(ctx, path)) ?? new Map()) : new Map()
    const written = await ctx.call('vault.write_raw', [path, new Map<Value, Value>([...known, [field, value]])])
    if (written === false) throw misuse(`The secret ${str(path)} could not be written: the log says why`)
    return true
  },
})
