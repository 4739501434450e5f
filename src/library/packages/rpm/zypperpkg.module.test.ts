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

  test('takes some exit codes for success and tells what others mean', async () => {
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
