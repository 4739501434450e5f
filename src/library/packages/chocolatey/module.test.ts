import { describe, expect, test } from 'vitest'
import { dictFrom, hideMarked, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type ModuleDeclaration, scripted, tryFunction } from '../../../sdk/mod.ts'
import reg from '../../system/reg/module.ts'
import macpackage from '../macpackage/module.ts'
import chocolatey from './module.ts'

type Recorded = Parameters<typeof scripted>[0]

async function called(
  module: ModuleDeclaration,
  fun: string,
  kwargs: Record<string, Value>,
  recorded: Recorded,
  memory: Record<string, Value> = {},
) {
  const { others, ran } = scripted(recorded)
  const context = { memory: dictFrom(memory) }
  const host = await MemoryHost.with({ files: { '/tmp/': '' } })
  const answer = toPlain(await tryFunction(module, fun, { kwargs, others, host, context }))
  return { answer, ran }
}

describe('chocolatey', () => {
  const KNOWN = { 'chocolatey._path': 'choco', 'chocolatey._version': '1.4.0' }

  test.each<[string, Record<string, Value>, string]>([
    ['list_webpi', {}, 'choco list --source webpi'],
    ['list_windowsfeatures', {}, 'choco list --source windowsfeatures'],
    ['install_cygwin', { name: 'x' }, 'choco install x --source cygwin --no-progress --yes'],
    ['install_python', { name: 'x' }, 'choco install x --source python --no-progress --yes'],
    ['install_windowsfeatures', { name: 'x' }, 'choco install x --source windowsfeatures --no-progress --yes'],
    ['install_webpi', { name: 'x' }, 'choco install x --source webpi --no-progress --yes'],
    ['install_missing', { name: 'x', version: '2' }, 'choco install x --version 2 --no-progress --yes'],
    ['update', { name: 'x' }, 'choco upgrade x --no-progress --yes'],
    ['enable_source', { name: 'own' }, 'choco source enable --name own'],
    ['disable_source', { name: 'own' }, 'choco source disable --name own'],
    [
      'add_source',
      { name: 'own', source_location: 'http://s', username: 'u', priority: '1' },
      'choco sources add --name own --source http://s --user u --priority 1',
    ],
  ])('%s of %j runs `%s`', async (fun, kwargs, line) => {
    expect(await called(chocolatey, fun, kwargs, { 'choco*': 'ok' }, KNOWN)).toEqual({ answer: 'ok', ran: [line] })
  })

  test('hides the password of a source wherever it appears', async () => {
    const kwargs = { name: 'own', source_location: 'http://s', username: 'u', password: 'choco-hidden' }
    const said = await called(chocolatey, 'add_source', kwargs, { 'choco*': 'Added with choco-hidden' }, KNOWN)
    expect(said.answer).toBe('Added with **********')
    expect(hideMarked('--password choco-hidden')).toBe('--password **********')
    const failing = { 'choco*': { retcode: 1, stdout: 'bad choco-hidden' } }
    await expect(called(chocolatey, 'add_source', kwargs, failing, KNOWN)).rejects.toThrow('bad **********')
  })

  test('is found once it is installed, and leaves nothing when it is removed', async () => {
    expect((await called(chocolatey, 'chocolatey_version', {}, {}, KNOWN)).answer).toBe('1.4.0')
    expect((await called(chocolatey, 'bootstrap', {}, {}, KNOWN)).answer).toBe('Chocolatey found at choco')
    expect((await called(chocolatey, 'unbootstrap', {}, {})).answer).toEqual([])
  })

  test.each<[string, Record<string, Value>, string, string, unknown]>([
    [
      'list',
      { local_only: true },
      'choco list --local-only --limit-output',
      'git|2.41\nchocolatey|1.4\nGit|2.40',
      { git: ['2.41', '2.40'] },
    ],
    [
      'install',
      { name: 'git', version: '2', force: true },
      'choco install git --version 2 --force --no-progress --yes',
      'ok',
      'ok',
    ],
    [
      'uninstall',
      { name: 'git', uninstall_args: '/S' },
      'choco uninstall git --uninstallarguments /S --yes',
      'ok',
      'ok',
    ],
    ['upgrade', { name: 'git', pre_versions: true }, 'choco upgrade git --prerelease --no-progress --yes', 'ok', 'ok'],
    ['install_gem', { name: 'rake' }, 'choco install rake --source ruby --no-progress --yes', 'ok', 'ok'],
    [
      'list_sources',
      {},
      'choco source --limit-output',
      'hub|https://h|False||0|False|False|False|',
      { hub: { 'URL: ': 'https://h', Disabled: 'False', 'User: ': '' } },
    ],
  ])('%s of %j', async (fun, kwargs, line, said, answer) => {
    expect(await called(chocolatey, fun, kwargs, { [line]: said }, KNOWN)).toMatchObject({ answer })
  })

  test('searches with a new version, and fails with its words', async () => {
    const modern = { ...KNOWN, 'chocolatey._version': '2.1.0' }
    const { answer } = await called(
      chocolatey,
      'list',
      { narrow: 'git' },
      { 'choco search git --limit-output': 'git|2.41' },
      modern,
    )
    expect(answer).toEqual({ git: ['2.41'] })
    const failing = called(
      chocolatey,
      'install',
      { name: 'x' },
      { 'choco install*': { retcode: 1, stdout: 'no' } },
      KNOWN,
    )
    await expect(failing).rejects.toThrow('Running chocolatey failed: no')
    await expect(called(chocolatey, 'list', {}, {})).rejects.toThrow('Chocolatey not installed.')
  })
})

describe('reg', () => {
  const KEY = 'HKEY_LOCAL_MACHINE\\SOFTWARE\\Salt'
  const place = { hive: 'HKLM', key: 'SOFTWARE\\Salt' }
  const shown = (line: string): string => `\r\n${KEY}\r\n    ${line}\r\n\r\n`

  test.each<[string, string, unknown]>([
    ['REG_SZ    3008.2', 'REG_SZ', '3008.2'],
    ['REG_DWORD    0x1f', 'REG_DWORD', 31],
    ['REG_MULTI_SZ    a\\0b', 'REG_MULTI_SZ', ['a', 'b']],
  ])('reads %s', async (text, vtype, vdata) => {
    const recorded = { [`reg query ${KEY} /v version /reg:64`]: shown(`version    ${text}`) }
    const { answer } = await called(reg, 'read_value', { ...place, vname: 'version' }, recorded)
    expect(answer).toEqual({ hive: 'HKLM', key: 'SOFTWARE\\Salt', vname: 'version', vdata, vtype, success: true })
  })

  test('distinguishes a missing value from a missing key', async () => {
    const gone = { retcode: 1, stderr: 'ERROR: The system was unable to find the specified registry key or value.' }
    const value = { [`reg query ${KEY} /v x /reg:64`]: gone, [`reg query ${KEY} /reg:64`]: '' }
    expect((await called(reg, 'read_value', { ...place, vname: 'x' }, value)).answer).toMatchObject({
      success: false,
      comment: 'Cannot find x in HKLM\\SOFTWARE\\Salt',
    })
    expect((await called(reg, 'read_value', place, { 'reg query*': gone })).answer).toMatchObject({
      comment: 'Cannot find key: HKLM\\SOFTWARE\\Salt',
    })
    await expect(called(reg, 'read_value', { hive: 'HKXX', key: 'a' }, {})).rejects.toThrow('Invalid Hive: HKXX')
  })

  test.each<[string, Record<string, Value>, string]>([
    [
      'set_value',
      { vname: 'v', vdata: 5, vtype: 'REG_DWORD', use_32bit_registry: true },
      `reg add ${KEY} /v v /t REG_DWORD /d 5 /f /reg:32`,
    ],
    [
      'set_value',
      { vdata: ['a', 'b'], vtype: 'REG_MULTI_SZ' },
      `reg add ${KEY} /ve /t REG_MULTI_SZ /d a\\0b /f /reg:64`,
    ],
    ['delete_value', { vname: 'v' }, `reg delete ${KEY} /v v /f /reg:64`],
  ])('%s of %j', async (fun, kwargs, line) => {
    expect(await called(reg, fun, { ...place, ...kwargs }, { [line]: '' })).toMatchObject({ answer: true })
  })

  test('lists keys directly below, and refuses to remove keys near the root', async () => {
    const keys = `${KEY}\\A\r\n${KEY}\\B\r\n`
    expect((await called(reg, 'list_keys', place, { [`reg query ${KEY} /reg:64`]: keys })).answer).toEqual(['A', 'B'])
    const top = { hive: 'HKLM', key: 'SOFTWARE' }
    expect((await called(reg, 'delete_key_recursive', top, { 'reg query*': '' })).answer).toBe(false)
  })
})

describe('macpackage', () => {
  test.each<[string, Record<string, Value>, string]>([
    [
      'install',
      { pkg: '/tmp/a b.pkg', allow_untrusted: true },
      "installer -pkg '/tmp/a b.pkg' -target LocalSystem -allowUntrusted",
    ],
    ['install', { pkg: '/tmp/dmg/*.pkg', target: '/' }, 'installer -pkg /tmp/dmg/*.pkg -target /'],
    ['install_app', { app: '/tmp/X.app/' }, 'rsync -a --delete /tmp/X.app/ /Applications/X.app'],
    ['unmount', { mountpoint: '/tmp/dmg' }, 'hdiutil detach /tmp/dmg'],
    ['installed_pkgs', {}, 'pkgutil --pkgs'],
  ])('%s of %j', async (fun, kwargs, line) => {
    expect((await called(macpackage, fun, kwargs, { [line]: '' })).ran).toEqual([line])
  })
})

describe('reg, on keys and files', () => {
  const SALT = { hive: 'HKLM', key: 'SOFTWARE\\Salt' }
  const PRINTED =
    '\nHKEY_LOCAL_MACHINE\\SOFTWARE\\Salt\n    version    REG_SZ    3008\n    port    REG_DWORD    0x5\n\nHKEY_LOCAL_MACHINE\\SOFTWARE\\Salt\\sub\n'
  const known = { 'reg query*': PRINTED }
  const missing = { 'reg query*': { retcode: 1, stderr: 'ERROR: The system was unable to find the key' } }

  test('keys and values are found and listed', async () => {
    expect((await called(reg, 'key_exists', SALT, known)).answer).toBe(true)
    expect((await called(reg, 'key_exists', SALT, missing)).answer).toBe(false)
    expect((await called(reg, 'value_exists', { ...SALT, vname: 'version' }, known)).answer).toBe(true)
    expect((await called(reg, 'value_exists', { ...SALT, vname: 'x' }, missing)).answer).toBe(false)
    expect((await called(reg, 'list_keys', SALT, known)).answer).toEqual(['sub'])
    expect((await called(reg, 'list_values', SALT, known)).answer).toMatchObject([
      { vname: 'version', vtype: 'REG_SZ', vdata: '3008' },
      { vname: 'port', vtype: 'REG_DWORD', vdata: 5 },
    ])
  })

  test('a file is imported, and programs hear of a change', async () => {
    const { others, ran } = scripted({ 'reg import*': '', 'powershell*': '' })
    const all = { ...others, 'cp.cache_file': () => 'C:\\a.reg' }
    expect(await tryFunction(reg, 'import_file', { args: ['salt://a.reg'], others: all })).toBe(true)
    expect(ran).toEqual(['reg import C:\\a.reg /reg:64'])
    expect(await tryFunction(reg, 'broadcast_change', { others: all })).toBe(true)
  })
})

describe('macpackage, on disk images', () => {
  test('disk images are mounted and unmounted, applications removed, packages of a folder listed', async () => {
    const { answer, ran } = await called(macpackage, 'mount', { dmg: '/a.dmg' }, { 'hdiutil*': 'ok' })
    expect(answer).toEqual(['ok', expect.stringMatching(/^\/tmp\/dmg-/)])
    expect(ran[0]).toMatch(/^hdiutil attach -readonly -nobrowse -mountpoint \/tmp\/dmg-\S+ \/a\.dmg$/)
    expect((await called(macpackage, 'unmount', { mountpoint: '/m' }, { 'hdiutil detach /m': 'ok' })).answer).toBe('ok')
    const removed = await tryFunction(macpackage, 'uninstall_app', {
      args: ['/A.app'],
      others: { 'file.remove': () => true },
    })
    expect(removed).toBe(true)
    const { others } = scripted({ 'xar*': 'Error opening', '/usr/libexec/PlistBuddy*': 'org.one' })
    const host = await MemoryHost.with({ files: { '/tmp/': '', '/pkgs/one.pkg': '' } })
    expect(toPlain(await tryFunction(macpackage, 'get_mpkg_ids', { args: ['/pkgs/all.mpkg'], others, host }))).toEqual([
      'org.one',
    ])
  })
})
