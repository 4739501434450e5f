import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventually } from '../../../test/eventually.ts'
import { PATIENCE_SECONDS } from '../../../test/until.ts'
import { openTransport } from './open.ts'
import type { Endpoint, TlsSettings, Transport } from './transport.ts'

const LOCAL: Endpoint = { host: '127.0.0.1', port: 0 }
const scratch = mkdtempSync(join(tmpdir(), 'brine-tls-'))
const ends: Array<() => unknown> = [() => rmSync(scratch, { recursive: true })]
const file = (name: string): string => join(scratch, name)

function openssl(...words: string[]): void {
  execFileSync('openssl', words, { stdio: 'ignore' })
}

/** Create a key with a self-signed certificate. */
function certificate(name: string, days: string, address: string): void {
  const [key, request] = [file(`${name}.key`), file(`${name}.csr`)]
  writeFileSync(file(`${name}.ext`), `subjectAltName=IP:${address}\n`)
  const words = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', `/CN=${name}`]
  openssl('req', '-new', ...words, '-keyout', key, '-out', request)
  const [from, to] = [
    ['-in', request, '-signkey', key],
    ['-out', file(`${name}.pem`)],
  ]
  openssl('x509', '-req', ...from!, ...to!, '-days', days, '-extfile', file(`${name}.ext`))
}

const ssl = (own: string, trusted: string): TlsSettings => ({
  certfile: file(`${own}.pem`),
  keyfile: file(`${own}.key`),
  ca_certs: file(`${trusted}.pem`),
})

beforeAll(() => {
  certificate('ours', '2', '127.0.0.1')
  certificate('theirs', '2', '127.0.0.1')
  certificate('expired', '-1', '127.0.0.1')
  certificate('elsewhere', '2', '192.0.2.1')
  writeFileSync(file('broken.pem'), 'no certificate')
})
afterEach(async () => {
  for (const end of ends.splice(1).reverse()) await end()
})
afterAll(() => ends[0]!())

function closing<T extends { close(): unknown }>(thing: T): T {
  ends.push(() => thing.close())
  return thing
}

/** Accept connections without speaking TLS. */
async function stranger(answer: string | undefined): Promise<Endpoint> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', () => (answer === undefined ? socket.destroy() : socket.write(answer)))
    ends.push(() => socket.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  ends.push(() => server.close())
  return { host: '127.0.0.1', port: (server.address() as { port: number }).port }
}

/** Some failures have no immediate sign; they are reported after the time limit. */
const timeFor = (told: RegExp): number => (/^\^(TlsError|BadSetting)/.test(told.source) ? PATIENCE_SECONDS : 4)

async function refusalOf(
  transport: Transport,
  endpoint: Endpoint,
  settings: TlsSettings | undefined,
  timeout: number,
): Promise<string> {
  const client = closing(transport.connect(endpoint, { ssl: settings }))
  const answer = client.request('hello', { timeout, tries: 1 })
  return answer.then(String, (error) => `${error.code}: ${error.reason}`)
}

const CASES: Array<[string, TlsSettings, TlsSettings | undefined, RegExp]> = [
  [
    'a certificate of an unknown authority',
    ssl('ours', 'ours'),
    ssl('ours', 'theirs'),
    /^TlsError: No TLS with the master at tcp:\/\/127\.0\.0\.1:\d+: .* ssl: ca_certs \(.*theirs\.pem\) .*self-signed/,
  ],
  [
    'a certificate that has expired',
    ssl('expired', 'expired'),
    ssl('ours', 'expired'),
    /^TlsError: No TLS with .* out of its time, look at ssl: certfile there: certificate has expired$/,
  ],
  [
    'a certificate for another address',
    ssl('elsewhere', 'elsewhere'),
    ssl('ours', 'elsewhere'),
    /^TlsError: No TLS with .* is for another name: .*192\.0\.2\.1/,
  ],
  [
    'a certificate of ours that the master refuses',
    ssl('ours', 'ours'),
    ssl('theirs', 'ours'),
    /No TLS with .* refuse.* ssl: certfile \(.*theirs\.pem\)/,
  ],
  [
    'no certificate of ours',
    ssl('ours', 'ours'),
    { ca_certs: undefined, certfile: undefined },
    /No TLS with .* ssl: ca_certs \(not set\)/,
  ],
  [
    'a file that holds none',
    ssl('ours', 'ours'),
    {
      get ca_certs() {
        return file('broken.pem')
      },
      get certfile() {
        return file('broken.pem')
      },
    },
    /^BadSetting: Cannot use ssl \(.*broken\.pem.*\): /,
  ],
  [
    'a file that is not there',
    ssl('ours', 'ours'),
    ssl('ours', 'missing'),
    /^BadSetting: Cannot read .*missing\.pem, named by ca_certs of ssl/,
  ],
  [
    'a master that wants TLS where we do not',
    ssl('ours', 'ours'),
    undefined,
    /hangs up before it says anything: it wants TLS, the option ssl$/,
  ],
]

describe.each(['tcp', 'ws'])('TLS over %s', (name) => {
  let transport: Transport
  beforeAll(async () => {
    transport = await openTransport(name)
  })

  it.each(CASES)('%s is reported with the address and the option', async (_, server, client, told) => {
    const listener = closing(await transport.listen(LOCAL, () => 'welcome', { ssl: server }))
    expect(await refusalOf(transport, listener.endpoint, client, timeFor(told))).toMatch(told)
  })

  it.each([
    [
      'answers something else',
      'HTTP/1.1 400 Bad Request\r\n\r\n',
      /^TlsError: No TLS with .* does not speak TLS, which ssl here asks for$/,
    ],
    ['hangs up', undefined, /^SaltReqTimeoutError: No TLS with .* may not speak TLS, which ssl here asks for/],
    ['keeps silent', '', /^SaltReqTimeoutError: No TLS with .* may not speak TLS, which ssl here asks for/],
  ])('a peer without TLS that %s is reported', async (_, answer, told) => {
    const endpoint = await stranger(answer)
    expect(await refusalOf(transport, endpoint, ssl('ours', 'ours'), timeFor(told))).toMatch(told)
  })

  it('is not guessed at where a master without TLS hangs up', async () => {
    const told = /hangs up before it says anything; its log may say why$/
    expect(await refusalOf(transport, await stranger(undefined), undefined, timeFor(told))).toMatch(told)
  })

  it('subscribers log it once, and go on trying', async () => {
    const publisher = closing(await transport.publisher(LOCAL, { ssl: ssl('ours', 'ours') }))
    const log = vi.fn()
    let tried = 0
    const reconnectDelay = (attempt: number): number => {
      tried = attempt
      return 10
    }
    const wishes = { id: 'web1', onMessage: () => undefined, reconnectDelay, log }
    closing(transport.subscribe(publisher.endpoint, { ...wishes, ssl: ssl('ours', 'theirs') }))
    await eventually(() => expect(tried).toBeGreaterThan(2))
    expect(log.mock.calls).toEqual([['error', expect.stringMatching(/^No TLS with .* ssl: ca_certs/)]])
  })
})
