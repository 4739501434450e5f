// What the program openssl does for `tls`: keys, requests and certificates from them, each as PEM text.

import { randomBytes } from 'node:crypto'
import { lookup } from '../../../../base/mod.ts'
import { decodeBytes, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

/** Runs it; what it refuses is an error in its own words. */
export async function openssl(ctx: FunctionContext, words: readonly string[], stdin = ''): Promise<string> {
  const { retcode, stdout, stderr } = await ctx.host.run({ argv: ['openssl', ...words], stdin })
  if (retcode === 0) return decodeBytes(stdout)
  throw new SaltError('CommandExecutionError', `openssl ${words[0]} failed: ${decodeBytes(stderr).trim()}`)
}

const FIELDS = ['C', 'ST', 'L', 'O', 'OU', 'CN', 'emailAddress'] as const

/** Who a certificate is for, in the order Salt writes it. */
export type Subject = Readonly<Record<(typeof FIELDS)[number], Value>>

export function subjectWords(subject: Subject): string[] {
  const parts = FIELDS.filter((field) => truthy(subject[field])).map(
    (field) => `/${field}=${str(subject[field]).replace(/[\\/+]/g, '\\$&')}`,
  )
  return ['-utf8', '-subj', parts.join('')]
}

export const newKey = (ctx: FunctionContext, bits: Value): Promise<string> =>
  openssl(ctx, ['genpkey', '-algorithm', 'RSA', '-pkeyopt', `rsa_keygen_bits:${str(bits)}`])

/** A positive number of 16 bytes. */
export const newSerial = (): string => `0x7${randomBytes(16).toString('hex').slice(1)}`

/** A configuration of nothing but these extensions, as a temporary file. */
export async function configured<T>(
  ctx: FunctionContext,
  extensions: Readonly<Record<string, string>>,
  use: (file: string) => Promise<T>,
): Promise<T> {
  const lines = Object.entries(extensions).map(([name, value]) => `${name} = ${value.replaceAll('$', '\\$')}`)
  const chosen = lines.length > 0 ? 'x509_extensions = wanted\nreq_extensions = wanted\n' : ''
  const content = `[req]\ndistinguished_name = subject\n${chosen}[subject]\n[wanted]\n${lines.join('\n')}\n`
  const file = await ctx.host.tempFile({ prefix: 'tls-', content })
  try {
    return await use(file)
  } finally {
    await ctx.host.remove(file)
  }
}

const SHORT_NAMES: Readonly<Record<string, string>> = lookup({
  'Subject Alternative Name': 'subjectAltName',
  'Basic Constraints': 'basicConstraints',
  'Key Usage': 'keyUsage',
  'Extended Key Usage': 'extendedKeyUsage',
  'Subject Key Identifier': 'subjectKeyIdentifier',
  'Authority Key Identifier': 'authorityKeyIdentifier',
  'CRL Distribution Points': 'crlDistributionPoints',
  'Certificate Policies': 'certificatePolicies',
})

/** `cert_info`, read from what openssl prints. */
export async function certificateFacts(ctx: FunctionContext, pem: string, digest: string): Promise<Map<string, Value>> {
  const names = ['-nameopt', 'sep_multiline,sname,utf8']
  const asked = ['x509', '-noout', `-${digest}`, '-fingerprint', '-serial', '-dates', '-subject', '-issuer', ...names]
  const told = await openssl(ctx, asked, pem)
  const field = (name: string): string => new RegExp(`${name}=(.*)`, 'i').exec(told)?.[1]?.trim() ?? ''
  const time = (name: string): number => Date.parse(field(name)) / 1000
  const facts = new Map<string, Value>([
    ['fingerprint', field('fingerprint')],
    ['subject', distinguishedName(told, 'subject')],
    ['issuer', distinguishedName(told, 'issuer')],
    ['serial_number', BigInt(`0x${field('serial')}`)],
    ['not_before', time('notBefore')],
    ['not_after', time('notAfter')],
  ])
  const text = await openssl(ctx, ['x509', '-noout', '-text', '-certopt', 'no_pubkey,no_sigdump'], pem)
  const extensions = extensionsIn(text)
  facts.set('extensions', extensions)
  const alternative = extensions.get('subjectAltName')
  if (alternative !== undefined) {
    const entries = str(alternative).split(', ')
    const known = entries
      .map((entry) => /^(?:DNS|IP Address):(.*)$/.exec(entry)?.[1])
      .filter((name) => name !== undefined)
    facts.set('subject_alt_names', [...new Set(known)])
  }
  facts.set('signature_algorithm', /Signature Algorithm: (\S+)/.exec(text)?.[1] ?? '')
  return facts
}

function distinguishedName(told: string, which: string): Map<Value, Value> {
  const block = new RegExp(`^${which}=\\n((?: .*\\n?)*)`, 'm').exec(told)?.[1] ?? ''
  return new Map(Array.from(block.matchAll(/^ +(\w+)=(.*)$/gm), ([, name, value]) => [name!, value!]))
}

function extensionsIn(text: string): Map<Value, Value> {
  const found = new Map<Value, Value>()
  for (const [, name, value] of text.matchAll(/^ +X509v3 ([^:\n]+): ?(?:critical)? *\n((?: {16,}.*\n?)+)/gm)) {
    found.set(SHORT_NAMES[name!.trim()] ?? name!.trim(), value!.trim().replace(/\n\s+/g, '\n'))
  }
  return found
}
