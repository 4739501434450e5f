// Attacks on signing for other minions, by a minion that may ask for certificates of a policy, and on the reader of
// certificates, requests and lists.
import { createPublicKey, X509Certificate } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { BrineError } from '../../src/base/mod.ts'
import type { Dict, Value } from '../../src/data/mod.ts'
import { MemoryHost } from '../../src/host/mod.ts'
import x509 from '../../src/library/security/x509/module.ts'
import { tryFunction } from '../../src/sdk/mod.ts'
import { loadCertificate, loadPrivateKey, loadRequest, loadRevocationList } from '../../src/x509/mod.ts'

const NOW = 1_800_000_000
const DAY = 86_400
const host = new MemoryHost({ now: () => NOW })

const POLICIES: Record<string, Record<string, Value>> = {
  www: {
    minions: 'web*',
    signing_private_key: '/ca.key',
    signing_cert: '/ca.crt',
    CN: 'www',
    basicConstraints: 'critical, CA:FALSE',
    keyUsage: 'digitalSignature',
    subjectAltName: 'DNS:www',
    days_valid: 30,
  },
  old: {
    signing_private_key: '/ca.key',
    signing_cert: '/ca.crt',
    commonName: 'www',
    'X509v3 Basic Constraints': 'critical, CA:FALSE',
    algorithm: 'sha512',
  },
  listed: { signing_private_key: '/ca.key', signing_cert: '/ca.crt', subject: ['O=Site', 'CN=www'] },
  own: { signing_private_key: '/ca.key' },
  copied: { signing_private_key: '/ca.key', signing_cert: '/ca.crt', copypath: '/issued', prepend_cn: true },
}

const policies = (): Dict =>
  new Map(Object.entries(POLICIES).map(([name, policy]) => [name, new Map<Value, Value>(Object.entries(policy))]))
const others = {
  'pillar.get': policies,
  'config.get': () => new Map(),
  'file.file_exists': () => false,
  'match.glob': ([rule, id]: readonly Value[]) => String(id).startsWith(String(rule).replace('*', '')),
}
const call = (fun: string, kwargs: Record<string, Value>): Promise<Value> =>
  tryFunction(x509, fun, { kwargs, host, others })

let publicKey: Uint8Array

beforeAll(async () => {
  await host.makeDirectory('/issued', { parents: true })
  await host.makeDirectory('/etc/cron.d', { parents: true })
  for (const name of ['ca', 'other']) {
    await host.write(`/${name}.key`, (await call('create_private_key', { algo: 'ec' })) as string)
  }
  await host.write('/mine.key', (await call('create_private_key', { algo: 'ec' })) as string)
  const key = loadPrivateKey(await host.read('/mine.key'), null).key
  publicKey = new Uint8Array(createPublicKey(key).export({ type: 'spki', format: 'der' }))
  const authority = { signing_private_key: '/ca.key', CN: 'Authority', basicConstraints: 'critical, CA:TRUE' }
  await host.write('/ca.crt', (await call('create_certificate', { ...authority, days_valid: 3650 })) as string)
})

/** Ask as a minion. */
async function ask(policy: string, wanted: Record<string, Value>, id = 'web1'): Promise<Dict> {
  const kwargs = new Map<Value, Value>(Object.entries({ public_key: publicKey, ...wanted }))
  return (await call('sign_remote_certificate', { signing_policy: policy, kwargs, __pub_id: id })) as Dict
}

async function signed(policy: string, wanted: Record<string, Value>): Promise<X509Certificate> {
  const answer = await ask(policy, wanted)
  expect(answer.get('errors')).toEqual([])
  return new X509Certificate(Buffer.from(answer.get('data') as Uint8Array))
}

const filesOf = async (folder: string): Promise<string[]> => [...(await host.list(folder))]

describe('a minion that asks for a certificate', () => {
  test('contains the fixed values of the policy, whatever the request contains', async () => {
    const wishes: Record<string, Value>[] = [
      { CN: 'admin', subject: 'CN=admin', commonName: 'admin' },
      { basicConstraints: 'CA:TRUE', 'X509v3 Basic Constraints': 'CA:TRUE', keyUsage: 'keyCertSign' },
      { subjectAltName: 'DNS:admin', 'X509v3 Subject Alternative Name': 'DNS:admin' },
      { not_after: '2099-01-01 00:00:00', days_valid: 9999 },
    ]
    for (const wish of wishes) {
      const made = await signed('www', wish)
      expect([made.subject, made.subjectAltName, made.ca]).toEqual(['CN=www', 'DNS:www', false])
      expect(Date.parse(made.validTo) / 1000).toBe(NOW + 30 * DAY)
      expect(made.verify(new X509Certificate(await host.read('/ca.crt')).publicKey)).toBe(true)
    }
  })

  test('cannot get around rules under names of the first generation', async () => {
    const made = await signed('old', { CN: 'admin', basicConstraints: 'CA:TRUE', digest: 'sha1' })
    expect([made.subject, made.ca]).toEqual(['CN=www', false])
    expect(loadCertificate(made.raw).certificate.signatureOid).toBe('1.2.840.10045.4.3.4')
  })

  test('cannot add a second common name', async () => {
    expect((await signed('listed', { subject: ['CN=admin', 'OU=web'] })).subject).toBe('O=Site\nCN=www\nOU=web')
  })

  test('cannot bring extensions of the policy in a request', async () => {
    const csr = await call('create_csr', { private_key: '/mine.key', CN: 'admin', basicConstraints: 'CA:TRUE' })
    const made = await signed('www', { csr: new Uint8Array(Buffer.from(csr as string)) })
    expect([made.subject, made.ca]).toEqual(['CN=www', false])
  })

  test('cannot name keys and certificates that sign', async () => {
    const foreign = { CN: 'Authority', signing_private_key: '/other.key', basicConstraints: 'CA:TRUE', days_valid: 9 }
    const wrong = (await call('create_certificate', foreign)) as string
    const made = await signed('own', { CN: 'x', signing_private_key: '/other.key', signing_cert: wrong })
    expect(made.publicKey.export({ type: 'spki', format: 'der' })).not.toEqual(Buffer.from(publicKey))
    const answer = await ask('www', { signing_private_key: '/other.key', signing_private_key_passphrase: 'x' })
    expect(answer.get('errors')).toEqual([])
  })

  test.each([
    { public_key: '/ca.key' },
    { csr: '/ca.key', public_key: null },
    { private_key: '/ca.key', public_key: null },
  ])('cannot make the authority read its files: %j', async (wanted) => {
    const answer = await ask('www', wanted as Record<string, Value>)
    expect(answer.get('data')).toBeNull()
    expect(String(answer.get('errors'))).not.toContain('PRIVATE')
  })

  test('cannot make the authority write files', async () => {
    await ask('www', { copypath: '/etc/cron.d', prepend_cn: true })
    await signed('copied', { CN: '../etc/cron.d/x', copypath: '/etc' })
    expect(await filesOf('/etc/cron.d')).toEqual([])
    const [copy, ...more] = await filesOf('/issued')
    expect(copy).toMatch(/^\.\._etc_cron\.d_x-[0-9a-f]+\.crt$/)
    expect(more).toEqual([])
  })

  test.each(['__proto__', 'constructor', 'toString', '', 'none'])('gets nothing by a policy %j', async (policy) => {
    const answer = await ask(policy, {})
    expect([answer.get('data'), (answer.get('errors') as Value[]).length]).toEqual([null, 1])
  })

  test('gets nothing by the policy of other minions', async () => {
    expect((await ask('www', {}, 'db1')).get('data')).toBeNull()
    const kwargs = new Map<Value, Value>([['public_key', publicKey]])
    const unknown = (await call('sign_remote_certificate', { signing_policy: 'www', kwargs })) as Dict
    expect(unknown.get('data')).toBeNull()
  })

  test.each([0, -1, 2n ** 159n])('cannot choose the serial number %s', async (serial_number) => {
    expect((await ask('www', { serial_number })).get('data')).toBeNull()
  })

  test('hears of the policy without its keys', async () => {
    const asked = { signing_policy: 'www', kwargs: new Map(), get_signing_policy_only: true, __pub_id: 'web1' }
    const { data } = Object.fromEntries((await call('sign_remote_certificate', asked)) as Dict) as { data: Dict }
    expect([data.has('signing_private_key'), data.has('signing_private_key_passphrase')]).toEqual([false, false])
  })
})

/** Numbers that are the same in each run. */
function* chances(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state
  }
}

describe('the reader of certificates', () => {
  const fits = (read: () => unknown): void => {
    try {
      read()
    } catch (error) {
      if (!(error instanceof BrineError)) throw error
    }
  }

  test('refuses broken documents with an error of its own', async () => {
    const csr = (await call('create_csr', {
      private_key: '/mine.key',
      CN: 'x',
      raw: true,
      encoding: 'der',
    })) as Uint8Array
    const list = { signing_private_key: '/ca.key', signing_cert: '/ca.crt', raw: true, encoding: 'der' }
    const entry = new Map<Value, Value>([['serial_number', '01:02']])
    const crl = (await call('create_crl', { ...list, revoked: [entry] })) as Uint8Array
    const crt = loadCertificate(await host.read('/ca.crt')).certificate.raw
    const chance = chances(7)
    const next = (below: number): number => chance.next().value! % below
    for (let round = 0; round < 3000; round++) {
      for (const [whole, load] of [
        [crt, loadCertificate],
        [csr, loadRequest],
        [crl, loadRevocationList],
      ] as const) {
        const bytes = Uint8Array.from(whole.subarray(0, next(4) === 0 ? next(whole.length) : whole.length))
        for (let change = next(4); change >= 0 && bytes.length > 0; change--) bytes[next(bytes.length)] = next(256)
        fits(() => load(bytes))
      }
    }
  })

  test.each([
    ['many small values', () => Buffer.alloc(3 << 20, '0500', 'hex')],
    [
      'one long object identifier',
      () => Buffer.concat([Buffer.from('06830fffff', 'hex'), Buffer.alloc(0x0fffff, 0xff)]),
    ],
    ['nesting without end', () => Buffer.alloc(1 << 20, '3080', 'hex')],
    ['an entry in PEM that does not end', () => Buffer.from(`-----BEGIN CERTIFICATE-----${'\n'.repeat(900_000)}`)],
    ['many beginnings in PEM', () => Buffer.from('-----BEGIN CERTIFICATE-----\n'.repeat(30_000))],
    ['headers in PEM without a body', () => Buffer.from(`-----BEGIN CERTIFICATE-----\n${'a:\n'.repeat(300_000)}`)],
  ])('refuses %s', (_, make) => {
    const bytes = make()
    for (const load of [loadCertificate, loadRequest]) expect(() => load(bytes)).toThrow(/^Could not/)
  })
})
