// Web servers that a master or a minion asks, and that answer with hostile data.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Value } from '../../src/data/mod.ts'
import { LocalHost } from '../../src/host/mod.ts'
import { httpClient } from '../../src/http/mod.ts'
import { RedisClient } from '../../src/library/databases/redis/module/client.ts'
import rest from '../../src/master/access/backend-rest.ts'
import { readCollector } from '../../src/telemetry/otlp/collector.ts'
import { until } from '../until.ts'
import { Besieged, dict } from './besieged.ts'

const PIECE = Buffer.alloc(1 << 20, '{},')

/** Bytes that were sent without an end, by path. */
const sent = new Map<string, number>()

/** Paths of answers whose reader has gone. */
const left = new Set<string>()

function endless(path: string, response: ServerResponse): void {
  response.once('close', () => left.add(path))
  const write = (): void => {
    if (response.destroyed) return
    sent.set(path, (sent.get(path) ?? 0) + PIECE.length)
    response.write(PIECE)
    response.once('drain', write)
  }
  write()
}

const seen: IncomingMessage[] = []
let other = ''

const answers: Record<string, (path: string, response: ServerResponse) => void> = {
  '/endless': (path, response) => endless(path, response.writeHead(200)),
  '/moved': (path, response) => endless(path, response.writeHead(302, { location: '/here' })),
  '/here': (_, response) => response.end('{"kept": true}'),
  '/bomb': (_, response) => response.end(`[${'{},'.repeat(8 << 20)}0]`),
  '/file': (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/away': (_, response) => response.writeHead(307, { location: `${other}/here` }).end(),
}

const server = createServer((request, response) => {
  seen.push(request)
  request.resume()
  answers[request.url!]!(request.url!, response)
})
const second = createServer((request, response) => {
  seen.push(request)
  response.end('{}')
})
const addressOf = (of: typeof server): string => `http://127.0.0.1:${(of.address() as AddressInfo).port}`

beforeAll(async () => {
  for (const one of [server, second]) await new Promise<void>((done) => one.listen(0, '127.0.0.1', done))
  other = addressOf(second)
})
afterEach(() => void seen.splice(0))
afterAll(() => {
  for (const one of [server, second]) {
    one.closeAllConnections()
    one.close()
  }
})

const ask = (path: string, more: Array<[string, Value]> = []) =>
  httpClient(new LocalHost(), new Map()).query(new Map([['url', `${addressOf(server)}${path}`], ...more]))

describe('a web server', () => {
  it('is read no further when it redirects', async () => {
    const answer = await ask('/moved', [['decode', true]])
    expect(answer.get('dict')).toEqual(dict({ kept: true }))
    await until('the connection is closed', () => left.has('/moved'))
  })

  it('ends no program by JSON with more values than fit into its memory', async () => {
    await expect(ask('/bomb', [['decode', true]])).rejects.toThrow('too many values')
  })

  it('leads to no file', async () => {
    await expect(ask('/file')).rejects.toThrow('Unsupported url scheme')
  })

  it('takes no credentials to another server', async () => {
    const headers = dict({ 'X-Vault-Token': 's.1', 'Private-Token': 'p', 'X-Api-Key': 'k', Cookie: 'c', 'X-Kept': 'x' })
    await ask('/away', [
      ['header_dict', headers],
      ['username', 'joe'],
      ['password', 'secret'],
    ])
    const [first, last] = seen.map((request) => request.headers)
    expect(first).toMatchObject({ 'x-vault-token': 's.1', authorization: expect.any(String) })
    expect(Object.keys(last!).sort()).toEqual(['connection', 'host', 'user-agent', 'x-kept'])
  })

  it('that takes telemetry is not read to the end of its answer', async () => {
    left.delete('/endless')
    const settings = dict({ endpoint: `${addressOf(server)}/endless` })
    const given = { settings, signal: 'traces', service: 'salt-master', log: () => undefined } as const
    await readCollector('otlp-http', given)!.send({ resourceSpans: [] }, 60_000)
    await until('the connection is closed', () => left.has('/endless'))
  })

  it('that judges logins fills no memory by its answer', async () => {
    const lines: string[] = []
    const context = {
      config: dict({ '^url': `${addressOf(server)}/endless` }),
      log: (_: string, text: string) => lines.push(text),
    }
    sent.delete('/endless')
    expect(await rest.check(dict({ username: 'joe', password: 'x' }), context as never)).toBe(false)
    expect(lines.join()).toContain('longer than')
    expect(sent.get('/endless')!).toBeLessThan(64 << 20)
  })
})

describe('a server of pillar', () => {
  let site: Besieged
  const opened = (path: string) =>
    Besieged.start({
      ext_pillar: [{ http_json: { url: `${addressOf(server).replace('//', '//joe:hunter22@')}${path}` } }],
    })
  afterEach(() => site.stop())

  it('fills no memory by an answer without an end, and its login is not logged', async () => {
    site = await opened('/endless')
    const minion = await site.minion('web1')
    sent.delete('/endless')
    const pillar = await minion.sendPrivate(dict({ cmd: '_pillar', grains: dict({}), saltenv: 'base' }), 'pillar')
    expect(pillar).toEqual(new Map())
    expect(sent.get('/endless')!).toBeLessThan(256 << 20)
    expect(site.logs.some((line) => line.includes('Content-Length too long'))).toBe(true)
    expect(site.tells('hunter22')).toBe(false)
  })
})

describe('a Redis server', () => {
  it.each([
    ['lists in lists', '*1\r\n'.repeat(1000)],
    ['a text of a length that no text has', '$99999999999999\r\nx'],
    ['a line without an end', 'x'.repeat(64 << 10)],
    ['a list of very many items', `*99999999999\r\n${':1\r\n'.repeat(10_000)}`],
  ])('cannot fill the memory by %s', async (what, piece) => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined)
      const rest = what.includes('items') ? ':1\r\n'.repeat(10_000) : piece
      const write = (): void => void (socket.destroyed || socket.write(rest, write))
      socket.write(piece, write)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const client = await RedisClient.open({ host: new LocalHost() }, { host: '127.0.0.1', port }, [])
    await expect(client.send('GET', 'x')).rejects.toThrow('is too long')
    server.close()
  })
})
