import { describe, expect, test } from 'vitest'
import { provider } from '../common/provider.test-support.ts'
import pkgng from './module.ts'

const machine = (recorded: Parameters<typeof provider>[1]['recorded'] = {}) =>
  provider(pkgng, {
    grains: { os: 'FreeBSD', osrelease: '13.2' },
    recorded: { ...recorded, 'pkg info -ao': 'bash-5.2.15 shells/bash\n', 'pkg *': 'ok' },
    files: { '/usr/local/etc/pkg.conf': '# comment\nPKG_DBDIR\t/var/db/pkg\n' },
  })

type Call = [fun: string, args: string[], options: Record<string, string | boolean>, command: string]

describe('pkgng', () => {
  test.each<Call>([
    ['refresh_db', [], { force: true, jail: '3' }, 'pkg -j 3 update -f'],
    ['update', [], {}, 'pkg update'],
    ['delete', ['bash'], {}, 'pkg delete -y bash'],
    ['remove', ['bash'], { recurse: true, dryrun: 'True' }, 'pkg delete -nR bash'],
    ['remove', ['shells/bash'], { force: 'no' }, 'pkg delete -y bash'],
    ['upgrade', ['bash'], { fetchonly: true, fromrepo: 'local' }, 'pkg upgrade -Fy bash --repository local'],
    ['upgrade', [], { dryrun: true, root: '/mnt' }, 'pkg -r /mnt upgrade -n'],
    ['stats', [], { local: true, bytes: true }, 'pkg stats -lb'],
    ['backup', ['/tmp/pkg'], {}, 'pkg backup -d /tmp/pkg'],
    ['restore', ['/tmp/pkg'], { chroot: '/c' }, 'pkg -c /c backup -r /tmp/pkg'],
    ['audit', [], {}, 'pkg audit -F'],
    ['clean', [], { clean_all: true }, 'pkg clean -ay'],
    ['autoremove', [], { dryrun: true }, 'pkg autoremove -n'],
    ['check', [], { depends: true, checksum: true }, 'pkg check -dys'],
    ['which', ['/bin/sh'], { origin: true, quiet: true }, 'pkg which -qo /bin/sh'],
    ['search', ['zsh'], { exact: true, depends: true, prefix: true }, 'pkg search -edp zsh'],
    ['fetch', ['zsh'], { fromrepo: 'r', depends: true }, 'pkg fetch -y -r r -gd zsh'],
    ['updating', ['zsh'], { filedate: '20260101' }, 'pkg updating -d 20260101 zsh'],
    ['lock', ['bash'], {}, 'pkg lock -y --quiet --show-locked bash'],
    ['unlock', ['bash'], {}, 'pkg unlock -y --quiet --show-locked bash'],
    ['list_upgrades', [], { refresh: false }, 'pkg upgrade --dry-run --quiet --no-repo-update'],
    ['version_cmp', ['1', '2'], {}, 'pkg version --test-version 1 2'],
  ])('%s%j with %j runs `%s`', async (fun, args, options, command) => {
    const { call, ran } = await machine()
    await call(fun, args, options)
    expect(ran).toContain(command)
  })

  test('check asks for a kind of check', async () => {
    const { call, ran } = await machine()
    expect(await call('check')).toBe('One of depends, recompute, checksum or checklibs must be set to True')
    expect(ran).toEqual([])
  })

  test('lists held packages, and returns whether one is held', async () => {
    const { call } = await machine({ 'pkg lock *': 'bash-5.2.15\n' })
    expect(await call('list_locked')).toEqual(['bash-5.2.15'])
    expect(await call('locked', ['bash'])).toBe(true)
    expect(await call('locked', ['zsh'])).toBe(false)
  })

  test('reads its configuration', async () => {
    const { call } = await machine()
    const config_file = '/usr/local/etc/pkg.conf'
    expect(await call('parse_config')).toEqual({ PKG_DBDIR: '/var/db/pkg\n', config_file })
    expect(await call('parse_config', ['/none'])).toBe('Unable to find /none on file system')
  })
})

test('pkgng.info is the version of a package', async () => {
  const { call } = await machine()
  expect(await call('info', ['bash'])).toBe('5.2.15')
})
