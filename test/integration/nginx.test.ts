import { describe, expect, test } from 'vitest'
import { minion } from './minion.ts'
import { canServe, startNginx } from './servers.ts'

describe.runIf(canServe('nginx', '/usr/sbin/nginx'))('nginx', () => {
  const salt = minion()

  test('reports its version and whether its configuration is valid', async () => {
    expect(await salt.call('nginx.version')).toMatch(/^\d+\.\d+/)
    expect(await salt.call('nginx.build_info')).toMatchObject({ 'build arguments': expect.any(Array) })
    expect(await salt.call('nginx.configtest')).toMatchObject({ comment: 'Syntax OK', result: true })
    expect(await salt.call('nginx.signal', ['bogus'])).toBeNull()
  })

  test('counts connections on its status page', async () => {
    const server = await startNginx()
    try {
      const url = `http://127.0.0.1:${server.port}/status`
      expect(await salt.call('nginx.status', [url])).toMatchObject({ 'active connections': 1, writing: 1, waiting: 0 })
    } finally {
      await server.stop()
    }
  })
})
