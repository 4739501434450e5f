// Functions of the wheel on a master's own files, without a running master. The expected results were taken from Salt.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { masterConfig } from '../../src/config/mod.ts'
import { type Dict, fromPlain, type Plain, toPlain } from '../../src/data/mod.ts'
import { masterContext, socketAccess } from '../../src/runner/mod.ts'

const root = mkdtempSync(join(tmpdir(), 'brine-wheel-'))
const srv = join(root, 'srv')
const pillar = join(root, 'pillar')
let opts: Dict
let close: () => void
let call: (fun: string, ...args: Plain[]) => Promise<Plain>

beforeAll(async () => {
  for (const folder of ['etc', 'srv/sub', 'pillar']) mkdirSync(join(root, folder), { recursive: true })
  const roots = { file_roots: { base: [srv] }, pillar_roots: { base: [pillar] } }
  writeFileSync(join(root, 'etc/master'), JSON.stringify({ root_dir: root, ...roots }))
  writeFileSync(join(srv, 'top.sls'), 'a: 1\n')
  writeFileSync(join(srv, 'sub/f'), 'x\n')
  writeFileSync(join(srv, 'bin'), Buffer.from([0xff, 0xfe, 0, 1]))
  writeFileSync(join(pillar, 'a.sls'), 'p: 1\n')
  opts = await masterConfig({ path: join(root, 'etc/master') })
  mkdirSync(String(opts.get('cachedir')), { recursive: true })
  const access = socketAccess(opts, silentLog)
  close = access.close
  const ctx = masterContext(access, { jid: '', user: 'root', tag: 'salt/wheel' })
  call = async (fun, ...args) => toPlain(await ctx.wheel(fun, args.map(fromPlain)))
})
afterAll(() => {
  close()
  rmSync(root, { recursive: true })
})

const at = (...parts: string[]): string => join(root, ...parts)

describe('The roots of files and pillar', () => {
  test.each<[fun: string, args: Plain[], expected: Plain]>([
    ['file_roots.find', ['top.sls'], [{ [at('srv/top.sls')]: 'txt' }]],
    ['file_roots.find', ['bin'], [{ [at('srv/bin')]: 'bin' }]],
    ['file_roots.find', ['nothing'], []],
    ['file_roots.find', ['top.sls', 'dev'], []],
    ['file_roots.list_env', [], { [srv]: { sub: { f: 'f' }, 'top.sls': 'f', bin: 'f' } }],
    ['file_roots.list_env', ['dev'], {}],
    ['file_roots.list_roots', [], { base: [{ [srv]: { sub: { f: 'f' }, 'top.sls': 'f', bin: 'f' } }] }],
    ['file_roots.read', ['sub/f'], [{ [at('srv/sub/f')]: 'x\n' }]],
    ['file_roots.read', ['nothing'], []],
    ['file_roots.read', ['bin'], []],
    ['file_roots.read', ['../etc/master'], []],
    ['file_roots.write', ['d', '../x'], 'Invalid path: ../x'],
    ['file_roots.write', ['d', '/etc/x'], 'The path passed in /etc/x is not relative to the environment base'],
    ['file_roots.write', ['d', 'y', 'dev'], 'Named environment dev is not present'],
    ['file_roots.write', ['d', 'y', 'base', 5], 'Specified index 5 in environment base is not present'],
    ['pillar_roots.find', ['a.sls'], [{ [at('pillar/a.sls')]: 'txt' }]],
    ['pillar_roots.list_env', [], { [pillar]: { 'a.sls': 'f' } }],
    ['pillar_roots.list_roots', [], { base: [{ [pillar]: { 'a.sls': 'f' } }] }],
    ['pillar_roots.read', ['a.sls'], [{ [at('pillar/a.sls')]: 'p: 1\n' }]],
    ['pillar_roots.write', ['d', '../b.sls'], 'Invalid path'],
    ['pillar_roots.write', ['d', 'y', 'dev'], 'Named environment dev is not present'],
  ])('%s %j', async (fun, args, expected) => {
    expect(await call(fun, ...args)).toEqual(expected)
  })

  test('are written to below a directory that is made', async () => {
    const file = at('srv/new/x.sls')
    expect(await call('file_roots.write', 'data\n', 'new/x.sls')).toBe(`Wrote data to file ${file}`)
    expect(readFileSync(file, 'utf8')).toBe('data\n')
  })
})

describe('The configuration', () => {
  test('is extended by a file of its own, inside its directory', async () => {
    expect(await call('config.update_config', 'gui', { id: 1 })).toBe('Wrote gui.conf')
    expect(readFileSync(at('etc/master.d/gui.conf'), 'utf8')).toBe('id: 1\n')
    expect(await call('config.update_config', '../evil', {})).toBe('Invalid path')
  })

  test('keeps other lines when an option is set', async () => {
    expect(await call('config.apply', 'timeout', 7)).toBe(null)
    const now = await masterConfig({ path: at('etc/master') })
    expect([now.get('timeout'), toPlain(now.get('file_roots')!)]).toEqual([7, { base: [srv] }])
    expect(await call('config.values')).toMatchObject({ timeout: 7 })
  })
})

test('An error is raised by name, and by none nothing happens', async () => {
  expect(await call('error.error')).toEqual({})
  await expect(call('error.error', 'ValueError', 'bad')).rejects.toMatchObject({ code: 'ValueError', message: 'bad' })
})

describe('Keys', () => {
  test('are made, accepted, rejected and deleted', async () => {
    const { priv, pub } = (await call('key.gen_accept', 'm1')) as { priv: string; pub: string }
    expect([priv.includes('PRIVATE KEY'), pub.includes('PUBLIC KEY')]).toEqual([true, true])
    expect(await call('key.gen_accept', 'm1')).toEqual({})
    expect(await call('key.print', 'm*')).toEqual({ minions: { m1: pub } })
    expect(await call('key.name_match', 'm*')).toEqual({ minions: ['m1'] })
    expect(await call('key.glob_match', 'z*')).toEqual({})
    expect(await call('key.reject', 'm1')).toEqual({ minions: ['m1'] })
    expect(await call('key.reject', 'm1', true)).toEqual({ minions_rejected: ['m1'] })
    expect(await call('key.accept', 'm1')).toEqual({ minions_rejected: ['m1'] })
    expect(await call('key.accept', 'm1', true)).toEqual({ minions: ['m1'] })
    expect(await call('key.accept_dict', { minions_pre: ['m1'] })).toEqual({ minions: ['m1'] })
    expect(await call('key.reject_dict', { minions: ['m1'] }, true)).toEqual({ minions_rejected: ['m1'] })
    expect(await call('key.list', 'rej')).toEqual({ minions_rejected: ['m1'] })
    expect(await call('key.list', 'nothing')).toEqual({})
    expect(await call('key.delete_dict', { minions_rejected: ['m1'] })).toEqual({})
    expect(await call('key.delete', 'z*')).toEqual({})
    expect(statSync(join(String(opts.get('cachedir')), '.dfn')).isFile()).toBe(true)
  })

  test('of a name that leads elsewhere are not made', async () => {
    await expect(call('key.gen_accept', '../m')).rejects.toThrow('Not the id of a minion: ../m')
  })

  test('and the signature of the public one are put into files', async () => {
    const pki = String(opts.get('pki_dir'))
    const finger = await call('key.gen_keys', pki, 'master', 2048)
    expect(finger).toMatch(/^([0-9a-f]{2}:){31}[0-9a-f]{2}$/)
    expect(await call('key.gen_keys', pki, 'master')).toBe(finger)
    expect(await call('key.finger_master')).toEqual({ local: { 'master.pub': finger } })
    expect(statSync(join(pki, 'master.pem')).mode & 0o777).toBe(0o400)
    expect(await call('key.gen_signature', '', '', '')).toBe('No usable private-key found')
    expect(await call('key.gen_signature', at('none.pem'), '', '')).toBe(`Private-key ${at('none.pem')} does not exist`)
    expect(await call('key.gen_signature', '', at('none.pub'), '')).toBe(`Public-key ${at('none.pub')} does not exist`)
    expect(await call('key.gen_signature', '', '', '', true)).toBe(true)
    expect(await call('key.gen_signature', '', '', '')).toBe(false)
  })
})

test('Without a master no minion is connected', async () => {
  expect(await call('minions.connected')).toEqual([])
})
