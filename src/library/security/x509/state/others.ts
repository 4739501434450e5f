// States of private keys, requests, revocation lists and PEM texts.
import { lookup, recover } from '../../../../base/mod.ts'
import { type Dict, failure, misuse, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import {
  type Certificate,
  isSourceFile,
  type StateContext,
  type StateReturn,
  sourceCertificate,
  sourceKey,
  x509,
} from '../../../../sdk/mod.ts'
import { fileManaged, isOnly, type Managed, manage, refuseUnknown, splitOptions } from '../../common/managed-file.ts'
import { digestName, given, nowOf } from './certificate.ts'

type Options = ReadonlyMap<string, Value>
type Comparison = Awaited<ReturnType<Managed['compare']>>

const created = (name: string): Comparison => ({ changes: new Map([['created', name]]), found: false })

/** Read an object; undefined for a file with other contents. */
async function readable<T>(read: () => Promise<T>): Promise<T | undefined> {
  const { LoadError } = await x509()
  return recover(
    (error) => error instanceof LoadError && error.fault === 'unreadable',
    undefined,
    () => read(),
  )
}

export interface KeyRequest {
  name: string
  algo: string
  keysize: number | null
  passphrase: string | null
  encoding: string
  new: boolean
  overwrite: boolean
  pkcs12_encryption_compat: boolean
  kwargs: Options
}

const LOCKED: Readonly<Record<string, string>> = lookup({
  'wrong password':
    'The provided passphrase cannot decrypt the private key. Pass overwrite: true to force regeneration',
  'no password': 'The existing file is encrypted. Pass overwrite: true to force regeneration without passphrase',
  unreadable:
    'The existing file does not seem to be a private key formatted as DER, PEM or embedded in PKCS12. Pass overwrite: true to force regeneration',
})

async function compareKey(ctx: StateContext, request: KeyRequest, keysize: Value, path: string): Promise<Comparison> {
  const tools = await x509()
  const changes: Dict = new Map()
  if (!(await isSourceFile(ctx.host, path))) return created(request.name)
  if (request.new) return { changes: changes.set('replaced', request.name), found: true }
  const bytes = await ctx.host.read(path)
  const load = (words: string | null) => tools.loadPrivateKey(bytes, words)
  let current: ReturnType<typeof load>
  try {
    current = load(request.passphrase)
  } catch (error) {
    if (!(error instanceof tools.LoadError)) throw error
    if (error.fault !== 'needless password') {
      if (!request.overwrite) throw failure(LOCKED[error.fault]!)
      if (error.fault !== 'unreadable') changes.set('passphrase', true)
      return { changes: changes.set('created', request.name), found: true }
    }
    changes.set('passphrase', true)
    current = load(null)
  }
  const kind = tools.keyKind(current.key)
  const size = keysize ?? (request.algo === 'rsa' ? 2048 : 256)
  if (kind !== request.algo) changes.set('algo', request.algo)
  else if (['rsa', 'ec'].includes(request.algo)) {
    const held = await ctx.call('x509.get_private_key_size', [path], {
      passphrase: changes.has('passphrase') ? null : request.passphrase,
    })
    if (held !== size) changes.set('keysize', size)
  }
  if (current.encoding !== request.encoding) changes.set('encoding', request.encoding)
  return { changes, found: true }
}

export async function keyManaged(ctx: StateContext, request: KeyRequest): Promise<StateReturn> {
  const { name, algo, passphrase, encoding, pkcs12_encryption_compat } = request
  const { file, rest } = splitOptions(request.kwargs)
  const keysize = rest.get('bits') ?? request.keysize
  for (const old of ['bits', 'cipher', 'verbose', 'text']) rest.delete(old)
  refuseUnknown(rest)
  if (!truthy(file.get('mode') ?? null) && ctx.grains.get('kernel') !== 'Windows') file.set('mode', '0400')
  const managed: Managed = {
    ...{ subject: 'private key', name, file, encoding, textual: ['pem'] },
    compare: async (path) => {
      if (truthy(keysize) && ['ed25519', 'ed448'].includes(algo)) {
        throw misuse(`keysize is an invalid parameter for ${algo}`)
      }
      return compareKey(ctx, request, keysize, path)
    },
    recreates: await isSourceFile(ctx.host, name),
    make: async (changes) => {
      if (!isOnly(changes, 'encoding', 'passphrase')) {
        const options = { algo, keysize, passphrase, encoding, pkcs12_encryption_compat }
        return str(await ctx.call('x509.create_private_key', [], options))
      }
      const private_key_passphrase = changes.has('passphrase') ? null : passphrase
      return str(await ctx.call('x509.encode_private_key', [name], { passphrase, encoding, private_key_passphrase }))
    },
  }
  return manage(ctx, managed)
}

export interface CsrRequest {
  name: string
  encoding: string
  /** Key, digest and subject, as for x509.create_csr. */
  options: Map<string, Value>
  kwargs: Options
}

export async function requestManaged(ctx: StateContext, request: CsrRequest): Promise<StateReturn> {
  const tools = await x509()
  const { name, encoding } = request
  const { file, rest } = splitOptions(tools.withShortNames(request.kwargs))
  const digest = rest.get('algorithm') ?? given(request.options, 'digest')
  rest.delete('algorithm')
  const options = new Map([...request.options, ...rest, ['digest', digest] as const])
  const compare = async (path: string): Promise<Comparison> => {
    if (!(await isSourceFile(ctx.host, path))) return created(name)
    const loaded = await readable(async () => tools.loadRequest(await ctx.host.read(path)))
    if (loaded === undefined) return { changes: new Map(), found: false, replace: true }
    const changes: Dict = new Map()
    const held = tools.digestOf(loaded.value.signatureOid)
    if (held !== undefined && held !== digestName(digest)) changes.set('digest', digest)
    if (loaded.encoding !== encoding) changes.set('encoding', encoding)
    const key = await sourceKey(ctx.host, given(options, 'private_key'), given(options, 'private_key_passphrase'))
    if (!tools.sameBytes(tools.publicBytes(key), loaded.value.publicKey)) changes.set('private_key', true)
    const found = tools.requestChanges(loaded.value, tools.planRequest(options, key))
    return { changes: new Map([...changes, ...found]), found: true }
  }
  return manage(ctx, {
    ...{ subject: 'certificate signing request', name, file, encoding, textual: ['pem'], compare },
    make: async (changes) =>
      isOnly(changes, 'encoding')
        ? str(await ctx.call('x509.encode_csr', [name], { encoding }))
        : str(await ctx.call('x509.create_csr', [], new Map([...options, ['encoding', encoding]]))),
  })
}

export interface ListRequest {
  name: string
  days_remaining: number
  encoding: string
  extensions: Value
  /** Key, certificate, entries and other options, as for x509.create_crl. */
  options: Map<string, Value>
  kwargs: Options
}

/** Return the entries with their certificates. */
async function entriesOf(ctx: StateContext, revoked: Value) {
  const entries: { options: Options; certificate: Certificate | undefined }[] = []
  for (const entry of revoked as Dict[]) {
    const [only] = entry.values()
    const parts = entry.size === 1 && Array.isArray(only) ? (only as Dict[]) : [entry]
    const merged = new Map(parts.flatMap((part) => [...part])) as Map<string, Value>
    const reason = merged.get('reason')
    if (reason !== undefined) {
      const extensions = (merged.get('extensions') ?? new Map()) as Dict
      merged.set('extensions', new Map([...extensions, ['CRLReason', reason]]))
    }
    const source = merged.get('certificate')
    entries.push({
      options: merged,
      certificate: source === undefined ? undefined : await sourceCertificate(ctx.host, source),
    })
  }
  return entries
}

/** Return the number of a list, for the next one. */
async function listNumber(ctx: StateContext, path: string): Promise<number> {
  if (!(await isSourceFile(ctx.host, path))) return 0
  const facts = await ctx.call('x509.read_crl', [path])
  const number = (facts.get('extensions') as Dict).get('cRLNumber')
  return number instanceof Map ? Number(number.get('value')) : 0
}

async function compareList(
  ctx: StateContext,
  request: ListRequest,
  extensions: Options,
  path: string,
): Promise<Comparison> {
  const tools = await x509()
  const { name, encoding, options } = request
  if (!(await isSourceFile(ctx.host, path))) return created(name)
  const loaded = await readable(async () => tools.loadRevocationList(await ctx.host.read(path)))
  if (loaded === undefined) return { changes: new Map(), found: false, replace: true }
  const changes: Dict = new Map()
  const held = tools.digestOf(loaded.value.signatureOid)
  if (held !== undefined && held !== digestName(given(options, 'digest')))
    changes.set('digest', given(options, 'digest'))
  if (loaded.encoding !== encoding) changes.set('encoding', encoding)
  const left = request.days_remaining * 86_400_000
  if (left > 0 && loaded.value.nextUpdate.getTime() < nowOf(ctx) + left) changes.set('expiration', true)
  const source = given(options, 'signing_cert')
  const passphrase = given(options, 'signing_private_key_passphrase')
  const key = await sourceKey(ctx.host, given(options, 'signing_private_key'), passphrase)
  const automatic = extensions.get('cRLNumber') === 'auto'
  const plan = tools.planRevocationList({
    now: new Date(nowOf(ctx)),
    authority: truthy(source) ? await sourceCertificate(ctx.host, source) : undefined,
    includeExpired: truthy(given(options, 'include_expired')),
    daysValid: Number(given(options, 'days_valid')),
    revoked: await entriesOf(ctx, given(options, 'revoked')),
    extensions: new Map([...extensions].filter(([id]) => id !== 'cRLNumber' || !automatic)),
    warn: (message) => ctx.log('warning', message),
  })
  const numbered = automatic
    ? loaded.value.extensions.filter(({ oid }) => oid !== tools.EXTENSIONS['cRLNumber'])
    : loaded.value.extensions
  const by = tools.loadPublicKey(tools.publicBytes(key))
  const found = tools.listChanges({ ...loaded.value, extensions: numbered }, plan, by)
  // as in Salt, an empty list counts as none
  return { changes: new Map([...changes, ...found]), found: loaded.value.revoked.length > 0 }
}

export async function listManaged(ctx: StateContext, request: ListRequest): Promise<StateReturn> {
  const { name, encoding, options } = request
  const { file, rest } = splitOptions(request.kwargs)
  rest.delete('text')
  refuseUnknown(rest)
  const extensions = (request.extensions instanceof Map ? request.extensions : new Map()) as Map<string, Value>
  return manage(ctx, {
    ...{ subject: 'certificate revocation list', name, file, encoding, textual: ['pem'] },
    compare: (path) => compareList(ctx, request, extensions, path),
    make: async (changes) => {
      if (isOnly(changes, 'encoding')) return str(await ctx.call('x509.encode_crl', [name], { encoding }))
      const number =
        extensions.get('cRLNumber') === 'auto' ? [['cRLNumber', (await listNumber(ctx, name)) + 1] as const] : []
      const numbered: Dict = new Map([...extensions, ...number])
      const asked = new Map<string, Value>([...options, ['encoding', encoding], ['extensions', numbered]])
      return str(await ctx.call('x509.create_crl', [], asked))
    },
  })
}

export async function pemManaged(
  ctx: StateContext,
  name: string,
  text: Value,
  kwargs: Options,
): Promise<StateReturn | Dict> {
  const { file, rest } = splitOptions(kwargs)
  refuseUnknown(rest)
  try {
    const entry = await ctx.call('x509.get_pem_entry', [], { text })
    return await fileManaged(
      ctx,
      name,
      new Map([...file, ['contents', Buffer.from(entry as Uint8Array).toString()]]),
      false,
    )
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    return { name, result: false, comment: error.message, changes: {} }
  }
}
