// Attacks on ports and clients that use TLS (transports tcp and ws), with real certificates: which peers are admitted
// and trusted, and that neither side ever falls back to unencrypted data.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { masterConfig } from '../../src/config/mod.ts'
import type { Value } from '../../src/data/mod.ts'
import { openTransport, requestClientOptions } from '../../src/wire/mod.ts'
import type { RequestClientOptions, TlsSettings } from '../../src/wire/transport/transport.ts'
import { until } from '../until.ts'

const folder = mkdtempSync(join(tmpdir(), 'brine-tls-'))
const file = (name: string): string => join(folder, name)
const ends: Array<() => unknown> = []

/** A certificate that an authority signed, or itself. */
function certificate(name: string, authority?: string): void {
  const words = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', `/CN=${name}`]
  const by = authority ? ['-CA', file(`${authority}.pem`), '-CAkey', file(`${authority}.key`)] : []
  const names = authority ? ['-addext', 'subjectAltName=IP:127.0.0.1', '-addext', 'basicConstraints=CA:FALSE'] : []
  const files = ['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)]
  execFileSync('openssl', ['req', '-x509', ...words, ...by, ...names, ...files], { stdio: 'ignore' })
}

beforeAll(() => {
  certificate('ca')
  certificate('foreign-ca')
  certificate('master', 'ca')
  certificate('minion', 'ca')
  certificate('stranger', 'foreign-ca')
})
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})
afterAll(() => rmSync(folder, { recursive: true }))

const MASTER: TlsSettings = { certfile: file('master.pem'), keyfile: file('master.key'), ca_certs: file('ca.pem') }
const own = (name: string): TlsSettings => ({ certfile: file(`${name}.pem`), keyfile: file(`${name}.key`) })

async function listen(
  name: string,
  ssl: TlsSettings,
  logged: string[] = [],
  handshakeTimeout?: number,
): Promise<number> {
  const transport = await openTransport(name)
  const log = (level: string, text: string): void => void logged.push(`${level}: ${text}`)
  const options = { ssl, log, ...(handshakeTimeout && { handshakeTimeout }) }
  const listener = await transport.listen({ host: '127.0.0.1', port: 0 }, () => 'heard', options)
  ends.push(() => listener.close())
  return (listener.endpoint as { port: number }).port
}

async function ask(name: string, port: number, options: RequestClientOptions): Promise<Value> {
  const client = (await openTransport(name)).connect({ host: '127.0.0.1', port }, options)
  ends.push(() => client.close())
  return client.request(new Map([['enc', 'clear']]), { timeout: 5, tries: 1 })
}

/** Return how a TLS handshake made by OpenSSL ends. */
const shakes = (port: number, options: tls.ConnectionOptions): Promise<'open' | 'refused'> =>
  new Promise((done) => {
    const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options })
    ends.push(() => socket.destroy())
    socket.on('error', () => done('refused')).on('close', () => done('refused'))
    // with TLS 1.3 a refusal comes after the client is through
    socket.on('secureConnect', () => setTimeout(() => done('open'), 300))
  })

describe.each(['tcp', 'ws'])('over %s', (name) => {
  it('a master admits only clients with a certificate of its authority', async () => {
    const port = await listen(name, MASTER)
    const ca = { ca_certs: file('ca.pem') }
    expect(await ask(name, port, { ssl: { ...own('minion'), ...ca } })).toBe('heard')
    await expect(ask(name, port, { ssl: { ...own('stranger'), ...ca } })).rejects.toThrow()
    await expect(ask(name, port, { ssl: ca })).rejects.toThrow()
    await expect(ask(name, port, {})).rejects.toThrow()
  })

  it('a master with CERT_OPTIONAL admits clients without a certificate, and none with a wrong one', async () => {
    const port = await listen(name, { ...MASTER, cert_reqs: 'CERT_OPTIONAL' })
    const ca = { ca_certs: file('ca.pem') }
    expect(await ask(name, port, { ssl: ca })).toBe('heard')
    expect(await ask(name, port, { ssl: { ...own('minion'), ...ca } })).toBe('heard')
    await expect(ask(name, port, { ssl: { ...own('stranger'), ...ca } })).rejects.toThrow()
  })

  it('a master without authorities of its own admits no certificate of public authorities, and logs that', async () => {
    // the authority stands for one of those that this machine trusts
    const { createSecureContext } = tls
    const ca = readFileSync(file('foreign-ca.pem'))
    tls.createSecureContext = (options) => createSecureContext(options?.ca ? options : { ...options, ca })
    ends.push(() => Object.assign(tls, { createSecureContext }))
    const logged: string[] = []
    const port = await listen(name, own('master'), logged)
    expect(logged.join()).toContain('ssl has no ca_certs')
    const [cert, key] = [readFileSync(file('stranger.pem')), readFileSync(file('stranger.key'))]
    expect(await shakes(port, { cert, key })).toBe('refused')
  })

  it('a master speaks no TLS older than 1.2', async () => {
    const port = await listen(name, { ...MASTER, cert_reqs: 'CERT_NONE' })
    const old = { ciphers: 'ALL:@SECLEVEL=0' }
    for (const version of ['TLSv1', 'TLSv1.1'] as const) {
      expect(await shakes(port, { ...old, minVersion: version, maxVersion: version })).toBe('refused')
    }
    expect(await shakes(port, { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' })).toBe('open')
  })

  it('a master closes connections that begin no TLS, or do not end it', async () => {
    const port = await listen(name, MASTER, [], 200)
    const hello = Buffer.from('16030100500100004c0303', 'hex')
    const closed = [Buffer.alloc(0), Buffer.from('GET / HTTP/1.1\r\n\r\n'), hello].flatMap((bytes) =>
      Array.from({ length: 20 }, () => {
        const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
        socket.on('error', () => undefined)
        return new Promise((done) => socket.resume().once('close', done))
      }),
    )
    await Promise.all(closed)
  })

  it('a client speaks in clear with nobody, whatever it is answered', async () => {
    const heard: Buffer[] = []
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.on('data', (piece) => {
        heard.push(piece)
        socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n')
      })
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    ends.push(() => server.close())
    const { port } = server.address() as AddressInfo
    await expect(ask(name, port, { ssl: { ca_certs: file('ca.pem') } })).rejects.toThrow('TLS')
    expect(heard.length).toBeGreaterThan(0)
    for (const piece of heard) expect(piece.toString('latin1')).not.toMatch(/GET|enc|clear/)
  })

  it('a client believes the authorities of verify_locations, and no others', async () => {
    const port = await listen(name, { ...MASTER, cert_reqs: 'CERT_NONE' })
    mkdirSync(file('folder'), { recursive: true })
    writeFileSync(join(file('folder'), 'ca.pem'), readFileSync(file('ca.pem')))
    const ways: Value[] = [
      file('ca.pem'),
      new Map([['cafile', file('ca.pem')]]),
      new Map([['capath', file('folder')]]),
      new Map([['CAdata', readFileSync(file('ca.pem'), 'utf8')]]),
    ]
    const options = (way: Value): RequestClientOptions =>
      requestClientOptions(new Map<Value, Value>([['ssl', new Map<Value, Value>([['verify_locations', [way]]])]]))
    for (const way of ways) expect(await ask(name, port, options(way))).toBe('heard')
    await expect(ask(name, port, options(file('foreign-ca.pem')))).rejects.toThrow('TLS')
  })
})

describe.each(['tcp', 'ws'])('a port with TLS on %s that is full', (name) => {
  it('closes connections that never begin with TLS', async () => {
    const most = 8
    const listener = await (await openTransport(name)).listen({ host: '127.0.0.1', port: 0 }, () => 'heard', {
      ssl: MASTER,
      maxConnections: most,
    })
    ends.push(() => listener.close())
    const { port } = listener.endpoint as { port: number }
    let open = 3 * most
    for (let index = 0; index < 3 * most; index++) {
      const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' }).on('error', () => {})
      socket.once('close', () => open--).resume()
      ends.push(() => socket.destroy())
    }
    await until('the port is full', () => open <= most)
    const options = { ssl: { ...own('minion'), ca_certs: file('ca.pem') }, sourceAddress: '127.0.0.3' }
    expect(await ask(name, port, options)).toBe('heard')
    await until('one was closed for the client', () => open < most)
  })
})

describe('the option ssl', () => {
  const configured = async (ssl: unknown): Promise<string[]> => {
    const logged: string[] = []
    writeFileSync(file('master'), JSON.stringify({ root_dir: folder, ssl }))
    await masterConfig({ path: file('master'), log: (level, text) => void logged.push(`${level}: ${text}`) })
    return logged
  }

  it('reports names that it does not know', async () => {
    expect((await configured({ ca_cert: file('ca.pem') })).join()).toContain("SSL option 'ca_cert' is not known")
    expect((await configured({ ca_certs: file('ca.pem') })).join()).not.toContain('SSL option')
  })

  it('refuses flags that ask for checks which are not made', async () => {
    await expect(configured({ verify_flags: ['VERIFY_CRL_CHECK_LEAF'] })).rejects.toThrow('VERIFY_CRL_CHECK_LEAF')
    await configured({ verify_flags: ['verify_x509_trusted_first'] })
  })
})
