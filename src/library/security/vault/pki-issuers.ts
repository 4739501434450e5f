// Issuers of the secrets engine for certificates: read them, and find the one that signed a certificate.
import { isA, recover } from '../../../base/mod.ts'
import { type Dict, isDict, isList, SaltError, str, textOf, truthy, type Value } from '../../../data/mod.ts'
import { type Certificate, encodedBytes, x509 } from '../../../sdk/mod.ts'
import { dataOf, type VaultAccess } from './access.ts'
import { unlessMissing } from './approles.ts'
import { dataAt } from './asking.ts'
import { isVaultError } from './errors.ts'

/** Return an issuer; null if it does not exist: Vault then answers with an error. */
export async function issuerAt(access: VaultAccess, ref: string, mount: string): Promise<Dict | null> {
  try {
    return await dataAt(access, `${mount}/issuer/${ref}`)
  } catch (error) {
    const isMissing = /unable to find PKI issuer for reference|no default issuer currently configured/
    if (isVaultError(error, 'VaultServerError') && isMissing.test(error.message)) return null
    throw error
  }
}

/** Return what a mount lists (`issuers` or `keys`): facts by id. */
export async function listedFacts(access: VaultAccess, path: string): Promise<Dict> {
  const body = await unlessMissing(access.list(path))
  const data = body === undefined ? new Map<Value, Value>() : dataOf(body)
  const info = data.get('key_info') ?? null
  const ids = data.get('keys') ?? []
  const facts: Dict = isDict(info) ? info : new Map()
  for (const id of isList(ids) ? ids : []) if (!facts.has(id)) facts.set(id, new Map())
  return facts
}

interface Candidate {
  id: string
  facts: Dict
  certificate: Certificate
}

async function certificateIn(facts: Dict): Promise<Certificate | undefined> {
  const text = textOf(facts.get('certificate') ?? null)
  if (text === undefined) return undefined
  const tools = await x509()
  return recover(isA(SaltError), undefined, () => tools.loadCertificate(encodedBytes(text)).certificate)
}

/** Return the candidates that pass a test, or all if none does. */
const preferred = (all: Candidate[], isBetter: (one: Candidate) => boolean): Candidate[] => {
  const better = all.filter(isBetter)
  return better.length > 0 ? better : all
}

/**
 * Return the id of the issuer that signed a certificate. Of several issuers with one key, those that are neither revoked nor
 * expired come first, and the default issuer among them.
 */
export async function signingIssuer(
  access: VaultAccess,
  facts: Dict,
  mount: string,
  now: Date,
): Promise<string | null> {
  const leaf = await certificateIn(facts)
  if (leaf === undefined) return null
  const tools = await x509()
  const signers: Candidate[] = []
  for (const id of (await listedFacts(access, `${mount}/issuers`)).keys()) {
    const issuer = await issuerAt(access, str(id), mount)
    const certificate = issuer === null ? undefined : await certificateIn(issuer)
    if (issuer === null || certificate === undefined) continue
    if (tools.nameText(certificate.subject) !== tools.nameText(leaf.issuer)) continue
    if (!tools.isSignedBy(leaf, tools.loadPublicKey(certificate.publicKey))) continue
    signers.push({ id: str(id), facts: issuer, certificate })
  }
  const valid = preferred(
    preferred(signers, ({ facts }) => !truthy(facts.get('revoked') ?? false)),
    ({ certificate }) => certificate.notBefore <= now && now < certificate.notAfter,
  )
  if (valid.length < 2) return valid[0]?.id ?? null
  const standard = await issuerAt(access, 'default', mount)
  return (valid.find(({ id }) => id === standard?.get('issuer_id')) ?? valid[0]!).id
}
