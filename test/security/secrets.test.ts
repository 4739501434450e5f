// Secrets stay where they are: in no event, no line of the log, and no file that others can read.
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Dict } from '../../src/data/mod.ts'
import { Besieged, dict } from './besieged.ts'

const CANARY = 'canary-5c0ffee'
let site: Besieged
beforeAll(async () => {
  site = await Besieged.start({ external_auth: { auto: { somebody: ['.*'] } } })
})
afterAll(() => site.stop())

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    yield path
    if (entry.isDirectory()) yield* filesBelow(path)
  }
}

describe('a secret', () => {
  it.each(['publish', 'runner', 'wheel', 'mk_token'])('given with %s is not shown again', async (cmd) => {
    const credentials = { eauth: 'pam', username: 'somebody', password: CANARY, key: `${CANARY}1`, token: `${CANARY}2` }
    const load = {
      cmd,
      tgt: '*',
      fun: 'test.ping',
      arg: [],
      tgt_type: 'glob',
      ret: '',
      user: 'somebody',
      ...credentials,
    }
    await site.clear(load)
    await site.clear({ ...load, kwargs: dict(credentials) })
    await site.clear({
      cmd,
      tgt: '*',
      fun: 'test.ping',
      arg: [],
      eauth: 'auto',
      username: 'somebody',
      password: CANARY,
    })
    expect(site.tells(CANARY)).toBe(false)
  })

  it('of a login is on disk only as its hash', async () => {
    const made = (await site.clear({ cmd: 'mk_token', eauth: 'auto', username: 'somebody', password: 'x' })) as Dict
    const token = String(made.get('token') ?? '')
    expect(token.length).toBeGreaterThan(30)
    const texts = [...filesBelow(site.root)].filter((path) => lstatSync(path).isFile())
    expect(texts.filter((path) => readFileSync(path, 'latin1').includes(token) || path.includes(token))).toEqual([])
    expect(site.tells(token)).toBe(false)
  })

  it('in pillar, returns, keys and sessions is in no file that others can read', async () => {
    site.write('srv/pillar/top.sls', "base:\n  '*': [app]\n")
    site.write('srv/pillar/app.sls', `password: ${CANARY}\n`)
    const m1 = await site.minion('m1')
    const pillar = { cmd: '_pillar', grains: dict({ id: 'm1' }), saltenv: 'base', pillarenv: null, ver: '2' }
    expect(((await m1.sendPrivate(dict(pillar))) as Dict).get('password')).toBe(CANARY)
    await m1.send(
      dict({ cmd: '_return', jid: '20300101000000000001', fun: 'pillar.items', return: CANARY, retcode: 0 }),
    )
    const open: string[] = []
    for (const path of filesBelow(site.root)) {
      const stat = lstatSync(path)
      if (
        stat.isFile() &&
        stat.mode & 0o077 &&
        !path.includes('/srv/') &&
        !/\.pub$|minions\/m1$|etc\/master$/.test(path)
      ) {
        if (!isHidden(path)) open.push(path.slice(site.root.length))
      }
      if (stat.isSocket() && stat.mode & 0o007) open.push(path)
      if (/\.pem$/.test(path)) expect(stat.mode & 0o777).toBe(0o400)
    }
    expect(open).toEqual([])
  })
})

/** Whether a directory above keeps others out. */
function isHidden(path: string): boolean {
  const parts = path
    .slice(site.root.length + 1)
    .split('/')
    .slice(0, -1)
  return parts.some((_part, index) => {
    const mode = lstatSync(join(site.root, ...parts.slice(0, index + 1))).mode
    return (mode & 0o077) === 0
  })
}
