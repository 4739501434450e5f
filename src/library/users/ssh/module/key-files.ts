// Key files of the machine and of its users.
import { basename } from 'node:path/posix'
import { type Dict, decodeBytes, failure, misuse, str, strip, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isHostError, unlessRefused } from '../../../../sdk/mod.ts'
import { userInfo } from './authorized.ts'

const HOST_KEY = /^ssh_host_(.+)_key((-cert)?\.pub)?/
const LEGACY = 'SSH PRIVATE KEY FILE FORMAT 1.1\n'

async function textOr<T>(ctx: FunctionContext, path: string, otherwise: T): Promise<string | T> {
  const bytes = await unlessRefused(ctx.host.read(path), undefined)
  return bytes === undefined ? otherwise : decodeBytes(bytes)
}

/** Keys of the machine: private ones, public ones and certificates. */
export async function hostKeys(
  ctx: FunctionContext,
  keydir: string | null,
  isPrivate: Value,
  certs: Value,
): Promise<Dict> {
  if (!keydir && ctx.grains.get('kernel') !== 'Linux') {
    throw misuse('ssh.host_keys: Please specify a keydir')
  }
  const directory = keydir ? keydir : '/etc/ssh'
  const keys: Dict = new Map()
  for (const file of await ctx.host.list(directory)) {
    const [, type, pub = '', cert] = HOST_KEY.exec(file) ?? []
    if (type === undefined || (pub === '' && isPrivate === false) || (cert !== undefined && certs === false)) continue
    const text = await textOr(ctx, `${directory}/${file}`, '')
    // the legacy format is binary after its first line
    keys.set(`${type}${pub}`, strip(text.startsWith(LEGACY) ? LEGACY : text))
  }
  return keys
}

const KINDS = ['rsa', 'dsa', 'ecdsa', 'ed25519'].map((kind) => `id_${kind}`)

/** `false` for a file means not to look. */
const wanted = (file: Value, usual: readonly string[]): string[] =>
  truthy(file) ? [str(file)] : file === false ? [] : [...usual]

export async function userKeys(ctx: FunctionContext, user: Value, pubfile: Value, prvfile: Value): Promise<Dict> {
  const given = truthy(user) ? user : await ctx.call('user.list_users')
  const files = [
    ...wanted(
      pubfile,
      KINDS.map((kind) => `${kind}.pub`),
    ),
    ...wanted(prvfile, KINDS),
  ]
  const all: Dict = new Map()
  for (const name of Array.isArray(given) ? (given as Value[]) : [given]) {
    const home = (await userInfo(ctx, name)).get('home')
    const keys: Dict = new Map()
    for (const file of home === undefined ? [] : files) {
      const path = file.startsWith('/') ? file : `${str(home!)}/.ssh/${file}`
      const text = await textOr(ctx, path, undefined)
      if (text !== undefined) keys.set(file.startsWith('/') ? basename(file) : file, strip(text))
    }
    if (keys.size > 0) all.set(name, keys)
  }
  return all
}

export async function isEncrypted(ctx: FunctionContext, key: string): Promise<boolean> {
  let text: string
  try {
    text = decodeBytes(await ctx.host.read(key))
  } catch (error) {
    if (isHostError(error, 'ENOENT')) throw failure(`${key} does not exist`)
    if (isHostError(error, 'EACCES')) throw failure(`Permission denied reading from ${key}`)
    if (isHostError(error)) throw failure(`Error encountered reading from ${key}: ${error.message}`)
    throw error
  }
  if (!/BEGIN (?:\w+\s)*PRIVATE KEY/.test(text)) throw failure(`${key} is not a private key`)
  return text.includes('ENCRYPTED')
}
