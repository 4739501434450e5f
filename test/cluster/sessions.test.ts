import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'
import { natsServer } from './nats-binary.ts'
import { Trio } from './trio.ts'

const found = natsServer()

describe.skipIf('reason' in found)('the REST API of three masters', () => {
  let trio: Trio
  let port = 0

  beforeAll(async () => {
    trio = new Trio('program' in found ? found.program : '')
    port = await freePort()
    const users = { external_auth: { auto: { ann: ['.*', '@runner'] } }, netapi_enable_clients: ['runner'] }
    await trio.prepare(users, (host) => ({ rest_cherrypy: { port, host, disable_ssl: true } }))
    await trio.start()
  })

  afterAll(async () => {
    await trio.close()
  })

  const ask = (master: number, path: string, token?: string, body?: unknown): Promise<Response> =>
    fetch(`http://${trio.masters[master]!.address}:${port}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/json',
        ...(token !== undefined && { 'X-Auth-Token': token }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })

  const logIn = async (master: number): Promise<string> => {
    const answer = await ask(master, '/login', undefined, { username: 'ann', password: 'x', eauth: 'auto' })
    const { return: made } = (await answer.json()) as { return: Array<{ token: string }> }
    return made[0]!.token
  }

  const status = async (master: number, token: string): Promise<number> =>
    (await ask(master, '/v1/session', token)).status

  it('take a session that another master began, until a third one ends it', async () => {
    const token = await logIn(0)
    expect(await status(0, token)).toBe(200)
    await until('the second master knows the session', async () => (await status(1, token)) === 200)
    const chunk = [{ client: 'runner', fun: 'cluster.health' }]
    const { return: ran } = (await (await ask(1, '/', token, chunk)).json()) as { return: unknown[] }
    expect(ran[0]).toMatchObject({ member: trio.masters[1]!.address, quorum: true })
    await until('the third master knows the session', async () => (await status(2, token)) === 200)
    expect((await ask(2, '/logout', token, {})).status).toBe(200)
    expect(await status(2, token)).toBe(401)
    for (const master of [0, 1]) await until('the session is over', async () => (await status(master, token)) === 401)
  })

  it('take a session while the master that began it is dead, and after it is back', async () => {
    const token = await logIn(0)
    await until('the second master knows the session', async () => (await status(1, token)) === 200)
    const [first] = trio.masters
    first!.signal('SIGKILL', 'both')
    await first!.ended()
    expect(await status(1, token)).toBe(200)
    expect(await status(2, token)).toBe(200)
    first!.start()
    await until('the first master is back', () => first!.isReady())
    expect(await status(0, token)).toBe(200)
  })

  it('refuse an unknown session', async () => {
    for (const master of [0, 1, 2]) expect(await status(master, 'ab'.repeat(20))).toBe(401)
  })
})
