// Calls of openssl for `tls`: keys, requests and certificates as PEM text.

import { randomBytes } from 'node:crypto'
import { lookup } from '../../../../base/mod.ts'
import { decodeBytes, failure, str, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

/** Run openssl; raise its error text. */
export async function openssl(ctx: FunctionContext, words: readonly string[], stdin = ''): Promise<string> {
  const { retcode, stdout, stderr } = await ctx.host.run({ argv: ['openssl', ...words], stdin })
  if (retcode === 0) return decodeBytes(stdout)
  throw failure(`openssl ${words[0]} failed: ${decodeBytes(stderr).trim()}`)
}

const FIELDS = ['C', 'ST', 'L', 'O', 'OU', 'CN', 'emailAddress'] as const

/** Subject of a certificate, in Salt's order. */
export type Subject = Readonly<Record<(typeof FIELDS)[number], string | null>>

export function subjectWords(subject: Subject): string[] {
  const parts = FIELDS.flatMap((field) => {
    const value = subject[field]
    return value ? [`/${field}=${value.replace(/[\\/+]/g, '\\$&')}`] : []
  })
  return ['-utf8', '-subj', parts.join('')]
}

export const newKey = (ctx: FunctionContext, bits: number): Promise<string> =>
  openssl(ctx, ['genpkey', '-algorithm', 'RSA', '-pkeyopt', `rsa_keygen_bits:${bits}`])

/** Return a positive serial number of 16 bytes. */
export const newSerial = (): string => `0x7${randomBytes(16).toString('hex').slice(1)}`

/** Write a configuration with only these extensions to a temporary file. */
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

/** Return the result of `cert_info` from the output of openssl. */
export async function certificateFacts(ctx: FunctionContext, pem: string, digest: string): Promise<Map<string, Value>> {
  const names = ['-nameopt', 'sep_multiline,sname,utf8']
  const asked = ['x509', '-noout', `-${digest}`, '-fingerprint', '-serial', '-dates', '-subject', '-issuer', ...names]
  const output = await openssl(ctx, asked, pem)
  const field = (name: string): string => new RegExp(`${name}=(.*)`, 'i').exec(output)?.[1]?.trim() ?? ''
  const time = (name: string): number => Date.parse(field(name)) / 1000
  const facts = new Map<string, Value>([
    ['fingerprint', field('fingerprint')],
    ['subject', distinguishedName(output, 'subject')],
    ['issuer', distinguishedName(output, 'issuer')],
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

function distinguishedName(output: string, which: string): Map<Value, Value> {
  const block = new RegExp(`^${which}=\\n((?: .*\\n?)*)`, 'm').exec(output)?.[1] ?? ''
  return new Map(Array.from(block.matchAll(/^ +(\w+)=(.*)$/gm), ([, name = '', value = '']) => [name, value]))
}

function extensionsIn(text: string): Map<Value, Value> {
  const found = new Map<Value, Value>()
  for (const [, name = '', value = ''] of text.matchAll(
    /^ +X509v3 ([^:\n]+): ?(?:critical)? *\n((?: {16,}.*\n?)+)/gm,
  )) {
    found.set(SHORT_NAMES[name.trim()] ?? name.trim(), value.trim().replace(/\n\s+/g, '\n'))
  }
  return found
}
