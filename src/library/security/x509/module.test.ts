import { X509Certificate } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Dict, Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import x509 from './module.ts'

const NOW = 1_800_000_000
const host = new MemoryHost({ now: () => NOW })
const others = { 'pillar.get': () => new Map(), 'config.get': () => new Map(), 'file.file_exists': () => false }
const call = (fun: string, kwargs: Record<string, Value>): Promise<Value> =>
  tryFunction(x509, fun, { kwargs, host, others })

const authority = {
  signing_private_key: '/ca.key',
  CN: 'Authority',
  O: 'Org, Inc',
  basicConstraints: 'critical, CA:TRUE, pathlen:0',
  keyUsage: 'critical, cRLSign, keyCertSign',
  subjectKeyIdentifier: 'hash',
}
const server = {
  signing_private_key: '/ca.key',
  signing_cert: '/ca.crt',
  private_key: '/www.key',
  CN: 'www',
  subjectAltName: ['DNS:*.example.com', 'IP:10.0.0.1', 'email:a@example.com'],
  extendedKeyUsage: 'serverAuth',
  authorityKeyIdentifier: 'keyid:always',
  days_valid: 30,
}

beforeAll(async () => {
  await host.write('/ca.key', (await call('create_private_key', { algo: 'ec' })) as string)
  await host.write('/www.key', (await call('create_private_key', { algo: 'ec', keysize: 384 })) as string)
  await host.write('/ca.crt', (await call('create_certificate', { ...authority, days_valid: 3650 })) as string)
  await host.write('/www.crt', (await call('create_certificate', server)) as string)
})

const parsed = async (path: string): Promise<X509Certificate> => new X509Certificate(Buffer.from(await host.read(path)))

describe('a certificate', () => {
  test('can be read by other programs too', async () => {
    const [ca, www] = [await parsed('/ca.crt'), await parsed('/www.crt')]
    expect([ca.ca, ca.checkIssued(ca), www.ca, www.checkIssued(ca), www.verify(ca.publicKey)]).toEqual([
      ...[true, true, false, true, true],
    ])
    expect(www.checkHost('a.example.com')).toBe('*.example.com')
    expect(www.checkIP('10.0.0.1')).toBe('10.0.0.1')
    expect(www.checkEmail('a@example.com')).toBe('a@example.com')
  })

  test('returns names, times and extensions', async () => {
    const facts = (await call('read_certificate', { certificate: '/www.crt' })) as Dict
    const pick = (key: string): Value => facts.get(key)!
    expect([pick('issuer_str'), pick('key_size'), pick('signature_algorithm'), pick('not_after')]).toEqual([
      ...['CN=Authority,O=Org\\, Inc', 384, 'ecdsa-with-SHA256', '2027-02-14 08:00:00'],
    ])
    const extensions = pick('extensions') as Map<string, Dict>
    expect(extensions.get('subjectAltName')!.get('value')).toEqual([
      'DNS:*.example.com',
      'IP:10.0.0.1',
      'mail:a@example.com',
    ])
    expect([...extensions.keys()]).toEqual(['extendedKeyUsage', 'authorityKeyIdentifier', 'subjectAltName'])
  })

  test('is over after its time', async () => {
    expect(await call('expires', { certificate: '/www.crt' })).toBe(false)
    expect(await call('expires', { certificate: '/www.crt', days: 31 })).toBe(true)
  })

  test('belongs to one key and one authority', async () => {
    expect(await call('verify_private_key', { private_key: '/www.key', public_key: '/www.crt' })).toBe(true)
    expect(await call('verify_private_key', { private_key: '/ca.key', public_key: '/www.crt' })).toBe(false)
    expect(await call('verify_signature', { certificate: '/www.crt', signing_pub_key: '/ca.crt' })).toBe(true)
    expect(await call('verify_signature', { certificate: '/www.crt' })).toBe(false)
  })

  test.each<[Record<string, Value>, string]>([
    [{ ...server, subjectAltName: 'DNS:a..b' }, 'Empty Label'],
    [
      { ...server, basicConstraints: { ca: false } as unknown as Value, digest: 'md2' },
      "Invalid value 'md2' for digest",
    ],
    [{ ...server, signing_private_key: '/www.key' }, "does not match the certificate's public key"],
    [{ CN: 'x' }, 'at least requires a signing private key'],
    [{ ...server, signing_private_key: '/nofile' }, 'Could not load provided source'],
  ])('is refused for %j', async (kwargs, message) => {
    await expect(call('create_certificate', kwargs)).rejects.toThrow(message)
  })
})

test('a revocation list contains serials and reasons, and is signed', async () => {
  const entry = new Map<Value, Value>([['serial_number', '01:02']]).set('reason', 'superseded')
  const given = { signing_private_key: '/ca.key', signing_cert: '/ca.crt', revoked: [entry] }
  await host.write('/a.crl', (await call('create_crl', given)) as string)
  expect(await call('verify_crl', { crl: '/a.crl', cert: '/ca.crt' })).toBe(true)
  const facts = (await call('read_crl', { crl: '/a.crl' })) as Dict
  const revoked = (facts.get('revoked_certificates') as Map<string, Dict>).get('0102')!
  expect((revoked.get('extensions') as Map<string, Dict>).get('CRLReason')!.get('value')).toBe('superseded')
})

test('a request hands its extensions on, but those of the authority', async () => {
  const asked = { private_key: '/www.key', CN: 'r', subjectAltName: 'DNS:r.example.com', keyUsage: 'digitalSignature' }
  await host.write('/r.csr', (await call('create_csr', asked)) as string)
  const { private_key: _, subjectAltName: __, extendedKeyUsage: ___, ...rest } = server
  await host.write('/r.crt', (await call('create_certificate', { ...rest, csr: '/r.csr' })) as string)
  expect((await parsed('/r.crt')).subjectAltName).toBe('DNS:r.example.com')
})

test('a key is unlocked by its passphrase alone', async () => {
  const locked = await call('create_private_key', { algo: 'ed25519', passphrase: 'secret' })
  expect(await call('get_private_key_size', { private_key: locked, passphrase: 'secret' })).toBe(null)
  await expect(call('get_private_key_size', { private_key: locked })).rejects.toThrow('Please provide a password')
  await expect(call('get_private_key_size', { private_key: locked, passphrase: 'x' })).rejects.toThrow('Bad decrypt')
})

test('PEM that lost its lines gets them back', async () => {
  const flat = Buffer.from(await host.read('/www.crt'))
    .toString()
    .replaceAll('\n', '')
  const entry = await call('get_pem_entry', { text: flat })
  expect(Buffer.from(entry as Uint8Array).toString()).toBe(Buffer.from(await host.read('/www.crt')).toString())
})
