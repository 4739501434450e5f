// Whole daemons of both kinds together: a real minion under our master, and our minion under a real master.
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BusClient, masterBusPaths } from '../../src/bus/mod.ts'
import { salt } from '../../src/cli/mod.ts'
import { masterConfig } from '../../src/config/mod.ts'
import { type Plain, str } from '../../src/data/mod.ts'
import { TestSite } from '../integration/site.ts'
import { canImport, SALT_TREE, SaltSite } from './salt.ts'

const MINUTE = 60_000
const LARGE = 50 << 20
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

/** Create the files for the minions of a site: a template, a pillar, a large file. */
function fill(root: string): Record<string, unknown> {
  const [states, pillar] = [join(root, 'states'), join(root, 'pillar')]
  for (const folder of [states, pillar]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(pillar, 'top.sls'), "base:\n  '*':\n    - data\n")
  writeFileSync(join(pillar, 'data.sls'), 'role: web\n')
  writeFileSync(join(states, 'web.j2'), "role={{ pillar['role'] }} id={{ grains['id'] }}\n")
  const managed = '  file.managed:\n    - source: salt://web.j2\n    - template: jinja\n'
  writeFileSync(join(states, 'web.sls'), `${join(root, 'made')}:\n${managed}`)
  writeFileSync(join(states, 'large'), Buffer.alloc(LARGE, 'salt and brine '))
  return { file_roots: { base: [states] }, pillar_roots: { base: [pillar] } }
}

const minionOptions = (id: string): Record<string, unknown> => ({
  id,
  master: '127.0.0.1',
  master_port: ours.ports.ret,
  publish_port: ours.ports.pub,
  acceptance_wait_time: 1,
  random_reauth_delay: 1,
  recon_default: 100,
  recon_max: 500,
  mine_functions: { 'test.ping': [] },
})

/** A minion answers after a change that it must notice by itself. */
async function again<T>(ask: () => Promise<T>, seconds = 120): Promise<T> {
  for (const end = Date.now() + seconds * 1000; ; await sleep(500)) {
    try {
      return await ask()
    } catch (error) {
      if (Date.now() > end) throw error
    }
  }
}

/** All that a minion of either kind must do under a master of either kind. */
async function everyday(
  ask: (fun: string, ...args: string[]) => Promise<Plain>,
  root: string,
  id: string,
): Promise<void> {
  expect(await ask('test.ping')).toBe(true)
  expect(await ask('cmd.run', 'echo hello')).toBe('hello')
  // our minion sends a hint along, which no master may trip over
  expect(await ask('tset.ping')).toBe("'tset.ping' is not available.")
  expect(await ask('grains.items')).toMatchObject({ id, kernel: 'Linux' })
  const pillarNames = async (): Promise<string[]> => Object.keys((await ask('pillar.items')) as object).sort()
  expect(await pillarNames()).toEqual(['role'])
  const copy = join(root, 'copy')
  expect(await ask('cp.get_file', 'salt://large', copy)).toBe(copy)
  expect(statSync(copy).size).toBe(LARGE)
  const [state] = Object.values((await ask('state.apply', 'web')) as Record<string, Record<string, Plain>>)
  expect([state!['result'], state!['changes']]).toMatchObject([true, { diff: 'New file' }])
  expect(await ask('cmd.run', `cat ${join(root, 'made')}`)).toBe(`role=web id=${id}`)
  await ask('mine.update')
  await again(async () => expect(await ask('mine.get', id, 'test.ping')).toEqual({ [id]: true }))
  appendFileSync(join(root, 'pillar', 'data.sls'), 'tier: 1\n')
  expect(await ask('saltutil.refresh_pillar', 'wait=True')).toBe(true)
  expect(await pillarNames()).toEqual(['role', 'tier'])
}

describe.runIf(SALT_TREE)('Sites of both kinds', () => {
  it('have a real minion run a job that was published while it was away, once', { timeout: 4 * MINUTE }, async () => {
    const master = await ours.master('master', '127.0.0.1', { job_delivery_window: 120 })
    const conf = theirs.configure('minion', minionOptions('real'))
    const first = theirs.start('salt-minion', conf)
    expect(await again(() => master.ask('real', 'test.ping', [], 10))).toBe(true)
    await theirs.end(first)
    const file = join(ours.root, 'ran')
    const jid = await master.publish('real', 'cmd.run', [`echo once >> ${file}`])
    theirs.start('salt-minion', conf)
    await master.event(new RegExp(`^salt/job/${jid}/ret/real$`), 100)
    expect(await master.ask('real', 'test.ping', [], 60)).toBe(true)
    expect(readFileSync(file, 'utf8')).toBe('once\n')
  })

  it('have a real minion do all under our master, through restarts, new keys and a deleted key', {
    timeout: 5 * MINUTE,
  }, async () => {
    const master = await ours.master('master', '127.0.0.1', fill(ours.root))
    const conf = theirs.configure('minion', minionOptions('real'))
    theirs.start('salt-minion', conf)
    await master.event(/^salt\/minion\/real\/start$/, 60)
    await everyday((fun, ...args) => master.ask('real', fun, args, 60), ours.root, 'real')
    await master.ask('real', 'event.send', ['my/tag', '{"a": 1}'])
    expect((await master.event(/^my\/tag$/)).data.get('id')).toBe('real')
    await master.stop()
    await master.start()
    expect(await again(() => master.ask('real', 'test.ping', [], 5))).toBe(true)
    await master.rotateKey()
    expect(await again(() => master.ask('real', 'test.ping', [], 5))).toBe(true)
    // it learns of it with the next publication, which it cannot read
    await ours.minion('ours')
    master.seen.splice(0)
    await master.wheel('key.delete', ['real'])
    await master.event(/^key$/)
    expect(await again(() => master.ask('ours', 'test.ping', [], 5))).toBe(true)
    expect(await again(() => master.ask('real', 'test.ping', [], 5))).toBe(true)
  })

  it('have our minion do all under a real master, through restarts, new keys and a deleted key', {
    timeout: 5 * MINUTE,
  }, async () => {
    const conf = theirs.configure('master', {
      ...fill(theirs.directory),
      interface: '127.0.0.1',
      publish_port: ours.ports.pub,
      ret_port: ours.ports.ret,
      auto_accept: true,
      worker_threads: 2,
      loop_interval: 1,
    })
    // our own client, which is quicker
    const ask = async (fun: string, ...args: string[]): Promise<Plain> => {
      let text = ''
      const streams = { out: (more: string) => void (text += more), err: () => undefined, terminal: false }
      await salt(['-c', conf, '-t', '20', '--out', 'json', 'ours', fun, ...args], streams)
      return (JSON.parse(text) as Record<string, Plain>)['ours']!
    }
    let master = theirs.start('salt-master', conf)
    await ours.minion('ours', minionOptions('ours'))
    await again(async () =>
      expect(await theirs.run('salt', ['-c', conf, '-t', '20', 'ours', 'test.ping'])).toContain('True'),
    )
    await everyday(ask, theirs.directory, 'ours')
    const opts = await masterConfig({ path: join(conf, 'master') })
    const events = await BusClient.open({ paths: masterBusPaths(opts), filter: (tag) => tag === 'my/tag' })
    ours.atEnd(async () => events.close())
    expect(await ask('event.send', 'my/tag', '{"a": 1}')).toBe(true)
    expect((await events.next(30))?.data.get('id')).toBe('ours')
    await theirs.end(master)
    master = theirs.start('salt-master', conf)
    const answers = () => again(async () => expect(await ask('test.ping')).toBe(true))
    await answers()
    const rotation = join(str(opts.get('cachedir')!), '.dfn')
    writeFileSync(rotation, str(opts.get('id')!), { mode: 0o400 })
    await again(async () => expect(existsSync(rotation)).toBe(false))
    await answers()
    // a minion without a key learns of it with a publication for another one, which it cannot read
    const keys = join(str(opts.get('pki_dir')!), 'minions')
    cpSync(join(keys, 'ours'), join(keys, 'nobody'))
    await theirs.run('salt-key', ['-c', conf, '-d', 'ours', '-y'])
    await again(async () => {
      await theirs.run('salt', ['-c', conf, '--async', 'nobody', 'test.ping'])
      expect(existsSync(join(keys, 'ours'))).toBe(true)
    })
    await answers()
  })

  it.runIf(canImport('salt.resources'))(
    'have what a real minion looks after targeted under our master',
    { timeout: 3 * MINUTE },
    async () => {
      const roots = fill(ours.root)
      writeFileSync(join(ours.root, 'pillar', 'data.sls'), 'resources: {dummy: {resource_ids: [dummy-01, dummy-02]}}\n')
      const master = await ours.master('master', '127.0.0.1', roots)
      theirs.start('salt-minion', theirs.configure('minion', minionOptions('real')))
      await master.event(/^salt\/minion\/real\/start$/, 60)
      const ask = async (...words: string[]): Promise<Plain> => {
        let text = ''
        const streams = { out: (more: string) => void (text += more), err: () => undefined, terminal: false }
        await salt(['-c', master.config, '-t', '20', '--out', 'json', '--static', ...words], streams)
        return JSON.parse(text) as Plain
      }
      await again(async () => expect(await ask('dummy-01', 'test.ping')).toEqual({ 'dummy-01': true }))
      const both = { 'dummy-01': true, 'dummy-02': true }
      expect(await ask('*', 'test.ping')).toEqual({ real: true, ...both })
      expect(await ask('-C', 'T@dummy', 'test.ping')).toEqual(both)
      expect(await ask('-C', 'T@dummy:dummy-02', 'test.ping')).toEqual({ 'dummy-02': true })
      expect(await ask('-G', 'resource_id:dummy-02', 'test.ping')).toEqual({ 'dummy-02': true })
      expect(await ask('-L', 'real,dummy-01', 'test.ping')).toEqual({ real: true, 'dummy-01': true })
    },
  )
})
