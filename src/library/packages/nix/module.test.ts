import { describe, expect, test } from 'vitest'
import { MemoryHost } from '../../../host/mod.ts'
import { provider } from '../common/provider.test-support.ts'
import nixpkg from './module.ts'

const BIN = '/root/.nix-profile/bin'
const PROFILE = JSON.stringify({
  elements: {
    git: { storePaths: ['/nix/store/3v7c-git-2.44.1-doc', '/nix/store/9f2a-git-2.44.1'] },
    hello: { storePaths: ['/nix/store/1abc-hello-2.12.1'] },
    own: { storePaths: ['/nix/store/5xyz-own'] },
  },
  version: 3,
})
const search = (versions: Record<string, string>): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(versions).map(([name, version]) => [`legacyPackages.x86_64-linux.${name}`, { version }]),
    ),
  )

const machine = (recorded: Parameters<typeof provider>[1]['recorded'] = {}) =>
  provider(nixpkg, {
    grains: { os: 'NixOS' },
    opts: { user: 'root' },
    recorded: {
      [`${BIN}/nix profile list --json`]: PROFILE,
      [`${BIN}/nix search nixpkgs --json -- hello`]: search({ 'hello-cpp': '1.0', hello: '2.12.2' }),
      [`${BIN}/nix search nixpkgs --json -- git`]: search({ git: '2.44.1' }),
      [`${BIN}/nix search nixpkgs --json -- own`]: '{}',
      ...recorded,
      [`${BIN}/*`]: 'ok',
    },
  })

describe('nixpkg', () => {
  test('lists the packages of the profile with their versions', async () => {
    const { call } = await machine()
    expect(await call('list_pkgs')).toEqual({ git: '2.44.1', hello: '2.12.1', own: 'unknown' })
    expect(await call('version', ['git'])).toBe('2.44.1')
  })

  test('lists newer versions', async () => {
    const { call } = await machine()
    expect(await call('latest_version', ['hello', 'git'])).toEqual({ hello: '2.12.2', git: '' })
    expect(await call('available_version', ['hello'])).toBe('2.12.2')
    expect(await call('list_upgrades')).toEqual({ hello: '2.12.2' })
  })

  test.each<[string, unknown[], Record<string, unknown>, string]>([
    ['install', ['vim'], {}, 'nix profile install -- nixpkgs#vim'],
    [
      'install',
      [],
      { pkgs: ['vim', 'github:NixOS/nixpkgs#jq'] },
      'nix profile install -- nixpkgs#vim github:NixOS/nixpkgs#jq',
    ],
    ['remove', ['git'], {}, 'nix profile remove -- git'],
    ['uninstall', ['git', 'none'], {}, 'nix profile remove -- git'],
    ['upgrade', [], { refresh: false }, 'nix profile upgrade --all'],
    ['upgrade', ['git'], { refresh: false }, 'nix profile upgrade -- git'],
    ['refresh_db', [], {}, 'nix flake prefetch nixpkgs'],
    ['collect_garbage', [], {}, 'nix-collect-garbage --delete-old'],
  ])('%s%j with %j runs `%s`', async (fun, args, kwargs, command) => {
    const { call, ran } = await machine()
    await call(fun, args as string[], kwargs as Record<string, string>)
    expect(ran).toContain(`${BIN}/${command}`)
  })

  test('runs nothing for a missing package', async () => {
    const { call, ran } = await machine()
    expect(await call('remove', ['none'])).toEqual({})
    expect(ran.filter((line) => line.includes('remove'))).toEqual([])
  })

  test("a failure contains Nix's error", async () => {
    const { call } = await machine({ [`${BIN}/nix profile install *`]: { retcode: 1, stderr: 'error: no flake' } })
    await expect(call('install', ['vim'])).rejects.toThrow('Problem encountered installing package(s)')
  })

  test('serves where the profile of the user has Nix', async () => {
    const joe = { name: 'joe', uid: 7, gid: 7, gecos: '', home: '/home/joe', shell: '/bin/sh' }
    const place = async (files: Record<string, string>, user = 'joe') => {
      const host = await MemoryHost.with({ files, users: [joe] as never })
      return nixpkg.when!({ host, opts: new Map([['nix.user', user]]), grains: new Map() } as never)
    }
    const bin = '/home/joe/.nix-profile/bin'
    expect(await place({ [`${bin}/nix`]: '', [`${bin}/nix-collect-garbage`]: '' })).toBe(true)
    expect(await place({})).toContain('cannot be found or are not installed')
    expect(await place({}, 'nobody')).toBe("There is no user 'nobody'")
  })
})
