// The authorized keys of users.
import { dirname, isAbsolute, join } from 'node:path/posix'
import { type Dict, decodeBytes, failure, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import { checkLinks, type FunctionContext, type Host, isHostError } from '../../../../sdk/mod.ts'
import { authorizedKey } from '../authorized-key.ts'
import { authLine, fingerprint, type KnownKey, keysIn, kindOf, linesOf } from './keys.ts'

export const isFile = async (host: Host, path: string): Promise<boolean> => (await host.stat(path))?.type === 'file'
const isDirectory = async (host: Host, path: string): Promise<boolean> => (await host.stat(path))?.type === 'directory'

export const userInfo = async (ctx: FunctionContext, user: Value): Promise<Dict> => await ctx.call('user.info', [user])

/** Expand `%u` and `%h` like sshd. */
function expanded(path: string, user: string, home: string): string {
  const tokens: Readonly<Record<string, string>> = { '%': '%', u: user, h: home }
  return path.replace(/%(.?)/gs, (_whole, token: string) => {
    if (token === '') throw failure("AuthorizedKeysFile path: Last character can't be escape character")
    const meaning = tokens[token]
    if (meaning === undefined) throw failure(`AuthorizedKeysFile path: unknown token character "%${token}"`)
    return meaning
  })
}

async function keysFile(ctx: FunctionContext, user: Value, config: string): Promise<string> {
  const info = await userInfo(ctx, user)
  if (info.size === 0) throw failure(`User '${str(user)}' does not exist`)
  const home = str(info.get('home')!)
  const path = expanded(config, str(user), home)
  return isAbsolute(path) ? path : join(home, path)
}

/** The file with the keys of a user, and the hash algorithm of their fingerprints. */
export interface Place {
  user: Value
  config: string
  fingerprint_hash_type: Value
}

/** Return facts by key; undefined without a file of keys: unknown user, wrong path, or no file. */
export async function authorizedKeys(ctx: FunctionContext, place: Place): Promise<Map<string, KnownKey> | undefined> {
  const { user, config, fingerprint_hash_type } = place
  const path = await keysFile(ctx, user, config).catch((error: unknown) => {
    if (error instanceof SaltError) return undefined
    throw error
  })
  if (path === undefined) return undefined
  return (await isFile(ctx.host, path)) ? keysIn(ctx, path, fingerprint_hash_type) : undefined
}

export interface WantedKey {
  key: string
  enc: Value
  comment: Value
  options: Value
}

export async function checkKey(ctx: FunctionContext, place: Place, wanted: WantedKey): Promise<string> {
  const { key, comment, options } = wanted
  const enc = kindOf(wanted.enc)
  const held = (await authorizedKeys(ctx, place))?.get(key)
  if (held === undefined) return 'add'
  const same = authLine(key, held.enc, held.comment, held.options) === authLine(key, enc, comment, options)
  return same ? 'exists' : 'update'
}

const REPLACED = /((.*)\s)?((?:sk-)?(?:ssh|ecdsa)-[a-z0-9@.-]+)\s([a-zA-Z0-9+/]+={0,2})(\s(.*))?/

async function replaceKey(ctx: FunctionContext, path: string, key: string, line: string): Promise<void> {
  try {
    const lines = linesOf(decodeBytes(await ctx.host.read(path))).map((held) =>
      !held.startsWith('#') && REPLACED.exec(held)?.[4] === key ? line : `${held}\n`,
    )
    await ctx.host.write(path, lines.join(''))
  } catch (error) {
    if (isHostError(error)) throw failure(`Problem reading or writing to key file: ${error.message}`)
    throw error
  }
}

export async function setKey(ctx: FunctionContext, place: Place, wanted: WantedKey): Promise<string> {
  const { key, comment, options } = wanted
  if (key.trim().split(/\s+/).length > 1) return 'invalid'
  const enc = kindOf(wanted.enc)
  const info = await userInfo(ctx, place.user)
  if (info.size === 0) return 'fail'
  if (fingerprint(key, place.fingerprint_hash_type) === undefined) return 'Invalid public key'
  const status = await checkKey(ctx, place, { ...wanted, enc })
  if (status === 'exists') return 'no change'
  const line = authLine(key, enc, comment, options)
  const path = await checkLinks(ctx.host, await keysFile(ctx, place.user, place.config))
  if (status === 'update') {
    await replaceKey(ctx, path, key, line)
    return 'replace'
  }
  const home = str(info.get('home') ?? '')
  if (path.startsWith(home) && !(await isDirectory(ctx.host, home))) return 'fail'
  await addLine(ctx, path, line, info)
  return 'new'
}

async function addLine(ctx: FunctionContext, path: string, line: string, owner: Dict): Promise<void> {
  const { host } = ctx
  const directory = dirname(path)
  if (!(await isDirectory(host, directory))) {
    await host.makeDirectory(directory, { parents: true })
    await handOver(ctx, directory, owner, 0o700)
  }
  const isNew = !(await isFile(host, path))
  try {
    const held = isNew ? '' : decodeBytes(await host.read(path))
    await host.append(path, held === '' || held.endsWith('\n') ? line : `\n${line}`)
  } catch (error) {
    if (isHostError(error)) throw failure(`Could not write to key file: ${error.message}`)
    throw error
  }
  if (isNew) await handOver(ctx, path, owner, 0o600)
}

/** Gives something to the user alone, in the eyes of SELinux too. */
async function handOver({ host, grains }: FunctionContext, path: string, owner: Dict, mode: number): Promise<void> {
  if (grains.get('kernel') !== 'Windows') {
    if ((await host.identity()).uid === 0) await host.chown(path, Number(owner.get('uid')), Number(owner.get('gid')))
    await host.chmod(path, mode)
  }
  const restore = await host.which('restorecon')
  if (restore !== undefined) await host.run({ argv: [restore, path] })
}

export async function removeKey(ctx: FunctionContext, place: Place, key: string): Promise<string> {
  if (!(await authorizedKeys(ctx, place))?.has(key)) return 'Key not present'
  const path = await checkLinks(ctx.host, await keysFile(ctx, place.user, place.config))
  try {
    const kept = linesOf(decodeBytes(await ctx.host.read(path))).filter((line) => {
      if (line.startsWith('#')) return true
      // lines that hold no key at all go too, as in Salt
      const parts = authorizedKey(line)
      return parts !== undefined && parts.rest.trim().split(/\s+/)[1] !== key
    })
    await ctx.host.write(path, kept.map((line) => `${line}\n`).join(''))
  } catch (error) {
    if (!isHostError(error)) throw error
    ctx.log('warning', `Could not read/write key file: ${error.message}`)
    return 'Key not removed'
  }
  return 'Key removed'
}

export interface KeySource {
  source: string
  saltenv: Value
}

/** Return the keys in a file of the file server; undefined, and a note for the state, if it contains none. */
export async function sourceKeys(
  ctx: FunctionContext,
  { source, saltenv }: KeySource,
  hashType: Value,
  whenMissing: () => undefined,
): Promise<Map<string, KnownKey> | undefined> {
  const path = await ctx.call('cp.cache_file', [source, saltenv])
  if (!truthy(path) || !(await isFile(ctx.host, str(path)))) return whenMissing()
  const keys = await keysIn(ctx, str(path), hashType)
  if (keys.size > 0) return keys
  const complaint = `No keys detected in ${source}. Is file properly formatted?`
  ctx.log('error', complaint)
  ctx.memory.set('ssh_auth.error', complaint)
  return undefined
}

export const notPulled = (): undefined => {
  throw failure('Failed to pull key file from salt file server')
}
