// A whole site over the transports that can be encrypted once more: master, minion, and the programs beside the master.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { salt } from '../../src/cli/mod.ts'
import { TestSite } from './site.ts'

let site: TestSite

beforeEach(async () => {
  site = await TestSite.open()
})
afterEach(() => site.close())

/** A certificate that master and minion both have and trust. */
function certificate(): Record<string, string> {
  const [keyfile, certfile] = [join(site.root, 'key.pem'), join(site.root, 'cert.pem')]
  const words = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const names = ['-subj', '/CN=master', '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync('openssl', ['req', ...words, ...names, '-keyout', keyfile, '-out', certfile], { stdio: 'ignore' })
  return { keyfile, certfile, ca_certs: certfile }
}

test.each(['tcp', 'ws'])(
  'Over %s with TLS minions are reached, and the master by its programs',
  { timeout: 60_000 },
  async (transport) => {
    const options = { transport, ssl: certificate() }
    const master = await site.master('master', '127.0.0.1', options)
    await site.minion('web1', options)
    let out = ''
    const streams = { out: (text: string) => void (out += text), err: () => undefined, terminal: false }
    expect(await salt(['-c', master.config, '--out', 'json', '*', 'test.ping'], streams)).toBe(0)
    expect(JSON.parse(out)).toEqual({ web1: true })
  },
)
