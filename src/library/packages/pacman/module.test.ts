import { describe, expect, test } from 'vitest'
import apkpkg from '../apk/module.ts'
import macBrewPkg from '../brew/module.ts'
import { provider } from '../common/provider.test-support.ts'
import pkgng from '../pkgng/module.ts'
import pacmanpkg from './module.ts'

describe('pacmanpkg', () => {
  const machine = (recorded: Parameters<typeof provider>[1]['recorded']) =>
    provider(pacmanpkg, {
      grains: { os: 'Arch', os_family: 'Arch' },
      recorded: { 'pacman -Q': 'bash 5.1-1\n', ...recorded },
    })

  test('installs names, versions and the newest of a pattern', async () => {
    const { call, ran } = await machine({
      'pacman -Q': ['bash 5.1-1', 'bash 5.2-1'],
      'pacman -Sl': 'core vim 9.0\ncore vim 9.1\n',
      'pacman -S *': 'ok',
    })
    expect(await call('install', [], { pkgs: [{ vim: '9.*' }, { bash: '>=5.2' }] })).toEqual({
      bash: { old: '5.1-1', new: '5.2-1' },
    })
    expect(ran).toContain('pacman -S --noprogressbar --noconfirm --needed bash>=5.2 vim=9.1')
  })

  test('lists upgrades and the fetched repositories of a refresh', async () => {
    const { call } = await machine({
      'pacman -S -p -u*': 'downloading core.db\nbash 5.2-1\n',
      'pacman -Sy': ':: Synchronizing\n core is up to date\n downloading extra.db...\n',
    })
    expect(await call('list_upgrades')).toEqual({ bash: '5.2-1' })
    expect(await call('refresh_db')).toEqual({ core: false, extra: true })
  })
})

describe('pacmanpkg, on groups', () => {
  test('groups are listed, described and compared with what is installed', async () => {
    const { call } = await provider(pacmanpkg, {
      grains: { os: 'Arch', os_family: 'Arch' },
      recorded: {
        'pacman -Q': 'bash 5.1-1\n',
        'pacman -Sgg': 'base bash\nbase glibc\nshells zsh\n',
        'pacman -Qg': 'base bash\n',
        'pacman -Sgg base': 'base bash\nbase glibc\n',
      },
    })
    expect(await call('group_list')).toEqual({ installed: [], partially_installed: ['base'], available: ['shells'] })
    expect(await call('group_info', ['base'])).toMatchObject({ default: ['bash', 'glibc'] })
    expect(await call('group_diff', ['base'])).toMatchObject({
      default: { installed: ['bash'], 'not installed': ['glibc'] },
    })
  })
})

describe('apkpkg', () => {
  test('lists, asks for newer versions, and removes', async () => {
    const { call, ran } = await provider(apkpkg, {
      grains: { os: 'Alpine', os_family: 'Alpine' },
      recorded: {
        'apk info -v': ['busybox-1.36.1-r2\nnginx-mod-geoip-1.24.0-r7', 'busybox-1.36.1-r2'],
        'apk update': 'OK',
        'apk upgrade -s': '(1/1) Upgrading busybox (1.36.1-r2 -> 1.36.1-r5)\nOK',
        'apk del nginx-mod-geoip': 'ok',
      },
    })
    expect(await call('list_pkgs')).toEqual({ busybox: '1.36.1-r2', 'nginx-mod-geoip': '1.24.0-r7' })
    expect(await call('latest_version', ['busybox'])).toBe('1.36.1-r5')
    expect(await call('remove', ['nginx-mod-geoip'])).toEqual({})
    expect(ran).toContain('apk del nginx-mod-geoip')
  })
})

describe('pkgng', () => {
  test('lists with origins, installs with switches, and holds', async () => {
    const { call, ran } = await provider(pkgng, {
      grains: { os: 'FreeBSD', osrelease: '13.2' },
      recorded: {
        'pkg info -ao': 'bash-5.2.15 shells/bash\n',
        'pkg install*': '',
        'pkg lock -y --quiet --show-locked': '',
        'pkg lock -y --quiet --show-locked bash': 'bash-5.2.15',
        'pkg upgrade --dry-run --quiet': 'Installed packages to be UPGRADED:\n\tbash: 5.2.15 -> 5.2.21 [FreeBSD]\n',
      },
    })
    expect(await call('list_pkgs', [], { with_origin: true })).toEqual({
      bash: { origin: 'shells/bash', version: '5.2.15' },
    })
    await call('install', ['zsh'], { force: true, local: true, fromrepo: 'r' })
    expect(ran).toContain('pkg install -r r -yfU zsh')
    expect(await call('hold', ['bash'])).toMatchObject({ bash: { comment: 'Package bash is now being held.' } })
    expect(await call('list_upgrades')).toEqual({ bash: '5.2.21' })
  })
})

describe('mac_brew_pkg', () => {
  test('lists formulae by all their names, and casks', async () => {
    const formula = {
      name: 'python@3.11',
      full_name: 'python@3.11',
      aliases: ['python3'],
      installed: [{ version: '3.11.4' }],
    }
    const cask = { token: 'firefox', full_token: 'firefox', tap: 'homebrew/cask', installed: '117.0' }
    const { call, ran } = await provider(macBrewPkg, {
      grains: { os: 'MacOS', kernel: 'Darwin' },
      files: { '/opt/brew/bin/brew': { text: '', mode: 0o755 } },
      env: { HOMEBREW_PREFIX: '/opt/brew' },
      recorded: {
        '/opt/brew/bin/brew info --json=v2 --installed': JSON.stringify({ formulae: [formula], casks: [cask] }),
        '/opt/brew/bin/brew list --pinned': '',
        '/opt/brew/bin/brew pin python3': '',
        '/opt/brew/bin/brew tap': 'homebrew/core',
        '/opt/brew/bin/brew tap x/y': '',
        '/opt/brew/bin/brew install jq': { retcode: 1, stderr: 'no' },
      },
    })
    expect(await call('list_pkgs')).toMatchObject({
      python3: '3.11.4',
      'python@3.11': '3.11.4',
      'homebrew/cask/firefox': '117.0',
    })
    expect(await call('hold', ['python3'])).toMatchObject({ python3: { changes: { old: 'install', new: 'hold' } } })
    await expect(call('install', ['jq'], { taps: 'x/y' })).rejects.toThrow(
      'Brew command failed. Additional info follows',
    )
    expect(ran).toContain('/opt/brew/bin/brew tap x/y')
  })
})

describe('mac_brew_pkg, on pins', () => {
  test('packages are pinned once, below the directory of Homebrew', async () => {
    const installed =
      '{"formulae":[{"name":"git","full_name":"git","aliases":[],"installed":[{"version":"2"}]}],"casks":[]}'
    const { call, ran } = await provider(macBrewPkg, {
      grains: { os: 'MacOS', kernel: 'Darwin' },
      files: { '/usr/bin/brew': { text: '', mode: 0o755 } },
      commands: [() => ({ stdout: '/opt/homebrew\n' })],
      recorded: {
        '/opt/homebrew/bin/brew list --pinned': ['', 'git'],
        '/opt/homebrew/bin/brew info --json=v2 --installed': installed,
        '/opt/homebrew/bin/brew*': '',
      },
    })
    expect(await call('homebrew_prefix')).toBe('/opt/homebrew')
    expect(await call('pin', ['git'])).toMatchObject({ git: { comment: 'Package git is now being held.' } })
    expect(ran).toContain('/opt/homebrew/bin/brew pin git')
    expect(await call('unpin', ['git'])).toMatchObject({
      git: { result: true, changes: { new: 'install', old: 'hold' } },
    })
  })
})
