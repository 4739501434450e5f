// Tiers of both kinds: a syndic of Salt under our master, and our syndic under a master of Salt.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { salt } from '../../src/cli/mod.ts'
import { TestSite } from '../integration/site.ts'
import { until } from '../until.ts'
import { SALT_TREE, SaltSite } from './salt.ts'

const MINUTE = 60_000
const LOW = '127.0.0.3'
let ours: TestSite
let theirs: SaltSite

beforeEach(async () => {
  ours = await TestSite.open()
  theirs = new SaltSite()
})
afterEach(async () => {
  await theirs.stop()
  await ours.close()
}, MINUTE)

const below = (): object => ({ syndic_master: '127.0.0.1', syndic_master_port: ours.ports.ret })
const ports = (): object => ({ publish_port: ours.ports.pub, ret_port: ours.ports.ret })

describe.skipIf(SALT_TREE === undefined)('Tiers of both kinds', () => {
  it(
    'a syndic of Salt hands jobs of our master on, and the returns back',
    async () => {
      const top = await ours.master('top', '127.0.0.1', {
        order_masters: true,
        syndic_wait: 5,
        external_auth: { auto: { joe: [{ 'low*': ['test.ping'] }] } },
      })
      const options = { interface: LOW, ...ports(), auto_accept: true, worker_threads: 3, ...below() }
      const conf = theirs.configure('master', options)
      const home = join(theirs.directory, 'syndic')
      const places = Object.fromEntries(['pki_dir', 'cachedir', 'sock_dir'].map((name) => [name, join(home, name)]))
      writeFileSync(join(conf, 'minion'), JSON.stringify({ id: 'syndic1', root_dir: home, ...places }))
      theirs.start('salt-master', conf)
      for (const id of ['low1', 'low2']) await ours.minion(id, { master: LOW })
      theirs.start('salt-syndic', conf)
      await top.event(/^salt\/syndic\/syndic1\/start$/)
      const job = { tgt: '*', fun: 'test.ping', arg: [] }
      expect((await top.gather(job)).sort()).toEqual([
        ['low1', true],
        ['low2', true],
      ])
      expect(await top.gather({ ...job, tgt: 'low2' })).toEqual([['low2', true]])
      const jids = top.seen.filter(({ tag }) => /^salt\/job\/\d+\/new$/.test(tag)).map(({ data }) => data.get('jid'))
      const returns = top.seen.map(({ tag }) => tag).filter((tag) => tag.includes(`/${String(jids[0])}/ret/`))
      expect(new Set(returns).size).toBe(2)
      expect(returns).toHaveLength(2)
      let shown = ''
      const streams = { out: (text: string) => void (shown += text), err: () => undefined, terminal: false }
      expect(await salt(['-c', top.config, '-b', '1', 'low*', 'test.ping'], streams)).toBe(0)
      for (const id of ['low1', 'low2']) expect(shown).toContain(`${id}:\n    True`)
    },
    3 * MINUTE,
  )

  it(
    'our syndic hands jobs of a master of Salt on, and the returns back',
    async () => {
      const options = { interface: '127.0.0.1', ...ports(), auto_accept: true, order_masters: true, worker_threads: 3 }
      const conf = theirs.configure('master', { ...options, timeout: 10, syndic_wait: 3 })
      theirs.start('salt-master', conf)
      await ours.master('low', LOW, { ...below() })
      for (const id of ['low1', 'low2']) await ours.minion(id, { master: LOW })
      await ours.syndic('low', 'syndic-low')
      const ping = async (tgt: string): Promise<object> => {
        const lines = await theirs.run('salt', ['-c', conf, '--static', '--out', 'json', tgt, 'test.ping'])
        return JSON.parse(lines || '{}') as object
      }
      await until('a ping of both', async () => {
        const answer = await ping('*')
        return JSON.stringify(Object.entries(answer).sort()) === '[["low1",true],["low2",true]]'
      })
      expect(await ping('low2')).toEqual({ low2: true })
      const looked = await theirs.run('salt-run', ['-c', conf, '--out', 'json', 'jobs.list_jobs'])
      expect(Object.keys(JSON.parse(looked) as object).length).toBeGreaterThan(0)
    },
    3 * MINUTE,
  )
})
