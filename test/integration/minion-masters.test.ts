// Which masters a minion has, and what becomes of it when they turn it away: `master_type: func` and `disable`, rejected keys,
// wrong fingerprints, and salt-call in each case.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { saltCall } from '../../src/cli/mod.ts'
import { minionConfig } from '../../src/config/mod.ts'
import { Minion } from '../../src/minion/mod.ts'
import { until } from '../until.ts'
import { TestSite } from './site.ts'

let site: TestSite

beforeEach(async () => {
  site = await TestSite.open()
})
afterEach(() => site.close())

/** Run salt-call of a minion; return its status and output. */
async function call(config: string, ...words: string[]): Promise<{ status: number; out: string }> {
  let out = ''
  const streams = { out: (text: string) => void (out += text), err: () => undefined, terminal: false }
  const status = await saltCall(['-c', dirname(config), '-l', 'quiet', '--out', 'json', ...words], streams)
  return { status, out }
}

test('A function of its own tells a minion, and salt-call, which master to go to', async () => {
  const modules = join(site.root, 'modules')
  mkdirSync(modules)
  writeFileSync(join(modules, 'inventory.py'), "def master():\n    return '127.0.0.1'\n")
  const func = { master: 'inventory.master', master_type: 'func', module_dirs: [modules] }
  const master = await site.master()
  await site.minion('web1', func)
  expect(await master.ask('web1', 'config.get', ['master'])).toBe('127.0.0.1')
  expect(await call(site.minionConfig('web1', func), 'test.ping')).toMatchObject({ status: 0 })
  await expect(site.minion('web2', { ...func, master: 'inventory.nothing' })).rejects.toThrow(
    'Failed to load module inventory.nothing',
  )
  await expect(site.minion('web3', { ...func, master: 'test.true' })).rejects.toThrow(
    'True returned from test.true is not a string',
  )
})

test('Without a master a minion keeps to its schedule', async () => {
  const mark = join(site.root, 'mark')
  const alone = { master_type: 'disable', schedule: { tick: { function: 'file.touch', args: [mark], seconds: 1 } } }
  const minion = await site.minion('web1', alone)
  await until('its mark', () => existsSync(mark))
  await minion.close()
  expect(JSON.parse((await call(site.minionConfig('web1', alone), 'test.ping')).out)).toEqual({ local: true })
})

test('A rejected key ends a minion, unless it waits for a change of mind', async () => {
  const master = await site.master()
  await (await site.minion('web1')).close()
  await master.wheel('key.reject', ['web1', true])
  expect(await master.wheel('key.list', ['rej'])).toEqual({ minions_rejected: ['web1'] })
  await expect(site.minion('web1')).rejects.toMatchObject({ outcome: { status: 'rejected' } })
  expect(await call(site.minionConfig('web1'), 'test.ping')).toEqual({ status: 77, out: '' })
  const patient = new Minion(
    await minionConfig({ path: site.minionConfig('web1', { rejected_retry: true }) }),
    silentLog,
  )
  site.atEnd(() => patient.close())
  const opened = patient.open()
  await master.event(/^salt\/auth$/)
  await master.wheel('key.accept', ['web1', true])
  await opened
  expect(await master.ask('web1', 'test.ping')).toBe(true)
})

test('A master with another fingerprint than expected is left alone', async () => {
  const master = await site.master()
  const finger = { master_finger: Array(32).fill('00').join(':') }
  await expect(site.minion('web1', finger)).rejects.toMatchObject({ outcome: { status: 'fingerprint' } })
  expect(await call(site.minionConfig('web1', finger), 'test.ping')).toEqual({ status: 42, out: '' })
  const { local } = (await master.wheel('key.finger_master', [])) as { local: Record<string, string> }
  await site.minion('web1', { master_finger: local['master.pub'] })
  expect(await master.ask('web1', 'test.ping')).toBe(true)
})

test('A call with a pending key reports it', async () => {
  await site.master('master', '127.0.0.1', { auto_accept: false })
  expect(await call(site.minionConfig('web1'), 'test.ping')).toEqual({
    status: 2,
    out: 'Minion failed to authenticate with the master, has the minion key been accepted?\n',
  })
})
