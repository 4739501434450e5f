import { rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { openSocket } from './local-sockets.ts'

describe('a local socket', () => {
  const path = join(tmpdir(), `brine-socket-${process.pid}`)
  let server: Server | undefined
  afterEach(async () => {
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)))
    server = undefined
    rmSync(path, { force: true })
  })

  const serve = (answer: (text: string) => string): Promise<void> => {
    server = createServer((peer) => peer.on('data', (data) => peer.end(answer(String(data)))))
    return new Promise((resolve) => server!.listen(path, resolve))
  }

  test('carries data and reports its end', async () => {
    await serve((text) => text.toUpperCase())
    const connection = await openSocket({ path })
    await connection.write('hello')
    expect(new TextDecoder().decode(await connection.read())).toBe('HELLO')
    expect(await connection.read()).toBeUndefined()
    connection.close()
  })

  test('reports an unreachable peer', async () => {
    await expect(openSocket({ path })).rejects.toThrow(`[Errno 2] No such file or directory: '${path}'`)
    await expect(openSocket({ host: '127.0.0.1', port: 1 })).rejects.toThrow('[Errno 111] Connection refused')
  })

  test('does not wait longer than it may', async () => {
    server = createServer(() => {})
    await new Promise<void>((resolve) => server!.listen(path, resolve))
    const connection = await openSocket({ path }, { timeout: 0.05 })
    await expect(connection.read()).rejects.toThrow('[Errno 110] Connection timed out')
  })
})
