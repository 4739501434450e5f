// x509.certificate_managed: a certificate that is renewed before it expires and when its properties change.
import { recover } from '../../../../base/mod.ts'
import { type Dict, isList, misuse, str, truthy, type Value } from '../../../../data/mod.ts'
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
import { isOnly, type Managed, manage, splitOptions } from '../../common/managed-file.ts'

type Options = ReadonlyMap<string, Value>

export interface Request {
  name: string
  days_remaining: number
  ca_server: string | null
  signing_policy: string | null
  encoding: string
  append_certs: Value
  /** Keys, names, times and digest, as for x509.create_certificate. */
  options: Map<string, Value>
  kwargs: Options
}

export const given = (options: Options, name: string): Value => options.get(name) ?? null
export const nowOf = ({ host }: StateContext): number => host.now() * 1000
const DAY = 86_400_000

/** Return the public key of the certificate. */
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

/** Check that the signing key belongs to the authority. */
async function checkSigner(ctx: StateContext, options: Options, authority: Certificate): Promise<void> {
  const { publicBytes, sameBytes } = await x509()
  const passphrase = given(options, 'signing_private_key_passphrase')
  const key = await sourceKey(ctx.host, given(options, 'signing_private_key'), passphrase)
  if (sameBytes(publicBytes(key), authority.publicKey)) return
  throw misuse("Signing private key does not match the certificate's public key")
}

async function compare(ctx: StateContext, request: Request, options: Options, path: string) {
  const tools = await x509()
  const changes: Dict = new Map()
  if (!(await isSourceFile(ctx.host, path))) return { changes: changes.set('created', request.name), found: false }
  const policyArgs = { ca_server: request.ca_server }
  const policy = await ctx.call('x509.get_signing_policy', [request.signing_policy], policyArgs)
  const loaded = await loadedAt(ctx, path)
  if (loaded === undefined) return { changes, found: false, replace: true }
  const { certificate: current, encoding, chain } = loaded
  if (request.encoding !== encoding) changes.set('encoding', request.encoding)
  if (current.notAfter.getTime() < nowOf(ctx) + request.days_remaining * DAY) changes.set('expiration', true)
  if (!(await sameChain(ctx, chain, request.append_certs))) changes.set('additional_certs', true)
  const final = tools.withPolicy(policy, options)
  const source = given(final, 'signing_cert')
  const authority = truthy(source) ? await sourceCertificate(ctx.host, source) : undefined
  if (authority && request.ca_server === null) await checkSigner(ctx, final, authority)
  const csr = given(final, 'csr')
  const plan = tools.planCertificate(final, {
    now: new Date(nowOf(ctx)),
    authority,
    publicKey: await subjectKey(ctx, final, authority),
    request: truthy(csr) ? tools.loadRequest(await sourceBytes(ctx.host, csr)).value : undefined,
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

/** Load a certificate; undefined for a file with other contents. */
async function loadedAt(ctx: StateContext, path: string) {
  const { loadCertificate, LoadError } = await x509()
  return recover(
    (error) => error instanceof LoadError && error.fault === 'unreadable',
    undefined,
    async () => loadCertificate(await ctx.host.read(path)),
  )
}

const listOf = (value: Value): Value[] => (truthy(value) ? (isList(value) ? value : [value]) : [])

async function sameChain(ctx: StateContext, held: readonly Certificate[], wanted: Value): Promise<boolean> {
  const { sameBytes } = await x509()
  const sources = listOf(wanted)
  if (sources.length !== held.length) return false
  for (const [index, source] of sources.entries()) {
    if (!sameBytes((await sourceCertificate(ctx.host, source)).raw, held[index]!.raw)) return false
  }
  return true
}

export async function certificateManaged(ctx: StateContext, request: Request): Promise<StateReturn> {
  const tools = await x509()
  const { file, rest } = splitOptions(tools.withShortNames(request.kwargs))
  const digest = rest.get('algorithm')
  rest.delete('algorithm')
  const options = new Map([...request.options, ...rest, ...(digest === undefined ? [] : [['digest', digest] as const])])
  const { encoding, append_certs, ca_server, signing_policy } = request
  const managed: Managed = {
    ...{ subject: 'certificate', name: request.name, file, encoding, textual: ['pem', 'pkcs7_pem'] },
    compare: (path) => compare(ctx, { ...request, append_certs: listOf(append_certs) }, options, path),
    make: async (changes) => {
      const form = { encoding, append_certs: listOf(append_certs) }
      if (isOnly(changes, 'additional_certs', 'encoding', 'pkcs12_friendlyname')) {
        return str(await ctx.call('x509.encode_certificate', [request.name], form))
      }
      const asked = new Map<string, Value>([...Object.entries({ ca_server, signing_policy, ...form }), ...options])
      return str(await ctx.call('x509.create_certificate', [], asked))
    },
  }
  return manage(ctx, managed)
}
