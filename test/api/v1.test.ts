// The interface under /v1 of a real master with real minions, as programs see it.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { MINIONS, V1Site } from './v1-site.ts'

let site: V1Site

beforeAll(async () => {
  site = await V1Site.open()
  const pillar = join(site.site.root, 'pillar')
  mkdirSync(pillar, { recursive: true })
  await site.addMinions()
})
afterAll(() => site?.close())

const ok = async (method: string, path: string, body?: unknown) => {
  const answer = await site.as('admin', method, path, body)
  expect(answer.body).not.toHaveProperty('detail')
  return answer.body
}

describe('sessions', () => {
  it('begin with credentials, and end', async () => {
    const { status, body, headers } = await site.send('POST', '/v1/login', site.credentials('bob'))
    expect(status).toBe(200)
    expect(body).toMatchObject({ user: 'bob', eauth: 'sharedsecret', permissions: [{ 'web*': ['test.*'] }] })
    expect(Date.parse(body.expires)).toBeGreaterThan(Date.now())
    expect(headers.get('set-cookie')).toMatch(new RegExp(`session_id=${body.token};.*HttpOnly; SameSite=Strict`))
    const ways = [
      { 'X-Auth-Token': body.token },
      { Authorization: `Bearer ${body.token}` },
      { Cookie: `session_id=${body.token}` },
    ]
    for (const headers of ways) {
      expect((await site.send('GET', '/v1/session', undefined, headers)).body).toMatchObject({ user: 'bob' })
    }
    expect((await site.send('DELETE', '/v1/session', undefined, ways[0])).status).toBe(204)
    for (const headers of ways) expect((await site.send('GET', '/v1/session', undefined, headers)).status).toBe(401)
  })
})
