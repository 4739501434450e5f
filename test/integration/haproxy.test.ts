import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { minion } from './minion.ts'
import { canServe, type Server, startHaproxy } from './servers.ts'

const runs = canServe('HAProxy', '/usr/sbin/haproxy')

const configuration = (port: number): string => `
defaults
  mode tcp
  timeout connect 1s
  timeout client 1s
  timeout server 1s
frontend www
  bind 127.0.0.1:${port}
  default_backend web
backend web
  server web1 127.0.0.1:9 weight 10
  server web2 127.0.0.1:9 weight 20
backend other
  server web1 127.0.0.1:9
`

describe.runIf(runs)('HAProxy', () => {
  const salt = minion()
  let server: Server
  let socket: string

  beforeAll(async () => {
    server = await startHaproxy(configuration)
    socket = join(server.directory, 'admin.sock')
  })
  afterAll(async () => server?.stop())

  const ask = (name: string, ...args: (string | number | boolean)[]) => salt.call(name, args, { socket })

  test('lists its frontends, backends and servers', async () => {
    expect(await ask('haproxy.list_frontends')).toEqual(['www'])
    expect(await ask('haproxy.show_backends')).toBe('web\nother')
    expect(await ask('haproxy.list_servers', 'web')).toBe(
      'Name: web1 Status: no check Weight: 10 bIn: 0 bOut: 0\nName: web2 Status: no check Weight: 20 bIn: 0 bOut: 0',
    )
    expect(await ask('haproxy.list_backends')).toMatchObject({ other: { web1: { weight: 1, status: 'no check' } } })
    expect(await ask('haproxy.get_sessions', 'web1', 'web')).toBe('0')
  })

  test('takes servers out and lets them in again', async () => {
    expect(await ask('haproxy.disable_server', 'web1', '*')).toMatchObject({
      web: expect.stringContaining('Name: web1 Status: MAINT'),
      other: expect.stringContaining('Name: web1 Status: MAINT'),
    })
    expect(await salt.call('haproxy.wait_state', ['web', 'web1', 'maint', 5], { socket })).toBe(true)
    expect(await ask('haproxy.enable_server', 'web1', 'web')).toEqual({
      web: expect.stringContaining('Name: web1 Status: no check'),
    })
    // written the other way round
    expect(await ask('haproxy.disable_server', 'web', 'web1')).toEqual({
      web: expect.stringContaining('web1 Status: MAINT'),
    })
    await ask('haproxy.enable_server', 'web', 'web1')
    await ask('haproxy.set_state', 'web2', 'web', 'drain')
    expect(await ask('haproxy.get_backend', 'web')).toMatchObject({ web2: { status: 'DRAIN' } })
  })

  test('changes weights', async () => {
    expect(await ask('haproxy.get_weight', 'web1', 'web')).toBe('10 (initial 10)')
    expect(await ask('haproxy.set_weight', 'web1', 'web', 5)).toBe('5 (initial 10)')
  })

  test('refuses a name that holds another command', async () => {
    await expect(ask('haproxy.set_weight', 'web1', 'web', '5;disable server web/web2')).rejects.toThrow(
      'HAProxy knows no "5;disable server web/web2"',
    )
    await expect(ask('haproxy.set_state', 'web1', 'web', 'ready\ndisable frontend www')).rejects.toThrow(
      'HAProxy knows no',
    )
    expect(await ask('haproxy.show_frontends')).toBe('www')
  })

  test('reports a missing socket', async () => {
    await expect(salt.call('haproxy.list_frontends', [], { socket: '/none' })).rejects.toThrow('/none does not exist.')
  })
})
