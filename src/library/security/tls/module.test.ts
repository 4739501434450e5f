import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { LocalHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import tls from './module.ts'

const root = mkdtempSync(join(tmpdir(), 'brine-tls-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const host = new LocalHost()
const hasOpenssl = (await host.which('openssl')) !== undefined

const run = async (fun: string, kwargs: Record<string, Value>) => {
  const others = { 'config.option': () => '', 'pillar.get': ([, fallback]: readonly Value[]) => fallback! }
  return toPlain(await tryFunction(tls, fun, { host, kwargs: { cacert_path: root, ...kwargs }, others }))
}

test.runIf(hasOpenssl)('An authority signs the request of a server', async () => {
  const server = { ca_name: 'ca', CN: 'web' }
  expect(await run('create_ca_signed_cert', server)).toEqual({ retcode: 1, comment: 'There is no CA named "ca"' })
  expect(await run('create_ca', { ca_name: 'ca', CN: 'Our CA', bits: 2048 })).toBe(
    `Created Private Key: "${root}/ca/ca_ca_cert.key" Created CA "ca": "${root}/ca/ca_ca_cert.crt"`,
  )
  expect(await run('create_ca', { ca_name: 'ca' })).toBe('Certificate for CA named "ca" already exists')
  await run('create_csr', { ...server, subjectAltName: ['DNS:web', 'IP:10.0.0.1'] })
  expect(await run('create_ca_signed_cert', server)).toBe(`Created Certificate for "web": "${root}/ca/certs/web.crt"`)
  expect(statSync(`${root}/ca/certs/web.key`).mode & 0o777).toBe(0o600)
  expect(readFileSync(`${root}/ca/index.txt`, 'utf8')).toMatch(/^V\t\d+Z\t\t[0-9A-F]+\tunknown\t\/C=US.*\/CN=web$/m)
  const facts = toPlain(
    await tryFunction(tls, 'cert_info', { host, kwargs: { cert: `${root}/ca/certs/web.crt` } }),
  ) as Record<string, unknown>
  expect(facts).toMatchObject({
    issuer: { CN: 'Our CA', C: 'US' },
    subject: { CN: 'web', O: 'SaltStack' },
    subject_alt_names: ['web', '10.0.0.1'],
    extensions: { extendedKeyUsage: 'TLS Web Server Authentication', basicConstraints: 'CA:FALSE' },
    signature_algorithm: 'sha256WithRSAEncryption',
  })
  expect(await run('create_pkcs12', { ...server, passphrase: 'x' })).toBe(
    `Created PKCS#12 Certificate for "web": "${root}/ca/certs/web.p12"`,
  )
})

test.runIf(hasOpenssl)('A certificate that signs itself is made once', async () => {
  expect(await run('create_self_signed_cert', { CN: 'a.example' })).toBe(
    `Created Private Key: "${root}/tls/certs/a.example.key" Created Certificate: "${root}/tls/certs/a.example.crt"`,
  )
  expect(await run('create_self_signed_cert', { CN: 'a.example' })).toBe('Certificate "a.example" already exists')
})

test.runIf(hasOpenssl)('An authority revokes a certificate, which is then valid no more', async () => {
  const [ca_name, CN] = ['other', 'lost']
  const list = `${root}/${ca_name}/crl.pem`
  const certificate = `${root}/${ca_name}/certs/${CN}.crt`
  expect(await run('create_empty_crl', { ca_name })).toBe('There is no CA named "other"')
  await run('create_ca', { ca_name, CN: 'Other CA', bits: 1024 })
  expect(await run('create_empty_crl', { ca_name })).toBe(`Created an empty CRL: "${list}"`)
  expect(await run('create_empty_crl', { ca_name })).toBe(`CRL "${list}" already exists`)
  expect(await run('revoke_cert', { ca_name, CN })).toBe('There is no client certificate named "lost"')
  for (const name of [CN, 'kept']) {
    await run('create_csr', { ca_name, CN: name, bits: 1024 })
    await run('create_ca_signed_cert', { ca_name, CN: name })
  }
  const others = { 'config.option': () => root }
  const valid = async (cert: string, crl_file: Value) =>
    toPlain(await tryFunction(tls, 'validate', { host, kwargs: { cert, ca_name, crl_file }, others }))
  expect(await valid(certificate, list)).toEqual({ valid: true })
  expect(await run('revoke_cert', { ca_name, CN })).toMatch(`Revoked Certificate: "${certificate}", serial number: `)
  expect(await run('revoke_cert', { ca_name, CN })).toMatch(`"${certificate}" was already revoked, serial number: `)
  expect(await valid(certificate, list)).toEqual({ valid: false, error: 'certificate revoked' })
  expect(await valid(certificate, null)).toEqual({ valid: false, error: 'certificate revoked' })
  expect(await valid(`${root}/${ca_name}/certs/kept.crt`, list)).toEqual({ valid: true })
})

test('Extensions for a use are those in pillar, or the defaults', async () => {
  const others = { 'pillar.get': ([, fallback]: readonly Value[]) => fallback! }
  expect(toPlain(await tryFunction(tls, 'get_extensions', { args: ['client'], others }))).toEqual({
    csr: {
      basicConstraints: 'CA:FALSE',
      extendedKeyUsage: 'clientAuth',
      keyUsage: 'nonRepudiation, digitalSignature, keyEncipherment',
    },
    cert: { authorityKeyIdentifier: 'keyid,issuer:always', subjectKeyIdentifier: 'hash' },
  })
})
