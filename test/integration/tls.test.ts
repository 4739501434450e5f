// A whole site over the transports that can be encrypted once more: master, minion, and the programs beside the master.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { salt } from '../../src/cli/mod.ts'
import { minionConfig } from '../../src/config/mod.ts'
import { Minion } from '../../src/minion/mod.ts'
import { eventually } from '../eventually.ts'
import { TestSite } from './site.ts'

let site: TestSite

beforeEach(async () => {
  site = await TestSite.open()
})
afterEach(() => site.close())

/** A certificate that master and minion both have and trust. */
function certificate(name = 'site'): Record<string, string> {
  const [keyfile, certfile] = [join(site.root, `${name}.key`), join(site.root, `${name}.pem`)]
  const words = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const names = ['-subj', '/CN=master', '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync('openssl', ['req', ...words, ...names, '-keyout', keyfile, '-out', certfile], { stdio: 'ignore' })
  return { keyfile, certfile, ca_certs: certfile }
}

test.each(['tcp', 'ws'])('Over %s with TLS minions are reached, and the master by its programs', async (transport) => {
  const options = { transport, ssl: certificate() }
  const master = await site.master('master', '127.0.0.1', options)
  await site.minion('web1', options)
  let out = ''
  const streams = { out: (text: string) => void (out += text), err: () => undefined, terminal: false }
  expect(await salt(['-c', master.config, '--out', 'json', '*', 'test.ping'], streams)).toBe(0)
  expect(JSON.parse(out)).toEqual({ web1: true })
})

test.each(['tcp', 'ws'])(
  'Over %s minions and programs that do not trust the certificate of the master say so',
  async (transport) => {
    const ssl = certificate()
    const other = { ...ssl, ca_certs: certificate('other').ca_certs }
    const master = await site.master('master', '127.0.0.1', { transport, ssl })
    const why = `No TLS with the master at tcp://127.0.0.1:${site.ports.ret}: the certificate of the master is not one that ssl: ca_certs (${other.ca_certs}) answers for: self-signed certificate`
    const config = JSON.parse(readFileSync(join(master.config, 'master'), 'utf8'))
    const astray = join(site.root, 'astray')
    mkdirSync(astray)
    writeFileSync(join(astray, 'master'), JSON.stringify({ ...config, ssl: other }))
    let out = ''
    const streams = { out: (text: string) => void (out += text), err: () => undefined, terminal: false }
    expect(await salt(['-c', astray, '*', 'test.ping'], streams)).toBe(2)
    expect(out).toBe(`The master does not answer: ${why}\n`)
    const logged: string[] = []
    const opts = await minionConfig({ path: site.minionConfig('web1', { transport, ssl: other }) })
    const minion = new Minion(opts, (_level, text) => logged.push(text))
    site.atEnd(() => minion.close())
    minion.open().catch(() => undefined)
    await eventually(() => expect(logged.join('\n')).toContain(`could not be reached: `))
    expect(logged.join('\n')).toContain(`failed: ${why}`)
  },
)
