// Contents of certificates, requests and revocation lists.
import { createHash, type KeyObject } from 'node:crypto'
import { type Dict, dictFrom, OrderedDict, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, type X509, x509 } from '../../../../sdk/mod.ts'
import { keySize } from './encoding.ts'
import { bytesOf, certificate, isFile } from './sources.ts'

type Name = ReturnType<X509['loadCertificate']>['certificate']['subject']

export function commonName(tools: X509, subject: Name): string | undefined {
  return subject.flat().find(({ oid }) => oid === tools.NAME_ATTRIBUTES.CN)?.value
}

function nameDict(tools: X509, name: Name): Dict {
  const found: Dict = new OrderedDict()
  for (const [short, oid] of Object.entries(tools.NAME_ATTRIBUTES)) {
    const attribute = name.flat().find((held) => held.oid === oid)
    if (attribute) found.set(short, attribute.value)
  }
  return found
}

/** Return the first bytes of the hash of a name, which older versions of OpenSSL used for file names. */
function nameHash(tools: X509, name: Name): string {
  const hash = createHash('sha1').update(tools.encodeName(name)).digest().subarray(0, 4)
  return tools.prettyHex(new Uint8Array(hash).reverse())
}

const nameFacts = (tools: X509, which: string, name: Name): Record<string, Value> => ({
  [which]: nameDict(tools, name),
  [`${which}_hash`]: nameHash(tools, name),
  [`${which}_str`]: tools.nameText(name),
})

export const pemOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString()

export async function readCertificate(ctx: FunctionContext, source: Value): Promise<Dict> {
  const tools = await x509()
  const held = await certificate(ctx, source)
  const key = tools.loadPublicKey(held.publicKey)
  const print = (algorithm: string): string => tools.prettyHex(createHash(algorithm).update(held.raw).digest('hex'))
  const hashes = ctx.opts.get('fips_mode') === true ? ['sha1', 'sha256'] : ['sha1', 'sha256', 'md5']
  return dictFrom({
    ...{ version: held.version, key_size: keySize(key), key_type: tools.keyKind(key) ?? null },
    serial_number: tools.decimalToHex(held.serial),
    fingerprints: new Map(hashes.map((algorithm): [Value, Value] => [algorithm, print(algorithm)])),
    ...nameFacts(tools, 'subject', held.subject),
    ...nameFacts(tools, 'issuer', held.issuer),
    not_before: tools.shownTime(held.notBefore),
    not_after: tools.shownTime(held.notAfter),
    public_key: pemOf(key),
    extensions: tools.renderExtensions(held.extensions),
    signature_algorithm: tools.signatureName(held.signatureOid),
  })
}

export async function readRequest(ctx: FunctionContext, source: Value): Promise<Dict> {
  const tools = await x509()
  const { value: held } = tools.loadRequest(await bytesOf(ctx, source))
  const key = tools.loadPublicKey(held.publicKey)
  return dictFrom({
    ...{ key_size: keySize(key), key_type: tools.keyKind(key) ?? null },
    ...nameFacts(tools, 'subject', held.subject),
    public_key_hash: tools.prettyHex(tools.keyIdentifier(held.publicKey)),
    extensions: tools.renderExtensions(held.extensions),
  })
}

export async function readList(ctx: FunctionContext, source: Value): Promise<Dict> {
  const tools = await x509()
  const { value: held } = tools.loadRevocationList(await bytesOf(ctx, source))
  const revoked: Dict = new Map()
  for (const { serial, date, extensions } of held.revoked) {
    const facts = { revocation_date: tools.shownTime(date), extensions: tools.renderEntryExtensions(extensions) }
    revoked.set(tools.decimalToHex(serial).replaceAll(':', ''), dictFrom(facts))
  }
  return dictFrom({
    issuer: nameDict(tools, held.issuer),
    last_update: tools.shownTime(held.lastUpdate),
    next_update: tools.shownTime(held.nextUpdate),
    revoked_certificates: revoked,
    extensions: tools.renderExtensions(held.extensions),
    signature_algorithm: tools.signatureName(held.signatureOid),
  })
}

export async function expires(ctx: FunctionContext, source: Value, days: number): Promise<boolean> {
  const { notAfter } = await certificate(ctx, source)
  return notAfter.getTime() <= (ctx.host.now() + days * 86_400) * 1000
}

/** Add path and common name, if known, before the answer. */
export async function verdict(ctx: FunctionContext, source: Value, facts: Dict): Promise<Dict> {
  if (await isFile(ctx, source)) facts.set('path', source)
  const name = commonName(await x509(), (await certificate(ctx, source)).subject)
  if (name !== undefined) facts.set('cn', name)
  return facts
}
