// vault_pki.certificate_managed: a certificate in a file that Vault signs, signed anew before it expires and when its properties change.
import { type Dict, dictFrom, failure, isDict, isList, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import {
  type Certificate,
  isSourceFile,
  type StateContext,
  type StateReturn,
  sourceCertificate,
  sourceKey,
  type X509,
  x509,
} from '../../../sdk/mod.ts'
import { isOnly, manage, splitOptions } from '../common/managed-file.ts'
import { comparedName, readAltNames, shownName } from './alt-names.ts'
import { seconds } from './durations.ts'

export interface CertificateRequest {
  name: string
  common_name: string
  role_name: string
  private_key: Value
  mount: string
  ttl: Value
  ttl_remaining: Value
  issuer_ref: string | null
  encoding: string
  append_ca_chain: boolean
  sign_verbatim: boolean
  private_key_passphrase: string | null
  reissue: boolean
  kwargs: ReadonlyMap<string, Value>
}

const ENCODINGS = ['der', 'pem', 'pkcs7_der', 'pkcs7_pem']

function check({ encoding, append_ca_chain, ttl, ttl_remaining }: CertificateRequest): void {
  if (!ENCODINGS.includes(encoding)) {
    throw misuse(`Invalid value for parameter 'encoding': '${encoding}'. Valid: ${ENCODINGS.join(', ')}`)
  }
  if (encoding === 'der' && append_ca_chain) {
    throw misuse(
      'Cannot append the CA chain to DER-encoded certificates. Use pkcs7_der if you need a binary encoding including the chain.',
    )
  }
  if (seconds(ttl_remaining) >= seconds(ttl)) throw misuse('ttl_remaining must be shorter than ttl')
}

interface Issuer {
  ref: string
  certificate: Certificate
  /** Certificates to append, without self-signed ones. */
  chain: Certificate[]
}

async function issuerOf(ctx: StateContext, tools: X509, request: CertificateRequest): Promise<Issuer> {
  const { mount, role_name } = request
  let ref = request.issuer_ref
  if (ref === null) {
    const role = await ctx.call('vault_pki.read_role', [role_name], { mount })
    if (!isDict(role)) throw failure(`Role ${role_name} does not exist.`)
    ref = str(role.get('issuer_ref') ?? 'default')
  }
  const info = await ctx.call('vault_pki.read_issuer', [ref], { mount })
  if (!isDict(info)) throw failure(`Issuer '${ref}' does not exist on mount ${mount}`)
  const certificate = await sourceCertificate(ctx.host, info.get('certificate') ?? null)
  const given = info.get('ca_chain') ?? []
  const chain: Certificate[] = []
  for (const one of request.append_ca_chain && isList(given) ? given : []) {
    const found = await sourceCertificate(ctx.host, one)
    if (tools.nameText(found.subject) !== tools.nameText(found.issuer)) chain.push(found)
  }
  return { ref, certificate, chain }
}

const pair = (old: Value, now: Value): Dict => dictFrom({ old, new: now })

/**
 * Return the differences of a subject from the wanted one; without `sign_verbatim`, Vault uses only the common name.
 */
function subjectChanges(tools: X509, current: Certificate, request: CertificateRequest, fields: Dict): Dict {
  const changes: Dict = new Map()
  const attributes = current.subject.flat()
  for (const [name, oid] of Object.entries(tools.NAME_ATTRIBUTES)) {
    const wanted = name === 'CN' ? request.common_name : request.sign_verbatim ? fields.get(name) : undefined
    if (wanted === undefined) continue
    const is = attributes.find((attribute) => attribute.oid === oid)?.value ?? ''
    if (is !== str(wanted)) changes.set(name, pair(is, wanted))
  }
  return changes
}

/** Return the alternative names to add and to remove. */
function nameChanges(tools: X509, current: Certificate, commonName: string, fields: Dict): Dict | undefined {
  const rendered = tools.renderExtensions(current.extensions).get('subjectAltName') ?? null
  const shown = isDict(rendered) ? (rendered.get('value') ?? []) : []
  const is = new Set(isList(shown) ? shown.map((name) => shownName(str(name))) : [])
  const wanted = new Set(readAltNames(fields.get('alt_names') ?? null).map(comparedName))
  if (!truthy(fields.get('exclude_cn_from_sans') ?? false) && !wanted.has(`dns:${commonName}`)) {
    is.delete(`dns:${commonName}`)
  }
  const [added, removed] = [[...wanted].filter((name) => !is.has(name)), [...is].filter((name) => !wanted.has(name))]
  if (added.length + removed.length === 0) return undefined
  const kind = is.size === 0 ? 'added' : wanted.size === 0 ? 'removed' : 'changed'
  const difference = new Map<Value, Value>(Object.entries({ added: added.sort(), removed: removed.sort() }))
  return new Map([[kind, new Map<Value, Value>([['subjectAltName', difference]])]])
}

async function signerChanges(
  ctx: StateContext,
  tools: X509,
  current: Certificate,
  request: CertificateRequest,
  by: Issuer,
) {
  const changes: Dict = new Map()
  if (!tools.isSignedBy(current, tools.loadPublicKey(by.certificate.publicKey)))
    changes.set('signing_private_key', true)
  const [is, wanted] = [tools.nameText(current.issuer), tools.nameText(by.certificate.subject)]
  if (is !== wanted) changes.set('issuer_name', pair(is, wanted))
  const key = await sourceKey(ctx.host, request.private_key, request.private_key_passphrase)
  if (!tools.sameBytes(tools.publicBytes(key), current.publicKey)) changes.set('private_key', true)
  return changes
}

/**
 * Return the certificate of a bundle that issued none of the others, and the rest: the order in bundles has no meaning.
 */
function leafFirst(tools: X509, all: readonly Certificate[]): Certificate[] | undefined {
  const issuers = new Set(
    all
      .map(({ issuer, subject }) => [tools.nameText(issuer), tools.nameText(subject)] as const)
      .filter(([issuer, subject]) => issuer !== subject)
      .map(([issuer]) => issuer),
  )
  const leaves = all.filter(({ subject }) => !issuers.has(tools.nameText(subject)))
  return leaves.length === 1 ? [leaves[0]!, ...all.filter((one) => one !== leaves[0])] : undefined
}

function sameChain(
  tools: X509,
  held: readonly Certificate[],
  wanted: readonly Certificate[],
  isOrdered: boolean,
): boolean {
  if (held.length !== wanted.length) return false
  return wanted.every(({ raw }, index) =>
    isOrdered ? tools.sameBytes(raw, held[index]!.raw) : held.some((other) => tools.sameBytes(raw, other.raw)),
  )
}

function loaded(tools: X509, bytes: Uint8Array) {
  try {
    const { certificate, encoding, chain } = tools.loadCertificate(bytes)
    const all = [certificate, ...chain]
    const [first, ...rest] = (encoding.startsWith('pkcs7') ? leafFirst(tools, all) : all) ?? []
    return first && { current: first, encoding, chain: rest }
  } catch (error) {
    if (error instanceof tools.LoadError && error.fault === 'unreadable') return undefined
    throw error
  }
}

async function compare(ctx: StateContext, request: CertificateRequest, fields: Dict, by: Issuer, path: string) {
  const tools = await x509()
  const changes: Dict = new Map()
  if (!(await isSourceFile(ctx.host, path))) return { changes: changes.set('created', true), found: false }
  const held = request.reissue ? undefined : loaded(tools, await ctx.host.read(path))
  if (held === undefined) return { changes: changes.set('replaced', true), found: true }
  const { current, encoding, chain } = held
  if (encoding !== request.encoding) changes.set('encoding', pair(encoding, request.encoding))
  const subject = subjectChanges(tools, current, request, fields)
  if (subject.size > 0) changes.set('subject', subject)
  const names = nameChanges(tools, current, request.common_name, fields)
  if (names) changes.set('extensions', names)
  if (!sameChain(tools, chain, by.chain, !encoding.startsWith('pkcs7'))) changes.set('ca_chain', true)
  for (const [what, change] of await signerChanges(ctx, tools, current, request, by)) changes.set(what, change)
  const [left, toleration] = [current.notAfter.getTime() / 1000 - ctx.host.now(), seconds(request.ttl_remaining)]
  if (left < toleration) {
    changes.set('expiration', new Map<Value, Value>(Object.entries({ expire_in: left, toleration })))
  }
  return { changes, found: true }
}

/** Return the new content of the file: the old certificate in another form, or a newly signed one. */
async function make(ctx: StateContext, request: CertificateRequest, fields: Dict, by: Issuer, changes: Dict) {
  const { name, common_name, role_name, private_key, private_key_passphrase, ttl, mount, sign_verbatim } = request
  const { toPem } = await x509()
  const form = {
    encoding: request.encoding,
    append_certs: by.chain.map(({ raw }) => toPem('CERTIFICATE', raw)),
  }
  if (isOnly(changes, 'ca_chain', 'encoding')) return str(await ctx.call('x509.encode_certificate', [name], form))
  const asked = { role_name, common_name, private_key, private_key_passphrase, ttl, mount, sign_verbatim }
  const signed = await ctx.call(
    'vault_pki.sign_certificate',
    [],
    new Map<string, Value>([
      ...(fields as Map<string, Value>),
      ...Object.entries({ ...asked, issuer_ref: by.ref, remove_roots_from_chain: false }),
    ]),
  )
  const certificate = isDict(signed) ? (signed.get('certificate') ?? null) : null
  return str(await ctx.call('x509.encode_certificate', [certificate], form))
}

export async function certificateManaged(ctx: StateContext, request: CertificateRequest): Promise<StateReturn> {
  const { file, rest } = splitOptions(request.kwargs)
  let by: Issuer | undefined
  const issuer = async (): Promise<Issuer> => (by ??= await issuerOf(ctx, await x509(), request))
  return manage(ctx, {
    subject: 'certificate',
    name: request.name,
    file,
    encoding: request.encoding,
    textual: ['pem', 'pkcs7_pem'],
    verb: 'reissue',
    deed: (changes) => (isOnly(changes, 'ca_chain', 'encoding') ? 'recreated' : undefined),
    check: () => check(request),
    compare: async (path) => compare(ctx, request, rest, await issuer(), path),
    make: async (changes) => make(ctx, request, rest, await issuer(), changes),
  })
}
