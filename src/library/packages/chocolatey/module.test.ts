import { describe, expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
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
  const context = { memory: new Map<Value, Value>(Object.entries(memory)) }
  const host = await MemoryHost.with({ files: { '/tmp/': '' } })
  const answer = toPlain(await tryFunction(module, fun, { kwargs, others, host, context }))
  return { answer, ran }
}

describe('chocolatey', () => {
  const KNOWN = { 'chocolatey._path': 'choco', 'chocolatey._version': '1.4.0' }

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

  test('tells a missing value from a missing key', async () => {
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

  test('lists keys directly below, and refuses to remove what is near the root', async () => {
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
