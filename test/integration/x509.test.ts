// States of certificates on real files, judged by openssl.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { type Minion, minion } from './minion.ts'

describe('x509 states', () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-x509-'))
  const at = (name: string): string => join(folder, name)
  const openssl = (...words: string[]): string =>
    execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' }).toString()
  let salt: Minion

  const authority = {
    name: at('ca.crt'),
    signing_private_key: at('ca.key'),
    CN: 'Authority',
    basicConstraints: 'critical, CA:TRUE',
    keyUsage: 'critical, cRLSign, keyCertSign',
    subjectKeyIdentifier: 'hash',
    days_valid: 3650,
  }
  const server = {
    name: at('www.crt'),
    signing_private_key: at('ca.key'),
    signing_cert: at('ca.crt'),
    private_key: at('www.key'),
    CN: 'www',
    subjectAltName: ['DNS:www.example.com'],
    days_valid: 200,
  }

  beforeAll(async () => {
    salt = minion({ cachedir: at('cache') })
    for (const name of ['ca.key', 'www.key', 'other.key']) {
      await salt.state('x509.private_key_managed', { name: at(name), algo: 'ec' })
    }
    await salt.state('x509.certificate_managed', authority)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** A dry run, the real run and a second run, which changes nothing. */
  const settles = async (fun: string, kwargs: Record<string, Plain>): Promise<Plain> => {
    const dry = await salt.state(fun, kwargs, true)
    const real = await salt.state(fun, kwargs)
    const again = await salt.state(fun, kwargs)
    expect([dry.result, real.result, again.result, again.changes]).toEqual([null, true, true, {}])
    expect(dry.changes).toEqual(real.changes)
    return real.changes
  }

  test('a certificate is made once, and renewed for a change or near its end', async () => {
    expect(await settles('x509.certificate_managed', server)).toEqual({ created: at('www.crt') })
    expect(openssl('verify', '-CAfile', 'ca.crt', 'www.crt')).toBe('www.crt: OK\n')
    expect(openssl('x509', '-in', 'www.crt', '-noout', '-ext', 'subjectAltName')).toContain('DNS:www.example.com')
    expect(await settles('x509.certificate_managed', { ...server, CN: 'web' })).toHaveProperty('subject_name')
    expect(openssl('x509', '-in', 'www.crt', '-noout', '-subject')).toContain('CN = web')
    const serial = (): string => openssl('x509', '-in', 'www.crt', '-noout', '-serial')
    const before = serial()
    const due = await salt.state('x509.certificate_managed', { ...server, CN: 'web', days_remaining: 250 })
    expect([due.result, due.changes]).toMatchObject([true, { expiration: true }])
    expect(serial()).not.toBe(before)
    const overSsh = await salt.state('x509.certificate_managed_ssh', { ...server, CN: 'web' })
    expect([overSsh.result, overSsh.changes]).toEqual([true, {}])
  })

  test('a certificate for the wrong key of the authority is refused, and the file stays', async () => {
    const before = readFileSync(at('www.crt'))
    const wrong = { ...server, CN: 'evil', signing_private_key: at('other.key') }
    expect((await salt.state('x509.certificate_managed', wrong)).result).toBe(false)
    expect(readFileSync(at('www.crt'))).toEqual(before)
  })

  test('a request follows its key and its subject', async () => {
    const wish = { name: at('www.csr'), private_key: at('www.key'), CN: 'www' }
    expect(await settles('x509.csr_managed', wish)).toEqual({ created: at('www.csr') })
    openssl('req', '-in', 'www.csr', '-noout', '-verify')
    expect(await settles('x509.csr_managed', { ...wish, private_key: at('other.key') })).toEqual({ private_key: true })
    expect(await settles('x509.csr_managed', { ...wish, private_key: at('other.key'), encoding: 'der' })).toEqual({
      encoding: 'der',
    })
    openssl('req', '-in', 'www.csr', '-inform', 'der', '-noout', '-verify')
  })

  test('a revocation list lists what is revoked, and counts up', async () => {
    const revoked = [{ certificate: at('www.crt'), reason: 'keyCompromise' }]
    const wish = {
      name: at('ca.crl'),
      signing_private_key: at('ca.key'),
      signing_cert: at('ca.crt'),
      revoked,
      extensions: { cRLNumber: 'auto' },
    }
    expect(await settles('x509.crl_managed', wish)).toEqual({ created: at('ca.crl') })
    const shown = (): string => openssl('crl', '-in', 'ca.crl', '-noout', '-text', '-CAfile', 'ca.crt')
    expect(shown()).toMatch(/CRL Number:\s+1\n[\s\S]*Key Compromise/)
    const more = { ...wish, revoked: [...revoked, { serial_number: '0A:0B' }] }
    expect(await settles('x509.crl_managed', more)).toHaveProperty('revocations')
    expect(shown()).toMatch(/CRL Number:\s+2\n[\s\S]*Serial Number: 0A0B/)
    expect(() => openssl('verify', '-CAfile', 'ca.crt', '-CRLfile', 'ca.crl', '-crl_check', 'www.crt')).toThrow(
      /certificate revoked/,
    )
  })

  test('a PEM file holds the one entry in canonical form', async () => {
    const source = at('bundle.pem')
    writeFileSync(source, `header\n${readFileSync(at('ca.crt'), 'utf8')}trailer\n`)
    const wish = { name: at('copy.pem'), text: source, mode: '0640' }
    expect((await salt.state('x509.pem_managed', wish)).result).toBe(true)
    expect(readFileSync(at('copy.pem'), 'utf8')).toBe(readFileSync(at('ca.crt'), 'utf8'))
    expect(statSync(at('copy.pem')).mode & 0o777).toBe(0o640)
    expect(await salt.state('x509.pem_managed', wish)).toMatchObject({ result: true, changes: {} })
    expect((await salt.state('x509.pem_managed', { ...wish, text: 'no PEM at all' })).result).toBe(false)
  })
})
