// x509.certificate_managed: a certificate that is renewed in time and when anything about it changes.
import { type Dict, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import {
  type Certificate,
  isSourceFile,
  type StateContext,
  type StateReturn,
  sourceBytes,
  sourceCertificate,
  sourceKey,
  x509,
} from '../../../../sdk/mod.ts'
import { isOnly, type Managed, manage, splitOptions } from './managing.ts'

type Options = ReadonlyMap<string, Value>

export interface Wish {
  name: string
  days_remaining: Value
  ca_server: Value
  signing_policy: Value
  encoding: Value
  append_certs: Value
  /** Keys, names, times and digest, as x509.create_certificate takes them. */
  options: Map<string, Value>
  kwargs: Options
}

export const given = (options: Options, name: string): Value => options.get(name) ?? null
export const nowOf = ({ host }: StateContext): number => host.now() * 1000
const DAY = 86_400_000

/** The public key that the certificate is about; undefined when only the other minion knows. */
async function subjectKey(
  ctx: StateContext,
  options: Options,
  authority: Certificate | undefined,
): Promise<Uint8Array> {
  const { publicBytes, loadPublicKey, loadRequest } = await x509()
  if (authority === undefined) {
    const passphrase = given(options, 'signing_private_key_passphrase')
    return publicBytes(await sourceKey(ctx.host, given(options, 'signing_private_key'), passphrase))
  }
  const own = given(options, 'private_key')
  if (truthy(own)) return publicBytes(await sourceKey(ctx.host, own, given(options, 'private_key_passphrase')))
  const half = given(options, 'public_key')
  if (truthy(half)) return publicBytes(loadPublicKey(await sourceBytes(ctx.host, half)))
  return loadRequest(await sourceBytes(ctx.host, given(options, 'csr'))).value.publicKey
}

/** The key that would sign is there, and is the authority's. */
async function checkSigner(ctx: StateContext, options: Options, authority: Certificate): Promise<void> {
  const { publicBytes, sameBytes } = await x509()
  const passphrase = given(options, 'signing_private_key_passphrase')
  const key = await sourceKey(ctx.host, given(options, 'signing_private_key'), passphrase)
  if (sameBytes(publicBytes(key), authority.publicKey)) return
  throw new SaltError('SaltInvocationError', "Signing private key does not match the certificate's public key")
}

async function compare(ctx: StateContext, wish: Wish, options: Options, path: string) {
  const tools = await x509()
  const changes: Dict = new Map()
  if (!(await isSourceFile(ctx.host, path))) return { changes: changes.set('created', wish.name), found: false }
  const policyArgs = { ca_server: wish.ca_server }
  const policy = await ctx.call('x509.get_signing_policy', [wish.signing_policy], policyArgs)
  const loaded = await loadedAt(ctx, path)
  if (loaded === undefined) return { changes, found: false, replace: true }
  const { certificate: current, encoding, chain } = loaded
  if (wish.encoding !== encoding) changes.set('encoding', wish.encoding)
  if (current.notAfter.getTime() < nowOf(ctx) + Number(wish.days_remaining) * DAY) changes.set('expiration', true)
  if (!(await sameChain(ctx, chain, wish.append_certs))) changes.set('additional_certs', true)
  const final = tools.withPolicy(policy, options)
  const source = given(final, 'signing_cert')
  const authority = truthy(source) ? await sourceCertificate(ctx.host, source) : undefined
  if (authority && wish.ca_server === null) await checkSigner(ctx, final, authority)
  const request = given(final, 'csr')
  const plan = tools.planCertificate(final, {
    now: new Date(nowOf(ctx)),
    authority,
    publicKey: await subjectKey(ctx, final, authority),
    request: truthy(request) ? tools.loadRequest(await sourceBytes(ctx.host, request)).value : undefined,
  })
  const digest = tools.digestOf(current.signatureOid)
  if (digest !== undefined && digest !== digestName(given(final, 'digest'))) {
    changes.set('digest', given(options, 'digest'))
  }
  const by = authority && tools.loadPublicKey(authority.publicKey)
  const serial = given(options, 'serial_number')
  for (const [key, value] of tools.certificateChanges(current, plan, by, serial)) changes.set(key, value)
  return { changes, found: true }
}

export const digestName = (digest: Value): string =>
  str(digest ?? 'sha256')
    .toLowerCase()
    .replace('_', '-')

/** Undefined for a file that holds something else. */
async function loadedAt(ctx: StateContext, path: string) {
  const { loadCertificate, LoadError } = await x509()
  try {
    return loadCertificate(await ctx.host.read(path))
  } catch (error) {
    if (error instanceof LoadError && error.fault === 'unreadable') return undefined
    throw error
  }
}

const listOf = (value: Value): Value[] => (truthy(value) ? (Array.isArray(value) ? (value as Value[]) : [value]) : [])

async function sameChain(ctx: StateContext, held: readonly Certificate[], wanted: Value): Promise<boolean> {
  const { sameBytes } = await x509()
  const sources = listOf(wanted)
  if (sources.length !== held.length) return false
  for (const [index, source] of sources.entries()) {
    if (!sameBytes((await sourceCertificate(ctx.host, source)).raw, held[index]!.raw)) return false
  }
  return true
}

export async function certificateManaged(ctx: StateContext, wish: Wish): Promise<StateReturn> {
  const tools = await x509()
  const { file, rest } = splitOptions(tools.withShortNames(wish.kwargs))
  const digest = rest.get('algorithm')
  rest.delete('algorithm')
  const options = new Map([...wish.options, ...rest, ...(digest === undefined ? [] : [['digest', digest] as const])])
  const { encoding, append_certs, ca_server, signing_policy } = wish
  const managed: Managed = {
    ...{ subject: 'certificate', name: wish.name, file, encoding: str(encoding), textual: ['pem', 'pkcs7_pem'] },
    compare: (path) => compare(ctx, { ...wish, append_certs: listOf(append_certs) }, options, path),
    make: async (changes) => {
      const form = { encoding, append_certs: listOf(append_certs) }
      if (isOnly(changes, 'additional_certs', 'encoding', 'pkcs12_friendlyname')) {
        return str(await ctx.call('x509.encode_certificate', [wish.name], form))
      }
      const asked = new Map<string, Value>([...Object.entries({ ca_server, signing_policy, ...form }), ...options])
      return str(await ctx.call('x509.create_certificate', [], asked))
    },
  }
  return manage(ctx, managed)
}
