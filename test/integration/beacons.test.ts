// Beacons about certificates and web servers, with the functions of a minion and a test server.
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Dict, fromPlain, type Plain, str, toPlain, type Value } from '../../src/data/mod.ts'
import { beaconTable, moduleTable, Registry } from '../../src/loader/mod.ts'
import { type BeaconContext, beaconOptions } from '../../src/sdk/mod.ts'

const folder = mkdtempSync(join(tmpdir(), 'brine-beacons-'))
const [key, cert] = [join(folder, 'web.key'), join(folder, 'web.crt')]
const logged: string[] = []
const log = (level: string, text: string): void => void logged.push(`${level}: ${text}`)
const functions = new Registry(moduleTable, { opts: new Map(), grains: new Map(), pillar: new Map(), log })
let server: Server
let url: string

beforeAll(async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  await functions.call('x509.create_certificate', [], {
    signing_private_key: key,
    path: cert,
    C: 'DE',
    O: 'Brine',
    CN: 'localhost',
    days_valid: 20,
    basicConstraints: 'critical, CA:TRUE, pathlen:0',
    keyUsage: 'digitalSignature, keyCertSign',
    extendedKeyUsage: 'serverAuth',
    subjectAltName: 'DNS:localhost, IP:127.0.0.1',
  })
  server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    response.writeHead(request.url === '/gone' ? 404 : 200).end('All is well')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `https://localhost:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function look(name: string, config: Plain): Promise<Plain> {
  const { default: beacon } = await beaconTable[name]!()
  const { call, has, grains, opts, host } = functions.ctx
  const ctx: BeaconContext = {
    ...{ call, has, grains, opts, host, log },
    memory: new Map(),
    watch: () => false,
    unwatch: () => undefined,
    follow: () => ({ isRunning: false }),
  }
  const options = beaconOptions(fromPlain(config))
  expect(beacon.validate(options, () => true)).toBeUndefined()
  return shown(await beacon.beacon(ctx, options))
}

/** Large numbers as text, for comparing. */
const shown = (told: readonly Dict[]): Plain =>
  JSON.parse(JSON.stringify(toPlain(told as Value), (_key, value) => (typeof value === 'bigint' ? str(value) : value)))

describe('the certificate beacon', () => {
  it('reports certificates that end soon, as OpenSSL shows them', async () => {
    const told = (await look('cert_info', [{ files: [cert] }])) as Array<{ certificates: Array<Record<string, Plain>> }>
    const [facts] = told[0]!.certificates
    expect(facts).toMatchObject({
      cert_path: cert,
      issuer: 'C="DE",O="Brine",CN="localhost"',
      issuer_dict: { C: 'DE', O: 'Brine', CN: 'localhost' },
      signature_algorithm: 'sha256WithRSAEncryption',
      subject: 'C="DE",O="Brine",CN="localhost"',
      version: 2,
      has_expired: false,
    })
    expect(facts!['notAfter_raw']).toMatch(/^\d{14}Z$/)
    expect(facts!['notAfter']).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/)
    expect(facts!['serial_number']).toMatch(/^\d+$/)
    expect(facts!['extensions']).toEqual([
      { ext_name: 'basicConstraints', ext_data: 'CA:TRUE, pathlen:0' },
      { ext_name: 'keyUsage', ext_data: 'Digital Signature, Certificate Sign' },
      { ext_name: 'extendedKeyUsage', ext_data: 'TLS Web Server Authentication' },
      { ext_name: 'subjectAltName', ext_data: 'DNS:localhost, IP Address:127.0.0.1' },
    ])
  })

  it('is silent about others, unless all are wanted, and reports unreadable ones', async () => {
    expect(await look('cert_info', [{ files: [{ [cert]: { notify_days: 15 } }] }])).toEqual([])
    expect(await look('cert_info', [{ files: [cert] }, { notify_days: 5 }])).toEqual([])
    expect(await look('cert_info', [{ files: [cert] }, { notify_days: -1 }])).toHaveLength(1)
    expect(await look('cert_info', [{ files: [join(folder, 'none.crt'), key] }])).toEqual([])
    expect(logged.filter((line) => line.startsWith('error: Unable to load certificate'))).toHaveLength(2)
  })
})

describe('the web page beacon', () => {
  const sites = (options: Record<string, Plain>): Plain => [{ sites: { web: options } }]

  it.each([
    ['a page that is there', { url: '', ca_bundle: cert }],
    ['a status that is accepted', { url: '/gone', status: [200, 404], ca_bundle: cert }],
    ['content that is there', { url: '', content: 'well', verify_ssl: false }],
  ])('is silent about %s', async (_name, options) => {
    expect(await look('http_status', sites({ ...options, url: `${url}${options.url}` }))).toEqual([])
  })

  it.each([
    ['another status', { url: '/gone', ca_bundle: cert }, 404, ['status is 404']],
    ['content that is missing', { url: '', content: 'ill', verify_ssl: false }, 200, ['content is missing']],
  ])('reports %s', async (_name, options, status, problems) => {
    const told = await look('http_status', sites({ ...options, url: `${url}${options.url}` }))
    expect(told).toMatchObject([{ tag: 'web', url: `${url}${options.url}`, status, problems }])
  })

  it('reports an untrusted certificate, and an unreachable server', async () => {
    expect(await look('http_status', sites({ url }))).toMatchObject([
      { tag: 'web', error: expect.stringContaining('certificate') },
    ])
    expect(await look('http_status', sites({ url: 'http://127.0.0.1:1/' }))).toMatchObject([{ tag: 'web', status: 0 }])
  })

  it.each([
    [[], 'Configuration for http_status beacon must contain sites option.'],
    [[{ sites: ['x'] }], 'Sites for http_status beacon must be a dictionary.'],
    [[{ sites: { web: { timeout: 1 } } }], 'Configuration for http_status beacon sites must contain url.'],
  ])('refuses the configuration %j', async (config, problem) => {
    const { default: beacon } = await beaconTable['http_status']!()
    expect(beacon.validate(beaconOptions(fromPlain(config)), () => true)).toBe(problem)
  })
})
