import { describe, expect, test } from 'vitest'
import { provider } from '../common/provider.test-support.ts'
import lowpkg from './rpm_lowpkg.module.ts'
import zypperpkg from './zypperpkg.module.ts'

const QUERY = 'rpm -qa --queryformat %{NAME}_|-%{EPOCH}_|-%{VERSION}_|-%{RELEASE}_|-%{ARCH}_|-(none)_|-%{INSTALLTIME}\n'
const BASH = 'bash_|-(none)_|-5.1_|-6_|-x86_64_|-(none)_|-1686135312'
const ZSH = 'zsh_|-(none)_|-5.8_|-1_|-x86_64_|-(none)_|-1700000000'
const ZYPPER = 'zypper --non-interactive'
const XML = `${ZYPPER} --xmlout --no-refresh`
const stream = (inner: string): string => `<?xml version="1.0"?>\n<stream>${inner}</stream>\n`
const INFO =
  'Information for package bash:\n---\nName : bash\nVersion : 5.1-9\nStatus : out-of-date (version 5.1-6 installed)\n'

const machine = (recorded: Parameters<typeof provider>[1]['recorded'] = {}) =>
  provider(zypperpkg, {
    grains: { os_family: 'Suse', osarch: 'x86_64' },
    files: {
      '/etc/zypp/repos.d/oss.repo': '[oss]\nname=OSS\nenabled=1\nbaseurl=http://o/\ntype=NONE\n',
      '/etc/zypp/locks': '\ntype: package\nmatch_type: glob\nsolvable_name: vim\n\n',
    },
    beside: { lowpkg },
    recorded: { [QUERY]: BASH, ...recorded },
  })

describe('zypperpkg', () => {
  test('lists packages, newer ones and repositories', async () => {
    const update = '<update-list><update kind="package" name="bash" edition="5.1-9"/></update-list>'
    const { call } = await machine({
      [`${ZYPPER} refresh --force`]: "Repository 'oss' is up to date.\nBuilding repository 'upd' cache [...done]\n",
      [`${ZYPPER} --no-refresh info -t package bash`]: INFO,
      [`${XML} list-updates`]: stream(update),
    })
    expect(await call('list_pkgs')).toEqual({ bash: '5.1-6' })
    expect(await call('refresh_db')).toEqual({ oss: false, upd: true })
    expect(await call('latest_version', ['bash'])).toBe('5.1-9')
    expect(await call('list_upgrades', [false])).toEqual({ bash: '5.1-9' })
    expect(await call('get_repo', ['oss'])).toEqual({
      name: 'OSS',
      enabled: true,
      baseurl: 'http://o/',
      type: null,
      alias: 'oss',
    })
  })

  test('installs, and again with force what zypper calls lower', async () => {
    const lower = "The selected package 'zsh-5.8' from repository 'oss' has lower version than the installed one."
    const { call, ran } = await machine({
      [QUERY]: [BASH, `${BASH}\n${ZSH}`],
      [`${ZYPPER} --no-refresh install*`]: lower,
    })
    expect(await call('install', [], { pkgs: [{ zsh: '5.8' }] })).toEqual({ zsh: { old: '', new: '5.8-1' } })
    expect(ran).toContain(`${ZYPPER} --no-refresh install --auto-agree-with-licenses --name zsh=5.8`)
    expect(ran).toContain(`${ZYPPER} --no-refresh install --auto-agree-with-licenses --name --force zsh-5.8`)
  })

  test('treats some exit codes as success and reports the meaning of others', async () => {
    const { call } = await machine({
      [`${ZYPPER} --no-refresh install*`]: { retcode: 104, stdout: "No provider of 'bad' found." },
      'rpm -q --qf*': '',
      [`${ZYPPER} --no-refresh remove bash`]: { retcode: 102, stdout: '' },
    })
    await expect(call('install', ['bad'])).rejects.toThrow("Zypper command failure: No provider of 'bad' found.")
    expect(await call('remove', ['bash'])).toEqual({})
  })

  test('holds packages by locks', async () => {
    const { call, ran } = await machine({ [`${ZYPPER} --no-refresh al*`]: '', [`${ZYPPER} --no-refresh rl*`]: '' })
    expect(await call('hold', [], { pkgs: [{ bash: '5' }, 'vim'] })).toMatchObject({
      bash: { comment: 'Package bash is now being held.' },
      vim: { comment: 'Package vim is already set to be held.' },
    })
    expect(ran).toEqual([`${ZYPPER} --no-refresh al bash=5`])
    expect(await call('unhold', ['vim'])).toMatchObject({ vim: { comment: 'Package vim is no longer held.' } })
  })
})

describe('zypperpkg, with repositories and packages', () => {
  const solvables = (kind: string): string =>
    stream(
      `<search-result><solvable-list><solvable status="installed" name="a" summary="A" kind="${kind}" edition="1-1" arch="x86_64"/>` +
        `<solvable status="not-installed" name="b" summary="B" kind="${kind}" edition="2-1" arch="x86_64"/></solvable-list></search-result>`,
    )

  test('patterns, patches, products and packages are searched', async () => {
    const product =
      '<product-list><product name="openSUSE" version="15.4" isbase="true" installed="true"><endoflife time_t="0"/></product></product-list>'
    const { call } = await machine({
      [`${XML} se -t pattern`]: solvables('pattern'),
      'rpm -q --provides --whatprovides pattern()': 'pattern() = a\npattern-visible()\n',
      [`${XML} se -t patch`]: solvables('patch'),
      [`${XML} --disable-repositories products -i`]: stream(product),
      [`${XML} search bash`]: solvables('package'),
    })
    expect(await call('list_patterns')).toEqual({
      a: { installed: true, summary: 'A' },
      b: { installed: false, summary: 'B' },
    })
    expect(Object.keys((await call('list_installed_patterns')) as object)).toEqual(['a'])
    expect(await call('list_patches')).toMatchObject({ a: { installed: true }, b: { installed: false } })
    expect(Object.keys((await call('list_installed_patches')) as object)).toEqual(['a'])
    expect(await call('list_products')).toMatchObject([{ name: 'openSUSE', version: '15.4', isbase: true }])
    expect(await call('search', ['bash'])).toMatchObject({ a: { summary: 'A' }, b: { summary: 'B' } })
  })

  test('updates and facts of available packages are listed', async () => {
    const update = '<update-list><update kind="package" name="bash" edition="5.1-9"/></update-list>'
    const { call } = await machine({
      [`${XML} list-updates`]: stream(update),
      [`${ZYPPER} refresh --force`]: '',
      [`${ZYPPER} --no-refresh info -t package bash`]: INFO,
    })
    expect(await call('list_updates', [false])).toEqual({ bash: '5.1-9' })
    expect(await call('info_available', ['bash'])).toMatchObject({ bash: { version: '5.1-9' } })
  })

  test('locks are listed and cleaned', async () => {
    const { call } = await machine({
      [`${XML} search*`]: stream(''),
      [`${XML} cl`]: stream('<message type="info">Removed 1 lock.</message>'),
    })
    expect(await call('list_holds')).toEqual([])
    expect(await call('list_locks')).toEqual({ vim: { type: 'package', match_type: 'glob' } })
    expect(await call('clean_locks')).toMatchObject({ removed: '1' })
  })

  test('packages are downloaded, and capabilities resolved to names', async () => {
    const file =
      '<download-result><solvable><kind>package</kind><name>bash</name></solvable><repository name="OSS" alias="oss"/><localfile path="/c/bash.rpm"/></download-result>'
    const { call } = await machine({
      [`${XML} download bash`]: stream(file),
      'rpm -K --quiet /c/bash.rpm': '',
      'rpm -qa --queryformat %{PROVIDES}_|-%{NAME}\n': 'sh_|-bash\n',
      'rpm -Va bash': '',
      'rpm -qf --queryformat %{name} /etc/bashrc': 'bash',
      'rpm2cpio*': '+ new',
    })
    expect(await call('download', ['bash'])).toEqual({
      bash: { 'repository-name': 'OSS', 'repository-alias': 'oss', path: '/c/bash.rpm' },
    })
    expect(await call('list_provides')).toEqual({ sh: ['bash'] })
    expect(await call('resolve_capabilities', [['bash']])).toEqual(['bash'])
    expect(await call('modified', ['bash'])).toEqual({})
    expect(await call('diff', ['/etc/bashrc'])).toEqual({ '/etc/bashrc': '+ new' })
  })
})
