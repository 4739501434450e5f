import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type HttpRequest, sendHttp } from './request.ts'

interface Seen {
  url: string
  headers: IncomingMessage['headers']
  body: string
}

const seen: Seen[] = []
const servers: Server[] = []
const SECRETS = ['authorization', 'cookie', 'proxy-authorization', 'x-vault-token', 'x-api-key']
let [secure, plain, other] = ['', '', '']

/** `/to/307/<address>` redirects there; other paths return the request. */
const answer: RequestListener = (request, response) => {
  let body = ''
  request.on('data', (piece) => {
    body += piece
  })
  request.on('end', () => {
    const [, status, target] = /^\/to\/(\d+)\/(.*)$/.exec(request.url!) ?? []
    if (status !== undefined) return response.writeHead(Number(status), { location: decodeURIComponent(target!) }).end()
    seen.push({ url: request.url!, headers: request.headers, body })
    response.end('here')
  })
}

async function listen(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return (server.address() as AddressInfo).port
}

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-redirects-'))
  const [key, cert] = [join(folder, 'key'), join(folder, 'certificate')]
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', '1']
  execFileSync('openssl', [...words, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  secure = `https://127.0.0.1:${await listen(createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, answer))}`
  plain = `http://127.0.0.1:${await listen(createServer(answer))}`
  other = `http://127.0.0.1:${await listen(createServer(answer))}`
  rmSync(folder, { recursive: true })
})
afterAll(() => {
  for (const server of servers) server.close()
})
beforeEach(() => seen.splice(0))

const request = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  url,
  method: 'GET',
  headers: new Map([
    ['Authorization', 'Basic c2VjcmV0'],
    ['Cookie', 'session=secret'],
    ['Proxy-Authorization', 'secret'],
    ['X-Vault-Token', 'secret'],
    ['X-Api-Key', 'secret'],
    ['Accept', 'text/plain'],
  ]),
  body: undefined,
  connectTimeout: 20,
  timeout: 60,
  maxBody: 1 << 20,
  tls: { verify: false },
  ...more,
})

const redirect = (from: string, to: string, status = 302): string => `${from}/to/${status}/${encodeURIComponent(to)}`

const told = (): string[] => SECRETS.filter((name) => seen[0]?.headers[name] !== undefined)

describe('a redirect', () => {
  test.each([
    ['from https to http', () => redirect(secure, `${plain}/x`)],
    ['to another port', () => redirect(plain, `${other}/x`)],
    ['to another host', () => redirect(plain, `${other.replace('127.0.0.1', 'localhost')}/x`)],
    ['by another server back to the first', () => redirect(plain, redirect(other, `${plain}/x`))],
  ])('%s takes no credentials along', async (_, url) => {
    expect((await sendHttp(request(url()))).status).toBe(200)
    expect(seen[0]!.headers['accept']).toBe('text/plain')
    expect(told()).toEqual([])
  })

  test('to another place of the same server keeps them, and those of the URL', async () => {
    await sendHttp(request(redirect(plain, '/x')))
    expect(told()).toEqual(SECRETS)
    seen.splice(0)
    const withLogin = redirect(plain, '/x').replace('//', '//me:secret@')
    await sendHttp(request(withLogin, { headers: new Map() }))
    expect(told()).toEqual(['authorization'])
    seen.splice(0)
    await sendHttp(request(redirect(plain, `${other}/x`).replace('//', '//me:secret@'), { headers: new Map() }))
    expect(told()).toEqual([])
  })

  test('does not send data unencrypted that was sent over TLS', async () => {
    const body = Buffer.from('password=secret')
    const post = { method: 'POST', body }
    expect((await sendHttp(request(redirect(secure, `${plain}/x`, 307), post))).status).toBe(307)
    expect(seen).toEqual([])
    expect((await sendHttp(request(redirect(secure, '/x', 307), post))).status).toBe(200)
    expect(seen[0]!.body).toBe('password=secret')
  })
})
