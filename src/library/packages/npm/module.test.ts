import { describe, expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type ModuleDeclaration, scripted, tryFunction } from '../../../sdk/mod.ts'
import sysrc from '../../system/sysrc/module.ts'
import flatpak from '../flatpak/module.ts'
import gem from '../gem/module.ts'
import snap from '../snap/module.ts'
import npm from './module.ts'

type Row = [fun: string, kwargs: Record<string, Value>, line: string, said: string, answer: unknown]

/** One call, one command, one answer. */
async function called(module: ModuleDeclaration, [fun, kwargs, line, said]: Row, more: Record<string, string> = {}) {
  const { others, ran } = scripted({ [line]: said, ...more })
  const answer = toPlain(await tryFunction(module, fun, { kwargs, others, host: new MemoryHost() }))
  expect(ran).toContain(line)
  return answer
}

describe('npm', () => {
  test.each<Row>([
    [
      'list',
      { dir: '/app', depth: 0 },
      'npm list --json --silent --depth=0',
      '{"dependencies": {"a": {"version": "1"}}}',
      { a: { version: '1' } },
    ],
    ['install', { pkg: 'a@1' }, 'npm install --json --silent --global a@1', 'noise {"added": 1}', { added: 1 }],
    [
      'install',
      { pkgs: ['a', 'b'], dir: '/app', registry: 'http://r' },
      'npm install --json --silent --registry=http://r a b',
      'up to date',
      'up to date',
    ],
    ['uninstall', { pkg: 'a' }, 'npm uninstall a --global', '', true],
    ['cache_clean', { force: true }, 'npm cache clean --force', '', true],
    ['cache_path', {}, 'npm config get cache', '/root/.npm', '/root/.npm'],
  ])('%s of %j', async (...row) => expect(await called(npm, row)).toEqual(row[4]))

  test("reports npm's error", async () => {
    const { others } = scripted({ 'npm install --json --silent --global a': { retcode: 1, stderr: 'E404' } })
    await expect(tryFunction(npm, 'install', { args: ['a'], others })).rejects.toThrow('E404')
  })
})

describe('gem', () => {
  test.each<Row>([
    [
      'list',
      { prefix: 'ra' },
      'gem list ra',
      'rake (13.0.6, 12.3.3)\nrails (7.0)',
      { rake: ['13.0.6', '12.3.3'], rails: ['7.0'] },
    ],
    [
      'install',
      { gems: 'rake rails', version: '1' },
      'gem install rake rails --version 1 --no-document',
      'done',
      'done',
    ],
    ['uninstall', { gems: 'rake' }, 'gem uninstall rake -a -x', 'done', 'done'],
    ['list_upgrades', {}, 'gem outdated', 'rake (12.0 < 13.0)', { rake: '13.0' }],
    ['sources_list', {}, 'gem sources', '*** CURRENT SOURCES ***\n\nhttps://rubygems.org/', ['https://rubygems.org/']],
  ])('%s of %j', async (...row) => expect(await called(gem, row, { 'gem --version': '3.3.15' })).toEqual(row[4]))

  test('speaks to an old gem in its words', async () => {
    const { others, ran } = scripted({ 'gem --version': '2.7', 'gem install*': '' })
    await tryFunction(gem, 'install', { args: ['rake'], kwargs: { pre_releases: true }, others })
    expect(ran.at(-1)).toBe('gem install rake --no-rdoc --no-ri --pre')
  })
})

describe('sysrc', () => {
  test.each<Row>([
    [
      'get',
      { name: 'sshd_enable' },
      'sysrc -v sshd_enable',
      '/etc/rc.conf: sshd_enable: YES',
      { '/etc/rc.conf': { sshd_enable: 'YES' } },
    ],
    ['get', { name: 'nope' }, 'sysrc -v nope', "sysrc: unknown variable 'nope'", null],
    [
      'set',
      { name: 'a', value: true, file: '/f' },
      'sysrc -v -f /f a=YES',
      '/f: a: NO -> YES',
      { '/f': { a: ' YES' } },
    ],
    ['remove', { name: 'a', jail: 'j' }, 'sysrc -v -j j -x a', '', 'a removed'],
  ])('%s of %j', async (...row) => expect(await called(sysrc, row)).toEqual(row[4]))
})

describe('snap', () => {
  const LIST =
    'Name  Version  Rev  Tracking       Publisher  Notes\ncore  16-2     14   latest/stable  canonical  core,held\n'
  const CORE = { name: 'core', version: '16-2', revision: '14', channel: 'latest/stable', publisher: 'canonical' }
  test.each<Row>([
    [
      'list',
      {},
      'snap list --unicode=never --color=never',
      LIST,
      { core: { ...CORE, notes: ['core', 'held'], classic: false, enabled: true, held: true } },
    ],
    ['is_held', { name: 'core' }, 'snap list --unicode=never --color=never core', LIST, true],
    [
      'install',
      { name: 'a', channel: 'edge', classic: true },
      'snap install --unicode=never --color=never --channel edge --classic a',
      '',
      true,
    ],
    ['remove', { name: 'a', purge: true }, 'snap remove --purge a', '', true],
  ])('%s of %j', async (...row) => expect(await called(snap, row)).toEqual(row[4]))

  test('refuses a channel of no known risk', async () => {
    const { others } = scripted({})
    const call = tryFunction(snap, 'install', { kwargs: { name: 'a', channel: 'latest/odd' }, others })
    await expect(call).rejects.toThrow("Invalid channel risk level 'odd', valid: stable, candidate, beta, edge")
  })
})

describe('flatpak', () => {
  test.each<Row>([
    [
      'install',
      { name: 'org.x', location: 'hub' },
      'flatpak install --noninteractive hub org.x',
      'ok',
      { result: true, stdout: 'ok' },
    ],
    ['is_installed', { name: 'org.x' }, 'flatpak info org.x', '', true],
    [
      'add_remote',
      { name: 'hub', location: 'http://h' },
      'flatpak remote-add hub http://h',
      '',
      { result: true, stdout: '' },
    ],
  ])('%s of %j', async (...row) => expect(await called(flatpak, row)).toEqual(row[4]))
})
