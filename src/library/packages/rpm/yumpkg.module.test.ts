import { describe, expect, test } from 'vitest'
import { provider } from '../common/provider.test-support.ts'
import lowpkg from './rpm_lowpkg.module.ts'
import yumpkg from './yumpkg.module.ts'

const QUERY =
  'rpm -qa --nodigest --nosignature --queryformat %{NAME}_|-%{EPOCH}_|-%{VERSION}_|-%{RELEASE}_|-%{ARCH}_|-(none)_|-%{INSTALLTIME}\n'
const INSTALLED = [
  'bash_|-(none)_|-5.1.8_|-6.el9_|-x86_64_|-(none)_|-1686135312',
  'perl_|-4_|-5.32.1_|-480.el9_|-x86_64_|-(none)_|-1686135313',
  'glibc_|-(none)_|-2.34_|-60.el9_|-i686_|-(none)_|-1686135313',
  'vim_|-2_|-8.2_|-1_|-noarch_|-(none)_|-0',
  'python3-dnf-plugin-versionlock_|-(none)_|-4_|-1_|-noarch_|-(none)_|-7',
].join('\n')
const HTTPD = 'httpd_|-(none)_|-2.4.57_|-5.el9_|-x86_64_|-(none)_|-1700000000'
const REPO =
  '# head\n[base]\nname=Base\nbaseurl=http://b/\n# note\nenabled=1\n\n[extra]\nname=Extra\nmirrorlist=http://m/\n'

const machine = (recorded: Parameters<typeof provider>[1]['recorded'] = {}) =>
  provider(yumpkg, {
    grains: { os: 'CentOS', os_family: 'RedHat', osarch: 'x86_64', osmajorrelease: 9 },
    files: { '/usr/bin/dnf': { text: '', mode: 0o755 }, '/etc/yum.repos.d/a.repo': REPO, '/etc/yum.conf': '[main]\n' },
    beside: { lowpkg },
    recorded: {
      [QUERY]: INSTALLED,
      'dnf versionlock list': 'vim-2:8.2-1.*\n',
      'dnf --quiet --assumeyes clean expire-cache': '',
      'dnf --quiet --assumeyes check-update': { retcode: 100, stdout: 'x' },
      ...recorded,
    },
  })

describe('yumpkg', () => {
  test('lists packages with epoch, release and foreign architecture', async () => {
    const { call } = await machine()
    expect(await call('list_pkgs')).toMatchObject({
      bash: '5.1.8-6.el9',
      perl: '4:5.32.1-480.el9',
      'glibc.i686': '2.34-60.el9',
    })
    expect(await call('version', ['bash'])).toBe('5.1.8-6.el9')
  })

  test('returns versions newer than the installed ones', async () => {
    const available = 'Available Packages\nbash.x86_64 5.1.8-9.el9 baseos\nperl.x86_64 4:5.32.1-480.el9 base\n'
    const { call } = await machine({ 'dnf --quiet list available bash perl nope': available })
    expect(await call('latest_version', ['bash', 'perl', 'nope'])).toEqual({ bash: '5.1.8-9.el9', perl: '', nope: '' })
  })

  test('installs and reports what changed', async () => {
    const { call, ran } = await machine({
      [QUERY]: [INSTALLED, `${INSTALLED}\n${HTTPD}`],
      'dnf -y --best --allowerasing install httpd': 'Complete!',
    })
    expect(await call('install', ['httpd'])).toEqual({ httpd: { old: '', new: '2.4.57-5.el9' } })
    expect(ran).toContain('dnf -y --best --allowerasing install httpd')
  })

  test.each<[string, Record<string, string | boolean>, string]>([
    ['an older version is a downgrade', { version: '5.0-1' }, 'dnf -y downgrade bash-5.0-1'],
    ['a newer one is an install', { version: '5.2-1' }, 'dnf -y --best --allowerasing install bash-5.2-1'],
    ['the same is installed anew', { reinstall: true }, 'dnf -y reinstall bash'],
  ])('%s', async (_, kwargs, line) => {
    const { call, ran } = await machine({ 'dnf -y*': 'done' })
    await call('install', ['bash'], kwargs)
    expect(ran).toContain(line)
  })

  test('leaves held packages alone, or unholds them for the time', async () => {
    const { call, ran } = await machine({
      'dnf -y*': 'done',
      'dnf versionlock delete vim': '',
      'dnf versionlock add vim': '',
    })
    await expect(call('install', ['vim'])).rejects.toThrow('could not be updated because they are being held: vim.')
    await call('install', ['vim'], { update_holds: true })
    expect(ran).toContain('dnf versionlock delete vim')
  })

  test('carries errors and changes of a failed install', async () => {
    const { call } = await machine({ 'dnf -y --best --allowerasing install nope': { retcode: 1, stdout: 'No match' } })
    await expect(call('install', ['nope'])).rejects.toThrow(
      'Error occurred installing package(s). Additional info follows:\n\nchanges:\n    ----------\nerrors:\n    - No match',
    )
  })

  test('holds packages and says which were held', async () => {
    const { call } = await machine({ 'dnf versionlock add bash': 'ok' })
    expect(await call('hold', [], { pkgs: ['bash', 'vim'] })).toMatchObject({
      bash: { result: true, comment: 'Package bash is now being held.', changes: { new: 'hold', old: '' } },
      vim: { result: true, comment: 'Package vim is already set to be held.', changes: {} },
    })
  })

  test('reads, makes, changes and removes repositories', async () => {
    const { call, host } = await machine()
    expect(await call('get_repo', ['base'])).toEqual({
      name: 'Base',
      baseurl: 'http://b/',
      enabled: '1',
      comments: ['note'],
    })
    await call('mod_repo', ['new'], { name: 'New', baseurl: 'http://n/', gpgcheck: true })
    const read = async (path: string) => Buffer.from(await host.read(path)).toString()
    expect(await read('/etc/yum.repos.d/new.repo')).toBe('[new]\nname=New\nbaseurl=http://n/\ngpgcheck=1\n\n')
    await call('mod_repo', ['base'], { mirrorlist: 'http://m/' })
    expect(await read('/etc/yum.repos.d/a.repo')).toMatch(
      /^# head\n\[base\]\nname=Base\nenabled=1\nmirrorlist=http:\/\/m\/\n# note\n/,
    )
    expect(await call('del_repo', ['extra'])).toBe('Repo extra has been removed from /etc/yum.repos.d/a.repo')
    expect(await call('del_repo', ['new'])).toBe('File /etc/yum.repos.d/new.repo containing repo new has been removed')
    await expect(call('mod_repo', ['nope'])).rejects.toThrow('but a name was not given')
  })

  test('takes groups apart', async () => {
    const info =
      'Group: Perl Support\n Group-Id: perl\n Mandatory Packages:\n   +perl\n Default Packages:\n   perl-homedir\n'
    const { call } = await machine({ 'dnf --quiet groupinfo Perl Support': info })
    expect(await call('group_diff', ['Perl Support'])).toMatchObject({
      mandatory: { installed: ['perl'], 'not installed': [] },
      default: { installed: [], 'not installed': ['perl-homedir'] },
    })
  })
})

describe('rpm_lowpkg', () => {
  test('returns facts, changed files, and owners', async () => {
    const { call } = await provider(lowpkg, {
      grains: { os_family: 'RedHat', osarch: 'x86_64' },
      recorded: {
        'rpm --querytags': 'LONGSIZE',
        'rpm -q bash*':
          'name: bash\nversion: 5.1\nrelease: 6\nbuild_date: 1686135312\nedition: 5.1-6\ndescription:\nThe shell\n-----\n',
        'rpm -V bash': { retcode: 1, stdout: 'S.5....T.  c /etc/bashrc\nmissing     /usr/bin/x\n' },
        'rpm -qf --queryformat %{name} /bin/bash': 'bash',
        'rpm -qf --queryformat %{name} /x': 'file /x is not owned by any package',
      },
    })
    expect(await call('info', ['bash'])).toEqual({
      bash: { version: '5.1', release: '6', build_date: '2023-06-07T10:55:12Z', description: 'The shell' },
    })
    expect(await call('verify', ['bash'])).toEqual({
      '/etc/bashrc': { mismatch: ['size', 'md5sum', 'mtime'], type: 'config' },
      '/usr/bin/x': { missing: true },
    })
    expect(await call('owner', ['/bin/bash', '/x'])).toEqual({ '/bin/bash': 'bash', '/x': '' })
    expect(await call('version_cmp', ['1.0~rc1', '1.0'])).toBe(-1)
  })
})

describe('yumpkg, on groups, patches, updates and files', () => {
  const GROUPS =
    'Available Environment Groups:\n   Server\nInstalled Groups:\n   Core\nAvailable Groups:\n   Tools\nAvailable Language Groups:\n   German [de]\nDone\n'
  const TOOLS =
    '\nGroup: Tools\n Group-Id: tools\n Description: Handy\n Mandatory Packages:\n   =bash\n Optional Packages:\n   zsh\n'

  test('groups are listed and described', async () => {
    const { call } = await machine({ 'dnf grouplist hidden': GROUPS, 'dnf --quiet groupinfo Tools': TOOLS })
    expect(await call('group_list')).toEqual({
      ...{ installed: ['Core'], available: ['Tools'], 'installed environments': [] },
      ...{
        'available environments': ['Server'],
        'available languages': { 'German [de]': { name: 'German', language: 'de' } },
      },
    })
    expect(await call('group_info', ['Tools'])).toMatchObject({
      ...{ mandatory: ['bash'], optional: ['zsh'], type: 'package group', group: 'Tools', id: 'tools' },
    })
  })

  test('patches are listed, and the installed ones of them', async () => {
    const patches = 'i RHSA-1 Important/Sec. bash-5-1.x86_64\n  RHBA-2 bugfix zsh-5-2.noarch\n'
    const { call } = await machine({ 'dnf --quiet updateinfo list all': patches })
    expect(await call('list_patches')).toEqual({
      'RHSA-1': { installed: true, summary: ['bash-5-1.x86_64'] },
      'RHBA-2': { installed: false, summary: ['zsh-5-2.noarch'] },
    })
    expect(Object.keys((await call('list_installed_patches')) as object)).toEqual(['RHSA-1'])
  })

  test('updates are listed and installed, and metadata is thrown away', async () => {
    const { call, ran } = await machine({
      'dnf --quiet list --upgrades': 'Available Upgrades\nbash.x86_64 5.1.8-9.el9 baseos\n',
      [QUERY]: [INSTALLED, INSTALLED.replace('5.1.8_|-6.el9', '5.1.8_|-9.el9')],
      'dnf --quiet*': '',
      'dnf -y*': 'Complete!',
    })
    expect(await call('list_updates')).toEqual({ bash: '5.1.8-9.el9' })
    expect(await call('update')).toEqual({ bash: { old: '5.1.8-6.el9', new: '5.1.8-9.el9' } })
    await call('clean_metadata')
    expect(ran[0]).toBe('dnf --quiet --assumeyes clean expire-cache')
  })

  test('locked packages, and the state of package files, are listed', async () => {
    const { call } = await machine({
      'rpm -Va bash': { retcode: 1, stdout: 'S.5....T.  c /etc/bashrc' },
      'rpm -qf --queryformat %{name} /etc/bashrc': 'bash',
    })
    expect(await call('list_holds', [], { full: false })).toEqual(['vim'])
    expect(await call('get_locked_packages')).toEqual(['vim-2:8.2-1.*'])
    expect(await call('modified', ['bash'])).toEqual({ '/etc/bashrc': ['size', 'checksum', 'time', 'config'] })
    await expect(call('download', ['bash'])).rejects.toThrow("'yumdownloader' command not available")
    await expect(call('diff', ['/etc/bashrc'])).rejects.toThrow("'yumdownloader' command not available")
  })

  test('rpm_lowpkg finds changed files and checks package files', async () => {
    const { call, ran } = await provider(lowpkg, {
      grains: { os_family: 'RedHat' },
      files: { '/tmp/a.rpm': 'x' },
      recorded: {
        'rpm -Va bash': { retcode: 1, stdout: 'S.5....T.  c /etc/bashrc\nmissing     /usr/bin/x' },
        'rpm -K --quiet /tmp/a.rpm': '',
        'rpm2cpio*': '--- A /etc/bashrc\n+++ B /etc/bashrc\n',
      },
    })
    expect(await call('modified', ['bash'])).toMatchObject({ '/etc/bashrc': ['size', 'checksum', 'time', 'config'] })
    expect(await call('checksum', ['/tmp/a.rpm', '/tmp/none.rpm'])).toEqual({
      '/tmp/a.rpm': true,
      '/tmp/none.rpm': false,
    })
    expect(await call('diff', ['/tmp/a b.rpm', '/etc/x y'])).toContain('+++ B')
    expect(ran[0]).toContain("rpm2cpio '/tmp/a b.rpm' | cpio -i --quiet --to-stdout './etc/x y'")
  })
})
