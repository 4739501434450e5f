import { homedir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { rosterSite } from './roster.test-support.ts'

describe('the sshconfig roster', () => {
  const site = (config: string) => {
    const made = rosterSite({ ssh_config: config }, { roster: 'sshconfig' })
    made.opts.set('ssh_config_file', made.path('ssh_config'))
    return made
  }

  it('has a target for each name of a Host line, with its own host', async () => {
    const made = site(`# comment
Host edge1
  HostName 127.0.0.1
  User root
  Port 2222
  IdentityFile ~/keys/other

Host edge2 edge3
  port=2223

Host edge*
  User ops # not for edge1
Host *.example !box.example
  User nobody
Host box.example
`)
    const ssh_config_file = made.path('ssh_config')
    expect(await made.settings('*')).toEqual({
      edge1: { host: 'edge1', user: 'root', port: '2222', priv: `${homedir()}/keys/other`, ssh_config_file },
      edge2: { host: 'edge2', port: '2223', user: 'ops', ssh_config_file },
      edge3: { host: 'edge3', port: '2223', user: 'ops', ssh_config_file },
      'box.example': { host: 'box.example', ssh_config_file },
    })
    expect(await made.ids('edge[12]')).toEqual(['edge1', 'edge2'])
    expect(await made.ids('edge.', 'pcre')).toEqual(['edge1', 'edge2', 'edge3'])
    expect(await made.ids('edge1,edge2', 'list')).toEqual(['edge1', 'edge2'])
  })

  it('reads included files and skips Match blocks', async () => {
    const made = site('')
    made.write('inc/one', 'User before\nHost inner\n  Port 1\nMatch user x\n  Port 2\n')
    made.write('ssh_config', `Host outer\n  Include ${made.root}/inc/*\n  Port 3\nMatch host *\n  User never\n`)
    expect(await made.settings('*')).toMatchObject({
      outer: { host: 'outer', user: 'before', port: '3' },
      inner: { host: 'inner', port: '1' },
    })
    expect((await made.settings('inner'))['inner']).not.toHaveProperty('user')
  })

  it('ends at an include of itself', async () => {
    const made = site('')
    made.write('ssh_config', `Host a\nInclude ${made.root}/ssh_config\n`)
    expect(await made.ids('*')).toEqual([])
    expect(made.lines[0]).toContain('is included too deeply')
  })

  it('may be missing', async () => {
    const made = rosterSite({}, { roster: 'sshconfig', ssh_config_file: '/nosuch/config' })
    expect(await made.ids('edge*')).toEqual([])
    expect(made.lines).toEqual(["error Can't access roster for backend sshconfig: Cannot find SSH config file"])
  })
})

describe('the sshknownhosts roster', () => {
  const site = (text: string) => {
    const made = rosterSite({ kh: text }, { roster: 'sshknownhosts', roster_defaults: { user: 'u' } })
    made.opts.set('ssh_known_hosts_file', made.path('kh'))
    return made
  }

  it('has a target for each name', async () => {
    const made = site(`# comment
127.0.0.1 ssh-ed25519 AAAA
localhost,nosuch.invalid ssh-ed25519 AAAA comment
[gate.example]:2222,[2001:db8::1]:22 ssh-rsa AAAA
@revoked old.example ssh-rsa AAAA
@cert-authority *.example ssh-rsa AAAA
|1|F1E1KeoE/eEWhi10WpGv4OdiO6Y=|3988QV0VE8wmZL7suNrYQLITLCg= ssh-rsa AAAA
|1|F1E1KeoE/eEWhi10WpGv4OdiO6Y=|3988QV0VE8wmZL7suNrYQLITLCh= ssh-rsa AAAA
`)
    expect(await made.settings('*')).toEqual({
      '127.0.0.1': { user: 'u', host: '127.0.0.1' },
      localhost: { user: 'u', host: 'localhost' },
      'nosuch.invalid': { user: 'u', host: 'nosuch.invalid' },
      'gate.example:2222': { user: 'u', host: 'gate.example', port: 2222 },
      '2001:db8::1:22': { user: 'u', host: '2001:db8::1', port: 22 },
    })
    expect(made.lines).toEqual([`info ${made.path('kh')} has 2 hashed names, which cannot be targets`])
    expect(await made.ids('127.0.0.1,localhost', 'list')).toEqual(['127.0.0.1', 'localhost'])
  })

  it('skips a line with too few fields', async () => {
    const made = site('127.0.0.1 ssh-ed25519 AAAA\nshortline\n')
    expect(await made.ids('*')).toEqual(['127.0.0.1'])
    expect(made.lines).toEqual(['warning Not enough fields found in known_hosts in line : shortline'])
  })

  it('may be missing', async () => {
    const made = rosterSite({}, { roster: 'sshknownhosts', ssh_known_hosts_file: '/nosuch/kh' })
    expect(await made.ids('*')).toEqual([])
    expect(made.lines).toEqual([
      "error Can't access roster for backend sshknownhosts: Cannot find SSH known_hosts file",
    ])
  })
})
