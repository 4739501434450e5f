import { createSocket } from 'node:dgram'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../../../../test/until.ts'
import { type Dict, decodeMsgpack, encodeMsgpack, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import type { MasterContext } from '../../../sdk/mod.ts'
import httpLogstash from '../../messaging/logstash/http_logstash.engine.ts'
import logstash from '../../messaging/logstash/logstash.engine.ts'
import webhook from '../../messaging/webhook/engine.ts'
import script from './script.engine.ts'
import stalekey from './stalekey.engine.ts'
import testEngine from './test.engine.ts'
import { type RunningEngine, runEngine } from './try-engine.test-support.ts'

let folder: string
const running: RunningEngine[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-engine-'))
})

afterEach(async () => {
  for (const engine of running.splice(0)) await engine.stop()
  rmSync(folder, { recursive: true, force: true })
})

const begin: typeof runEngine = (...args) => {
  const engine = runEngine(...args)
  running.push(engine)
  return engine
}

const plain = (data: Dict): unknown => toPlain(data)

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => done(port))
    })
  })
}

describe('the webhook engine', () => {
  const listens = (url: string) => async (): Promise<boolean> =>
    fetch(url).then(
      () => true,
      () => false,
    )

  test('fires an event for each POST request, named by its path', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const engine = begin(webhook, { address: '127.0.0.1', port })
    await until('the port to be open', listens(url))
    const sent = await fetch(`${url}/deploy/web%201?x=1`, {
      method: 'POST',
      body: '{"a": 1}',
      headers: { 'content-type': 'application/json', 'x-hub-token': 'abc' },
    })
    expect([sent.status, await sent.text()]).toEqual([200, ''])
    expect(engine.fired.map(({ tag }) => tag)).toEqual(['salt/engines/hook/deploy/web 1'])
    const { body, headers } = plain(engine.fired[0]!.data) as { body: string; headers: Record<string, string> }
    expect(body).toBe('{"a": 1}')
    expect(headers).toMatchObject({ 'Content-Type': 'application/json', 'X-Hub-Token': 'abc', 'Content-Length': '8' })
  })

  test('fires unproven data with an external origin, and nothing for a path that cannot be part of a tag', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const engine = begin(webhook, { address: '127.0.0.1', port })
    await until('the port to be open', listens(url))
    for (const path of ['a%0Ab', '%1b[2J']) {
      expect((await fetch(`${url}/${path}`, { method: 'POST' })).status).toBe(400)
    }
    await fetch(`${url}/deploy`, { method: 'POST' })
    expect(engine.fired.map(({ tag, origin }) => [tag, origin])).toEqual([
      ['salt/engines/hook/deploy', { kind: 'external', name: 'webhook', proof: 'none' }],
    ])
  })

  test('refuses other methods, and keeps bytes that are no text', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const engine = begin(webhook, { address: '127.0.0.1', port })
    await until('the port to be open', listens(url))
    const refused = await fetch(`${url}/a`)
    expect([refused.status, await refused.text()]).toEqual([
      405,
      '<html><title>405: Method Not Allowed</title><body>405: Method Not Allowed</body></html>',
    ])
    await fetch(`${url}/bin`, { method: 'POST', body: new Uint8Array([255, 0]) })
    expect(engine.fired[0]!.data.get('body')).toEqual(new Uint8Array([255, 0]))
  })

  test('fails where the port is taken', async () => {
    const port = await freePort()
    const server = createServer().listen(port, '127.0.0.1')
    await expect(begin(webhook, { address: '127.0.0.1', port }).ended).rejects.toThrow(/EADDRINUSE/)
    server.close()
  })
})

describe('the script engine', () => {
  const scriptOf = (text: string): string => {
    const path = join(folder, 'events.sh')
    writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    return path
  }

  test('fires an event for each line while the command still runs', async () => {
    const cmd = scriptOf(
      `echo '{"tag": "lots/of/tacos", "data": {"toppings": "cilantro"}}'; echo '{"tag": "bare"}'; sleep 60`,
    )
    const engine = begin(script, { cmd })
    await until('two events', () => engine.fired.length === 2)
    expect(engine.fired.map(({ tag, data }) => [tag, plain(data)])).toEqual([
      ['lots/of/tacos', { toppings: 'cilantro', id: 'master_master' }],
      ['bare', {}],
    ])
  })

  test('runs again after the interval, and with onchange reports only changes', async () => {
    const cmd = scriptOf(
      `n=$(cat ${folder}/n 2>/dev/null || echo 0); echo $((n+1)) > ${folder}/n
echo '{"tag": "same", "data": {"x": 1}}'; echo "{\\"tag\\": \\"news\\", \\"data\\": {\\"n\\": $n}}"`,
    )
    const engine = begin(script, { cmd, interval: 0, onchange: true })
    await until('three pieces of news', () => engine.fired.filter(({ tag }) => tag === 'news').length >= 3)
    expect(engine.fired.filter(({ tag }) => tag === 'same')).toHaveLength(1)
  })

  test('reports lines it cannot parse, and a failing command', async () => {
    const cmd = scriptOf(`echo oops; echo '[1]'; echo '{"tag": "good"}'; exit 3`)
    const engine = begin(script, { cmd, interval: 60 })
    await until('a line about the exit status', () => engine.logged.some((line) => line.includes('exit status 3')))
    expect(engine.fired.map(({ tag }) => tag)).toEqual(['good'])
    expect(engine.logged.filter((line) => line.includes('cannot use the line'))).toHaveLength(2)
  })

  test.each([
    ['{tag: a, data: {x: 1}}', 'yaml', { x: 1, id: 'master_master' }],
    ['{"tag": "a", "data": {"id": "own"}}', 'json', { id: 'own' }],
  ])('reads %s as %s', async (line, output, data) => {
    const engine = begin(script, { cmd: scriptOf(`echo '${line}'`), output, interval: 60 })
    await until('an event', () => engine.fired.length > 0)
    expect(plain(engine.fired[0]!.data)).toEqual(data)
  })

  test('reports an unknown format', async () => {
    await expect(begin(script, { cmd: 'true', output: 'nope' }).ended).rejects.toThrow(
      'Unknown serializer `nope` found for output option',
    )
  })
})

describe('the http_logstash engine', () => {
  test('sends the events that tags and functions choose', async () => {
    const sent: unknown[] = []
    const noStreams = (): Promise<never> => Promise.reject(new Error('no streams here'))
    const http = {
      open: noStreams,
      upgrade: noStreams,
      query: async (parameters: ReadonlyMap<string, Value>) => {
        sent.push([parameters.get('method'), parameters.get('url'), JSON.parse(String(parameters.get('data')))])
        return new Map<Value, Value>(sent.length === 1 ? [['error', 'HTTP 503']] : [])
      },
    }
    const settings = { url: 'http://log/in', tags: ['salt/job/*', 'done'], funs: ['test.ping'] }
    const engine = begin(httpLogstash, settings, { http })
    engine.tell('other', new Map([['n', 0]]))
    engine.tell('salt/job/1/new', new Map<Value, Value>([['fun', 'test.ping']]))
    engine.tell('salt/job/2/new', new Map<Value, Value>([['fun', 'cmd.run']]))
    engine.tell('done', new Map([['n', 1]]))
    await until('two requests', () => sent.length === 2)
    expect(sent).toEqual([
      ['POST', 'http://log/in', { fun: 'test.ping' }],
      ['POST', 'http://log/in', { n: 1 }],
    ])
    expect(engine.logged).toEqual(['error: http_logstash: http://log/in does not take salt/job/1/new: HTTP 503'])
  })
})

describe('the logstash engine', () => {
  test('sends each event as a datagram', async () => {
    const socket = createSocket('udp4')
    const first = new Promise<Buffer>((done) => socket.once('message', done))
    await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done))
    const engine = begin(logstash, { host: '127.0.0.1', port: socket.address().port })
    engine.tell(
      'a',
      new Map<Value, Value>([
        ['fun', 'test.ping'],
        ['ret', [1]],
        ['raw', new Uint8Array([1])],
      ]),
    )
    expect(JSON.parse((await first).toString())).toMatchObject({
      '@version': '1',
      message: 'salt/engine/logstash',
      level: 'INFO',
      fun: 'test.ping',
      ret: [1],
      raw: "b'\\x01'",
    })
    socket.close()
  })

  test('sends each event as a line over TCP', async () => {
    const lines: string[] = []
    const server = createServer((socket) => socket.on('data', (piece) => lines.push(piece.toString())))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as { port: number }
    const engine = begin(logstash, { host: '127.0.0.1', port, proto: 'tcp', tag: 'salt' })
    engine.tell('a', new Map([['n', 1]]))
    await until('a whole line', () => lines.join('').endsWith('\n'))
    expect(JSON.parse(lines.join(''))).toMatchObject({ message: 'salt', n: 1 })
    server.close()
  })

  test('reports an unknown protocol', async () => {
    await expect(begin(logstash, { host: 'x', proto: 'sctp' }).ended).rejects.toThrow(
      'proto must be udp or tcp, not sctp',
    )
  })
})

describe('the stalekey engine', () => {
  test('deletes keys of minions that were away too long, and remembers the others', async () => {
    const host = new MemoryHost()
    const day = 86400
    const seen = new Map<Value, Value>([
      ['gone', host.now() - 2 * day],
      ['back', host.now() - 2 * day],
      ['quiet', host.now() - 10],
    ])
    await host.makeDirectory('/cache', { parents: true })
    await host.write('/cache/presence.p', encodeMsgpack(seen, 'bus'))
    const deleted: Value[] = []
    const master = {
      keys: { list: () => ['gone', 'back', 'quiet', 'new'] },
      connected: () => new Map([['back', '10.0.0.1']]),
      wheel: async (name: string, args: readonly Value[]) => void deleted.push(name, ...args),
    } as unknown as MasterContext
    const opts: Dict = new Map([['cachedir', '/cache']])
    begin(stalekey, { interval: 60, expire: day }, { host, master, opts })
    const kept = async () => decodeMsgpack(await host.read('/cache/presence.p'), { dialect: 'bus' }) as Dict
    await until('the new key', async () => (await kept()).has('new'))
    expect(deleted).toEqual(['key.delete', 'gone'])
    expect([...(await kept()).keys()]).toEqual(['back', 'quiet', 'new'])
  })
})

test('the test engine writes events to the log', async () => {
  const engine = begin(testEngine, {})
  engine.tell('a', new Map([['n', 1]]))
  await until('a line of the log', () => engine.logged.length > 0)
  expect(engine.logged).toEqual(['debug: {"n": 1}'])
})
