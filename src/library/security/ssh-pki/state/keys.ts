// ssh_pki.private_key_managed and public_key_managed.
import { recover } from '../../../../base/mod.ts'
import { type Dict, failure, isFailure, misuse, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import { isSourceFile, type StateContext, type StateReturn } from '../../../../sdk/mod.ts'
import { isOnly, manage, splitOptions } from '../../common/managed-file.ts'
import { KEY_ERRORS, type PrivateKey } from '../format/private-key.ts'
import { isSameKey, kindOfKey, sizeOfKey } from '../format/public-key.ts'
import { privateKey, publicKey } from '../module/sources.ts'
import { refuseUnknown } from './certificate.ts'

type Options = ReadonlyMap<string, Value>
type Comparison = { changes: Dict; found: boolean }

export interface KeyRequest {
  name: string
  algo: string
  keysize: number | null
  passphrase: string | null
  new: boolean
  overwrite: boolean
  kwargs: Options
}

/** Comments about an unreadable file, unless it is to be replaced. */
const KEPT: ReadonlyMap<string, string> = new Map([
  [KEY_ERRORS.wrong, 'The provided passphrase cannot decrypt the private key.'],
  [KEY_ERRORS.locked, 'The current key is encrypted with a passphrase.'],
  [KEY_ERRORS.unreadable, 'The existing file does not seem to be a private key.'],
])

/** Read the key; undefined for one that is to be replaced. */
async function heldAt(ctx: StateContext, request: KeyRequest, path: string, changes: Dict) {
  try {
    return await privateKey(ctx, path, request.passphrase)
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    if (error.message === KEY_ERRORS.needless) {
      changes.set('passphrase', true)
      return privateKey(ctx, path, null)
    }
    const kept = KEPT.get(error.message)
    if (kept === undefined) throw error
    if (!request.overwrite) throw failure(`${kept} Pass overwrite: true to force regeneration`)
    if (error.message !== KEY_ERRORS.unreadable) changes.set('passphrase', true)
    return undefined
  }
}

const SIZES: ReadonlyMap<string, number> = new Map([
  ['rsa', 3072],
  ['ec', 256],
])

async function compareKey(ctx: StateContext, request: KeyRequest, path: string): Promise<Comparison> {
  const { name, algo, keysize } = request
  if (truthy(keysize) && algo === 'ed25519') throw misuse(`keysize is an invalid parameter for ${algo}`)
  const changes: Dict = new Map()
  if (!(await isSourceFile(ctx.host, path))) return { changes: changes.set('created', name), found: false }
  const held: PrivateKey | undefined = request.new ? undefined : await heldAt(ctx, request, path, changes)
  if (held === undefined) return { changes: changes.set('replaced', name), found: true }
  const size = keysize ?? SIZES.get(algo) ?? null
  if (kindOfKey(held.public) !== algo) changes.set('algo', algo)
  else if (SIZES.has(algo) && sizeOfKey(held.public) !== size) changes.set('keysize', size)
  return { changes, found: true }
}

export async function privateKeyManaged(ctx: StateContext, request: KeyRequest): Promise<StateReturn> {
  const { name, algo, keysize, passphrase } = request
  const { file, rest } = splitOptions(request.kwargs)
  refuseUnknown(rest)
  if (!truthy(file.get('mode') ?? null)) file.set('mode', '0400')
  return manage(ctx, {
    ...{ subject: 'private key', name, file, encoding: 'text', textual: ['text'] },
    compare: (path) => compareKey(ctx, request, path),
    recreates: await isSourceFile(ctx.host, name),
    deed: (changes) => (isOnly(changes, 'passphrase') ? 'encrypted' : undefined),
    make: async (changes) => {
      if (isOnly(changes, 'passphrase'))
        return str(await ctx.call('ssh_pki.encode_private_key', [name], { passphrase }))
      const made = await ctx.call('ssh_pki.create_private_key', [], { algo, keysize, passphrase })
      if (!(made instanceof Map)) throw failure(`ssh_pki.create_private_key did not return a key: ${str(made)}`)
      return str(made.get('private_key')!)
    },
  })
}

export interface PublicKeyRequest {
  name: string
  public_key_source: Value
  passphrase: string | null
  kwargs: Options
}

/** Return the wanted key of the file; null in a dry run whose source does not exist yet. */
async function wantedKey(ctx: StateContext, request: PublicKeyRequest): Promise<string | null> {
  const { public_key_source, passphrase } = request
  return recover(
    (error) => ctx.test && isFailure(error) && error.message.includes('Could not load key as'),
    null,
    async () => str(await ctx.call('ssh_pki.get_public_key', [public_key_source], { passphrase })),
  )
}

const UNSEEN =
  '. Note that the source could not be loaded, so this assessment relies on the source being created beforehand'

export async function publicKeyManaged(ctx: StateContext, request: PublicKeyRequest): Promise<StateReturn> {
  const { file, rest } = splitOptions(request.kwargs)
  refuseUnknown(rest)
  let wanted: string | null = null
  const report = await manage(ctx, {
    ...{ subject: 'public key', name: request.name, file, encoding: 'text', textual: ['text'] },
    compare: async (path) => {
      wanted = await wantedKey(ctx, request)
      const found = await isSourceFile(ctx.host, path)
      if (!found) return { changes: new Map<Value, Value>([['created', request.name]]), found }
      const held = await publicKey(ctx, path)
      const isSame = wanted !== null && isSameKey(await publicKey(ctx, wanted), held)
      return { changes: isSame ? new Map() : new Map<Value, Value>([['updated', request.name]]), found }
    },
    verb: 'update',
    make: () => Promise.resolve(wanted ?? ''),
  })
  const isForeseen = ctx.test && report.result === null && wanted === null
  return isForeseen ? { ...report, comment: `${report.comment}${UNSEEN}` } : report
}
