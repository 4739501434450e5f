// Creation, import, export, trust and deletion of keys.
import { lookup } from '../../../../base/mod.ts'
import { type Dict, dictFrom, misuse, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isHostError, oneLine } from '../../../../sdk/mod.ts'
import { gpg, handBack, neededPassphrase, type Outcome, pillarPassphrase, type Ring } from './engine.ts'
import { findKey } from './listing.ts'

const report = (res: boolean, message: string): Dict => dictFrom({ res, message })

export interface NewKey {
  key_type: string
  key_length: number
  name_real: string
  name_comment: string
  name_email: string | null
  subkey_type: string | null
  subkey_length: number | null
  expire_date: string | null
  use_passphrase: boolean
}

export async function createKey(ctx: FunctionContext, ring: Ring, request: NewKey): Promise<Dict> {
  const failed = (message: string): Dict => dictFrom({ res: false, fingerprint: '', message })
  const words = request.use_passphrase ? await pillarPassphrase(ctx) : undefined
  if (request.use_passphrase && words === undefined) return failed('gpg_passphrase not available in pillar.')
  const email = request.name_email
    ? request.name_email
    : `${(await ctx.host.env()).get('LOGNAME') ?? 'unspecified'}@${await ctx.host.hostname()}`
  const lines: [string, Value][] = [
    ['Key-Type', request.key_type],
    ['Key-Length', request.key_length],
    ['Name-Real', request.name_real],
    ['Name-Comment', request.name_comment],
    ['Subkey-Type', request.subkey_type],
    ['Subkey-Length', request.subkey_length],
    ['Expire-Date', request.expire_date],
    ['Name-Email', email],
    ['Passphrase', words ?? null],
  ]
  const text = lines
    .filter(([, value]) => value !== null && str(value).trim() !== '')
    .map(([name, value]) => `${oneLine(`The ${name} of a key`, `${name}: ${str(value)}`)}\n`)
  const end = words === undefined ? '%no-protection\n%commit\n' : '%commit\n'
  const { status } = await gpg(ctx, ring, ['--gen-key'], { stdin: `${text.join('')}${end}` })
  await handBack(ctx, ring)
  const created = status.find(({ keyword }) => keyword === 'KEY_CREATED')?.text.split(' ')[1]
  if (created === undefined) return failed('Unable to generate GPG key pair.')
  return dictFrom({ res: true, fingerprint: created, message: 'GPG key pair successfully generated.' })
}

const PROBLEMS: Readonly<Record<string, string>> = {
  1: 'No such key',
  2: 'Must delete secret key first',
  3: 'Ambiguous specification',
}

export interface Deletion {
  keyid: string | null
  fingerprint: string | null
  delete_secret: boolean
  use_passphrase: boolean
}

export async function deleteKey(ctx: FunctionContext, ring: Ring, request: Deletion): Promise<Dict> {
  const { keyid, fingerprint } = request
  if (keyid && fingerprint) return report(false, 'Only specify one argument, fingerprint or keyid')
  if (!keyid && !fingerprint) return report(false, 'Required argument, fingerprint or keyid')
  const key = await findKey(ctx, ring, { keyid, fingerprint }, false)
  if (key === undefined) return report(false, 'Key not available in keychain.')
  const print = str(key.get('fingerprint')!)
  const remove = async (secret: boolean): Promise<string> => {
    const words = secret && request.use_passphrase ? await pillarPassphrase(ctx) : null
    if (words === undefined) return 'gpg_passphrase not available in pillar.'
    const { status } = await gpg(ctx, ring, ['--yes', `--delete-${secret ? 'secret-key' : 'key'}`, print], {
      passphrase: words,
    })
    const problem = status.find(({ keyword }) => keyword === 'DELETE_PROBLEM')?.text
    return problem === undefined ? 'ok' : (PROBLEMS[problem] ?? `Unknown error: ${problem}`)
  }
  let message = ''
  if (await findKey(ctx, ring, { keyid, fingerprint: print }, true)) {
    if (!request.delete_secret) return report(false, 'Secret key exists, delete first or pass delete_secret=True.')
    const outcome = await remove(true)
    if (outcome !== 'ok') return report(false, `Failed to delete secret key for ${print}: ${outcome}`)
    message = `Secret key for ${print} deleted\n`
  }
  const outcome = await remove(false)
  if (outcome !== 'ok') return report(false, `${message}Failed to delete public key for ${print}: ${outcome}`)
  return report(true, `${message}Public key for ${print} deleted`)
}

/** Return the fingerprints of imported keys, in gpg's order. */
const importedPrints = ({ status }: Outcome): string[] =>
  status.filter(({ keyword }) => keyword === 'IMPORT_OK').map(({ text }) => text.split(' ')[1]!)

async function importBytes(ctx: FunctionContext, ring: Ring, data: Uint8Array): Promise<Dict> {
  const outcome = await gpg(ctx, ring, ['--import'], { stdin: data })
  const counts =
    outcome.status
      .find(({ keyword }) => keyword === 'IMPORT_RES')
      ?.text.split(' ')
      .map(Number) ?? []
  const [count = 0, , imported = 0, rsa = 0, unchanged = 0] = counts
  const notImported = counts[13] ?? 0
  const answer = (res: boolean, message: string): Dict =>
    dictFrom({ res, message, fingerprints: importedPrints(outcome) })
  if (imported > 0 || rsa > 0) return answer(true, 'Successfully imported key(s).')
  if (unchanged > 0) return answer(true, 'Key(s) already exist in keychain.')
  return notImported > 0 || count === 0 ? answer(false, 'Unable to import key.') : answer(true, '')
}

export async function importKeys(
  ctx: FunctionContext,
  ring: Ring,
  { text, filename, select }: { text: Value; filename: string | null; select: string[] | null },
): Promise<Dict> {
  if (!truthy(text) && !filename) throw misuse('filename or text must be passed.')
  if (truthy(text) && filename) throw misuse('filename and text are mutually exclusive.')
  let data: Uint8Array
  try {
    data = filename ? await ctx.host.read(filename) : Buffer.from(str(text))
  } catch (error) {
    if (isHostError(error)) throw misuse('filename does not exist.')
    throw error
  }
  if (select) {
    const kept = await selected(ctx, ring, data, select)
    if (kept instanceof Map) return kept
    data = kept
  }
  const answer = await importBytes(ctx, ring, data)
  await handBack(ctx, ring)
  return answer
}

/** Select keys: import all into a temporary keyring, and export the wanted ones. */
async function selected(
  ctx: FunctionContext,
  ring: Ring,
  data: Uint8Array,
  wanted: readonly string[],
): Promise<Uint8Array | Dict> {
  const directory = await ctx.host.tempDirectory({ prefix: 'gpg-' })
  try {
    const own = { ...ring, gnupghome: directory, keyring: null }
    const answer = await importBytes(ctx, own, data)
    if (answer.get('res') === false) return answer
    const { stdout } = await gpg(ctx, own, ['--export', '--armor', ...wanted])
    if (stdout.length > 0) return stdout
    return dictFrom({ res: true, message: 'After filtering, no keys to import were left.', fingerprints: [] })
  } finally {
    await ctx.host.removeDirectory(directory, { recursive: true })
  }
}

export interface Export {
  keyids: string[] | null
  secret: boolean
  use_passphrase: boolean
  output: string | null
  bare: boolean
}

export async function exportKeys(ctx: FunctionContext, ring: Ring, request: Export): Promise<Value> {
  const { keyids, secret, output, bare } = request
  const passphrase = await neededPassphrase(ctx, secret && request.use_passphrase)
  const which = secret ? '--export-secret-key' : '--export'
  const { stdout } = await gpg(ctx, ring, [which, '--armor', ...(keyids ?? [])], { passphrase })
  const text = Buffer.from(stdout).toString()
  if (text === '') return bare ? false : dictFrom({ res: false })
  if (output) await ctx.host.write(output, text)
  if (bare) return text
  return dictFrom({ res: true, comment: output ? `Exported key data has been written to ${output}` : text })
}

const RECEIVED: Readonly<Record<string, string>> = {
  0: 'already exists in keychain',
  1: 'added to keychain',
  4: 'updated: new signatures',
  8: 'updated: new subkeys',
}

export async function receiveKeys(
  ctx: FunctionContext,
  ring: Ring,
  keyserver: string | null,
  keys: string[] | null,
): Promise<Dict> {
  const server = keyserver || DEFAULT_SERVER
  const outcome = await gpg(ctx, ring, ['--keyserver', server, '--recv-keys', ...(keys ?? [])])
  const messages: string[] = []
  for (const { keyword, text } of outcome.status) {
    const [code = '', print = ''] = text.split(' ')
    if (keyword === 'IMPORT_OK' && RECEIVED[code]) messages.push(`Key ${print} ${RECEIVED[code]}`)
    if (keyword === 'NODATA') messages.push('Unable to add key to keychain: No valid data found')
    if (keyword === 'IMPORT_PROBLEM') messages.push('Unable to add key to keychain: No further description')
  }
  const res = importedPrints(outcome).length > 0
  if (!res) messages.push(`GPG reported failure: ${outcome.stderr}`)
  await handBack(ctx, ring)
  return dictFrom({ res, message: messages })
}

export const DEFAULT_SERVER = 'keys.openpgp.org'

const LEVELS: Readonly<Record<string, readonly [number: string, shown: string]>> = lookup({
  expired: ['1', 'Expired'],
  unknown: ['2', 'Unknown'],
  not_trusted: ['3', 'Not Trusted'],
  marginally: ['4', 'Marginally'],
  fully: ['5', 'Fully Trusted'],
  ultimately: ['6', 'Ultimately Trusted'],
})

export async function trustKey(
  ctx: FunctionContext,
  ring: Ring,
  { keyid, fingerprint, trust_level }: { keyid: string | null; fingerprint: string | null; trust_level: string | null },
): Promise<Dict> {
  if (Boolean(keyid) === Boolean(fingerprint)) throw misuse('Exactly one of keyid or fingerprint is required')
  const level = LEVELS[trust_level ?? '']
  if (level === undefined) throw misuse(`ERROR: Valid trust levels - ${Object.keys(LEVELS).join(',')}`)
  const key = await findKey(ctx, ring, { keyid, fingerprint }, false)
  if (key === undefined) return report(false, `Key ${keyid || fingerprint} not in GPG keychain`)
  const print = fingerprint || str(key.get('fingerprint')!)
  const { retcode, stderr } = await gpg(ctx, ring, ['--import-ownertrust'], { stdin: `${print}:${level[0]}:\n` })
  if (retcode !== 0) return report(false, stderr)
  return dictFrom({ res: true, message: `Setting ownership trust to ${level[1]}.`, fingerprint: print })
}
