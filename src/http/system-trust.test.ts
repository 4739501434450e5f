import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { trustSystem } from './system-trust.ts'

let folder: string
const original = tls.createSecureContext

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-trust-'))
  vi.stubEnv('NODE_EXTRA_CA_CERTS', '')
})

afterEach(() => {
  tls.createSecureContext = original
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

it('a server that an authority of the machine vouches for is trusted', async () => {
  const [key, certificate] = [join(folder, 'key'), join(folder, 'certificate')]
  const about = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '1']
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...about, '-keyout', key, '-out', certificate]
  execFileSync('openssl', args, { stdio: 'ignore' })
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (_, answer) =>
    answer.end('hi'),
  )
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`
  try {
    await expect(fetch(url)).rejects.toThrow()
    trustSystem([join(folder, 'none'), certificate])
    expect(await (await fetch(url)).text()).toBe('hi')
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
