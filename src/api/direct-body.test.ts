import { get, type IncomingMessage } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Hono } from 'hono'
import { afterEach, describe, expect, it } from 'vitest'
import { silentLog } from '../base/mod.ts'
import { type BodyPieces, DirectBody } from './direct-body.ts'
import { ApiServer } from './server.ts'
import type { ApiSettings } from './settings.ts'

const closings: Array<() => unknown> = []
afterEach(async () => {
  for (const close of closings.splice(0)) await close()
})

/** Serve pieces, and return the answer that a client gets. */
async function serve(pieces: BodyPieces): Promise<IncomingMessage> {
  const app = new Hono().get(
    '/',
    () => new Response(new DirectBody(pieces), { status: 201, headers: { 'X-Kind': 'stream' } }),
  )
  const settings = { host: '127.0.0.1', port: 0, backlog: 5 } as ApiSettings
  const counts = { connections: 0, requests: 0, running: 0, bytesRead: 0, bytesWritten: 0 }
  const server = new ApiServer({ settings, counts, log: silentLog, app: app as unknown as Hono, mostConnections: 16 })
  await server.listen()
  closings.push(() => server.close())
  return new Promise((done, fail) => {
    const request = get({ host: '127.0.0.1', port: server.port, agent: false }, done).on('error', fail)
    closings.unshift(() => request.destroy())
  })
}

/** Bytes of the heap that are in use. */
function heap(): number {
  setFlagsFromString('--expose_gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

describe('a body that writes itself', () => {
  it('sends its pieces with the headers of the answer, up to the end', async () => {
    const pieces = ['one ', 'two ', 'three']
    const answer = await serve({ next: async () => toBytes(pieces.shift()), closed: () => undefined })
    expect([answer.statusCode, answer.headers['x-kind']]).toEqual([201, 'stream'])
    expect((await answer.setEncoding('utf8').toArray()).join('')).toBe('one two three')
  })

  it('requests no more data while the caller does not read, and notices when the caller leaves', async () => {
    let [asked, isClosed] = [0, false]
    const piece = Buffer.alloc(1 << 20)
    const next = async (): Promise<Buffer | undefined> => {
      asked++
      return isClosed ? undefined : piece
    }
    const answer = await serve({ next, closed: () => void (isClosed = true) })
    for (let before = -1; before !== asked; await turns(200)) before = asked
    expect(asked).toBeLessThan(50)
    answer.destroy()
    await expect.poll(() => isClosed).toBe(true)
  })

  it('holds nothing for the pieces that it has sent', async () => {
    const [count, warmUp] = [40_000, 5000]
    let [asked, before] = [0, 0]
    const next = async (): Promise<Buffer | undefined> => {
      await turn()
      if (++asked === warmUp) before = heap()
      return asked < count ? Buffer.from('data: x\n\n') : new Promise(() => undefined)
    }
    const answer = await serve({ next, closed: () => undefined })
    answer.resume()
    await expect.poll(() => asked).toBe(count)
    expect((heap() - before) / (count - warmUp)).toBeLessThan(50)
  })
})

const toBytes = (text: string | undefined): Buffer | undefined => (text === undefined ? undefined : Buffer.from(text))

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await turn()
}
