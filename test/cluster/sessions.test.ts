import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateRsaKeys } from '../../src/wire/mod.ts'
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
    const users = {
      external_auth: { auto: { ann: ['.*', '@runner'] } },
      netapi_enable_clients: ['runner', 'local_async'],
    }
    await trio.prepare(users, (host) => ({ rest_cherrypy: { port, host, disable_ssl: true } }))
    await trio.start()
    trio.masters[0]!.writeKey('minions', 'sim-0', (await generateRsaKeys(2048)).publicPem)
    for (const master of trio.masters) await until('the key is there', () => master.hasKey('minions', 'sim-0'))
  })

  afterAll(async () => {
    await trio.close()
  })

  const ask = (master: number, path: string, token?: string, body?: unknown, key?: string): Promise<Response> =>
    fetch(`http://${trio.masters[master]!.address}:${port}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/json',
        ...(token !== undefined && { 'X-Auth-Token': token }),
        ...(key !== undefined && { 'Idempotency-Key': key }),
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
    await until('the third master knows the session', async () => (await status(2, token)) === 200)
    first!.start()
    await until('the first master is back', () => first!.isReady())
    expect(await status(0, token)).toBe(200)
  })

  it('begin a job once for an Idempotency-Key that is sent to several of them, also at once', async () => {
    const token = await logIn(0)
    for (const master of [1, 2]) await until('all know the session', async () => (await status(master, token)) === 200)
    const job = { target: 'sim-0', function: 'test.ping' }
    const begin = async (master: number, key: string, body: object = job): Promise<[status: number, jid: string]> => {
      const answer = await ask(master, '/v1/jobs', token, body, key)
      return [answer.status, ((await answer.json()) as { jid?: string }).jid ?? '']
    }
    const [begun, jid] = await begin(0, 'one')
    expect(begun).toBe(202)
    for (const master of [0, 1, 2]) expect(await begin(master, 'one')).toEqual([202, jid])
    expect(await begin(1, 'one', { ...job, function: 'test.version' })).toEqual([422, ''])
    const both = await Promise.all([0, 1, 2].map((master) => begin(master, 'two')))
    const ids = new Set(both.map(([, id]) => id).filter((id) => id !== ''))
    expect(both.filter(([code]) => code !== 202 && code !== 409)).toEqual([])
    expect(ids.size).toBe(1)
    for (const master of [0, 1, 2]) expect(await begin(master, 'two')).toEqual([202, [...ids][0]])
    const hooked = await ask(0, '/hook/deploy', token, { a: 1 }, 'three')
    const again = await ask(1, '/hook/deploy', token, { a: 1 }, 'three')
    expect([hooked.status, again.status, again.headers.get('Idempotency-Replayed')]).toEqual([200, 200, 'true'])
    const tag = 'salt/netapi/hook/deploy'
    for (const master of trio.masters) {
      const count = async (): Promise<number> => (await master.journal((each) => each === tag)).get(tag) ?? 0
      await until('the event is in the journal', async () => (await count()) > 0)
      expect(await count()).toBe(1)
    }
  })

  it('begin a job again for a key whose request was refused', async () => {
    const token = await logIn(0)
    await until('the second master knows the session', async () => (await status(1, token)) === 200)
    const refused = { target: 'nobody', function: 'test.ping' }
    expect((await ask(0, '/v1/jobs', token, refused, 'four')).status).toBe(422)
    expect((await ask(1, '/v1/jobs', token, { target: 'sim-0', function: 'test.ping' }, 'four')).status).toBe(202)
  })

  it('refuse an unknown session', async () => {
    for (const master of [0, 1, 2]) expect(await status(master, 'ab'.repeat(20))).toBe(401)
  })
})
