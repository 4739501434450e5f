import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { toPlain, type Value } from '../data/mod.ts'
import { LocalHost } from '../host/mod.ts'
import { tryFunction } from '../sdk/mod.ts'
import tls from './tls.ts'

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
