import { existsSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Dict, fromPlain } from '../../data/mod.ts'
import { LocalHost } from '../../host/mod.ts'
import { ensureDefaultKey, type RosterEntry, sshTarget } from './mod.ts'
import { rosterSite } from './roster.test-support.ts'

const entry = (settings: Record<string, unknown>): RosterEntry => ({
  id: 'web1',
  settings: fromPlain(settings) as Dict,
  from: 'flat roster /r',
})

describe('how a target is reached', () => {
  it('comes from the options of the master', () => {
    const site = rosterSite()
    expect(sshTarget(entry({ host: '127.0.0.1' }), site.opts)).toEqual({
      host: '127.0.0.1',
      port: 22,
      user: 'root',
      identity: site.path('pki/ssh/salt-ssh.rsa'),
      identitiesOnly: false,
      connectTimeout: 65,
      keepalive: { interval: 60, countMax: 3 },
      hostKeys: 'check',
      options: [],
      remoteForwards: [],
      tty: false,
    })
  })

  it('comes from the entry before the options', () => {
    const site = rosterSite(
      { key: '', known: '' },
      {
        ssh_user: 'no',
        ssh_port: '23',
        ssh_passwd: 'no',
        ssh_sudo: true,
        ssh_sudo_user: 'no',
        ssh_priv_passwd: 'pp',
        ssh_options: ['A=1'],
        ignore_host_keys: true,
        ssh_remote_port_forwards: '1:a:2,3:b:4',
        ssh_keepalive: false,
        ssh_identities_only: true,
      },
    )
    site.opts.set('known_hosts_file', site.path('known'))
    const own = {
      host: '[2001:db8::1]',
      user: 'deploy',
      port: '2222',
      passwd: 'pw',
      sudo: true,
      sudo_user: 'app',
      become: 'doas',
      sudo_passwd: 'spw',
      priv: site.path('key'),
      timeout: 5,
      tty: true,
      cmd_umask: '0077',
      set_path: '$PATH:/opt/bin',
      ssh_options: ['ProxyJump=gate'],
      keepalive: true,
      keepalive_interval: 10,
      ssh_config_file: '/c',
    }
    expect(sshTarget(entry(own), site.opts)).toEqual({
      host: '2001:db8::1',
      port: 2222,
      user: 'deploy',
      password: 'pw',
      identity: site.path('key'),
      passphrase: 'pp',
      identitiesOnly: true,
      connectTimeout: 5,
      keepalive: { interval: 10, countMax: 3 },
      hostKeys: 'accept',
      knownHostsFile: site.path('known'),
      configFile: '/c',
      options: ['ProxyJump=gate'],
      remoteForwards: ['1:a:2', '3:b:4'],
      tty: true,
      become: { program: 'doas', user: 'app', password: 'spw' },
      path: '$PATH:/opt/bin',
      umask: 0o77,
    })
    site.opts.set('no_host_keys', true)
    expect(sshTarget(entry({ host: 'h', sudo: false }), site.opts)).toMatchObject({
      hostKeys: 'ignore',
      user: 'no',
      port: 23,
      password: 'no',
    })
    expect(sshTarget(entry({ host: 'h', sudo: false }), site.opts)).not.toHaveProperty('become')
    expect(sshTarget(entry({ host: 'h' }), site.opts).become).toEqual({ program: 'sudo', user: 'no', password: 'no' })
    expect(sshTarget(entry({ host: 'h', priv: 'agent-forwarding' }), site.opts).identity).toBe('agent-forwarding')
  })

  it('is refused, with entry and key, where a value cannot be a word of a command line', () => {
    const { opts } = rosterSite()
    for (const [settings, why] of [
      [
        { host: '-oProxyCommand=x' },
        "Setting 'host' of 'web1' in flat roster /r cannot be used: '-oProxyCommand=x' is no name",
      ],
      [{ host: 'a b' }, "'a b' is no name"],
      [{ host: '' }, 'it is empty'],
      [{ host: 'h', user: '-l' }, "Setting 'user'"],
      [{ host: 'h', user: ['a'] }, 'it is not a text'],
      [{ host: 'h', port: 70000 }, '70000 is no port'],
      [{ host: 'h', port: 'ssh' }, "'ssh' is no number"],
      [{ host: 'h', passwd: 'secret\nx' }, "Setting 'passwd'"],
      [{ host: 'h', ssh_options: ['-v'] }, "'-v' has not the form Name=value"],
      [{ host: 'h', remote_port_forwards: '-x' }, 'has not the form'],
      [{ host: 'h', cmd_umask: '999' }, 'is no mask'],
      [{ host: 'h', become: 'pbrun' }, "'pbrun' is none of sudo, doas, su"],
      [{ host: 'h', priv: '/nosuch/key' }, "the private key '/nosuch/key' does not exist"],
      [{ host: 'h', winrm: true }, 'WinRM'],
    ] as const) {
      expect(() => sshTarget(entry(settings), opts), JSON.stringify(settings)).toThrow(why)
    }
    expect(() => sshTarget(entry({ host: 'h', passwd: 'hunter22\n' }), opts)).toThrow(/^((?!hunter22).)*$/s)
  })
})

describe('the key of salt-ssh', () => {
  it('is made when it is missing, whether the options name it or not', async () => {
    const host = new LocalHost()
    if ((await host.which('ssh-keygen')) === undefined) return
    const site = rosterSite()
    const file = site.path('pki/ssh/salt-ssh.rsa')
    site.opts.set('ssh_priv', site.path('mine'))
    await ensureDefaultKey(site.opts, host)
    expect(existsSync(file)).toBe(false)
    expect(sshTarget(entry({ host: 'h' }), site.opts)).toMatchObject({ identity: site.path('mine') })
    site.opts.delete('ssh_priv')
    await ensureDefaultKey(site.opts, host)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(existsSync(`${file}.pub`)).toBe(true)
    const made = statSync(file).mtimeMs
    await ensureDefaultKey(site.opts, host)
    expect(statSync(file).mtimeMs).toBe(made)
  })

  it('that cannot be made is a clear error', async () => {
    const site = rosterSite({ file: '' })
    site.opts.set('pki_dir', site.path('file'))
    await expect(ensureDefaultKey(site.opts, new LocalHost())).rejects.toThrow('could not generate keys')
  })
})
