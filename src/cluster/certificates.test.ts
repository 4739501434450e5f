import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { writeCertificates } from './certificates.ts'

const root = mkdtempSync(join(tmpdir(), 'brine-certificates-'))
let count = 0

interface Written {
  ca: X509Certificate
  own: X509Certificate
  key: string
}

async function written(secret: string, address: string, name = 'trio'): Promise<Written> {
  const file = (part: string): string => join(root, `${count}-${part}.pem`)
  count++
  const tls = { ca: file('ca'), cert: file('cert'), key: file('key'), servername: 'trio.brine-cluster' }
  await writeCertificates(name, { address, secret, tls })
  const read = (path: string): X509Certificate => new X509Certificate(readFileSync(path))
  return { ca: read(tls.ca), own: read(tls.cert), key: tls.key }
}

describe('The certificates of the servers of a cluster', () => {
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  it('are signed by an authority that all masters with the secret have', async () => {
    const [first, second] = [await written('one secret', '10.0.0.1'), await written('one secret', 'm2.example.org')]
    expect(first.ca.raw.equals(second.ca.raw)).toBe(true)
    expect(first.ca.ca).toBe(true)
    for (const { own } of [first, second]) expect(own.verify(first.ca.publicKey)).toBe(true)
    expect(first.own.publicKey.equals(second.own.publicKey)).toBe(false)
    expect(first.own.checkIP('10.0.0.1')).toBe('10.0.0.1')
    expect(second.own.checkHost('m2.example.org')).toBe('m2.example.org')
    expect(second.own.checkHost('trio.brine-cluster')).toBe('trio.brine-cluster')
    expect(statSync(first.key).mode & 0o777).toBe(0o600)
  })

  it('are worth nothing in another cluster', async () => {
    const own = await written('one secret', '10.0.0.1')
    for (const other of [await written('two secrets', '10.0.0.1'), await written('one secret', '10.0.0.1', 'duo')])
      expect(other.own.verify(own.ca.publicKey)).toBe(false)
  })

  it('are valid whatever the clock of a machine shows', async () => {
    const { ca, own } = await written('one secret', '::1')
    for (const each of [ca, own])
      expect([each.validFrom, each.validTo]).toEqual(['Jan  1 00:00:00 2000 GMT', 'Dec 31 23:59:59 9999 GMT'])
    expect(own.subjectAltName).toContain('IP Address:0:0:0:0:0:0:0:1')
  })
})
