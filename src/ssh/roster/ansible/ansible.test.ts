import { describe, expect, it } from 'vitest'
import { toPlain } from '../../../data/mod.ts'
import type { RosterRequest } from '../backend.ts'
import { rosterTargets } from '../mod.ts'
import { type RosterSite, rosterSite } from '../roster.test-support.ts'
import { hostNames } from './names.ts'

/** Without Ansible, or with the program of that path in place of ansible-inventory. */
function asked(site: RosterSite, tgt: string, kind = 'glob', program?: string): RosterRequest {
  const request = { ...site.request(tgt, kind) }
  request.host.which = async (name) => (name === 'ansible-inventory' ? program : undefined)
  return request
}

const ids = async (...args: Parameters<typeof asked>) => (await rosterTargets(asked(...args))).map(({ id }) => id)

async function settings(...args: Parameters<typeof asked>): Promise<Record<string, unknown>> {
  return Object.fromEntries((await rosterTargets(asked(...args))).map((entry) => [entry.id, toPlain(entry.settings)]))
}

const ansibleSite = (files: Record<string, string>, file = 'roster') => {
  const site = rosterSite(files, { roster: 'ansible' })
  site.opts.set('roster_file', site.path(file))
  return site
}

const INI = `
; old comment
alone ansible_host=10.0.0.9 # inline
[servers]
salt.example ansible_ssh_user=ops ansible_ssh_host=127.0.0.1 ansible_ssh_port=2222 ansible_ssh_pass='pass # word' ansible_sudo_pass=1234
[desktop]
home:23 note="two words" flag=True list="[1, 'a']"
pc[01:03:2].example
[computers:children]
desktop
servers
[computers:vars]
http_port=80
greeting=hello there
[desktop:vars]
http_port = 8080
[all:vars]
site=north
`

describe('an inventory in INI form', () => {
  it('has hosts, groups, variables and ranges', async () => {
    const site = ansibleSite({ roster: INI })
    expect(await settings(site, '*')).toEqual({
      alone: { host: '10.0.0.9', minion_opts: { site: 'north' } },
      'salt.example': {
        host: '127.0.0.1',
        port: 2222,
        user: 'ops',
        passwd: 'pass # word',
        sudo: true,
        sudo_passwd: 1234,
        minion_opts: { site: 'north', http_port: 80, greeting: 'hello there' },
      },
      home: {
        host: 'home',
        port: 23,
        minion_opts: {
          site: 'north',
          http_port: 8080,
          greeting: 'hello there',
          note: 'two words',
          flag: true,
          list: [1, 'a'],
        },
      },
      'pc01.example': {
        host: 'pc01.example',
        minion_opts: { site: 'north', http_port: 8080, greeting: 'hello there' },
      },
      'pc03.example': {
        host: 'pc03.example',
        minion_opts: { site: 'north', http_port: 8080, greeting: 'hello there' },
      },
    })
    expect(site.lines).toEqual([])
  })

  it('has its groups as nodegroups', async () => {
    const site = ansibleSite({ roster: INI })
    expect(await ids(site, 'desktop', 'nodegroup')).toEqual(['home', 'pc01.example', 'pc03.example'])
    expect(await ids(site, 'computers', 'nodegroup')).toEqual(['salt.example', 'home', 'pc01.example', 'pc03.example'])
    expect(await ids(site, 'ungrouped', 'nodegroup')).toEqual(['alone'])
    expect(await ids(site, 'all', 'nodegroup')).toHaveLength(5)
    expect(await ids(site, 'nosuch', 'nodegroup')).toEqual([])
    expect(await ids(site, 'home,alone', 'list')).toEqual(['alone', 'home'])
    expect(await ids(site, 'N@desktop and not pc*', 'compound')).toEqual(['home'])
  })

  it('with a mistake names the line', async () => {
    for (const [text, why] of [
      ['a\nb[3:1]\n', ":2: 'b[3:1]' is no name of hosts: [3:1] is no range"],
      ['[g:nosuch]\nx\n', ':2: section [g:nosuch] is neither of hosts, children nor vars'],
      ['[g:vars]\nnovalue\n', ":2: 'novalue' is no variable with a value"],
      ['x[0:9999999]\n', 'is no range'],
    ] as const) {
      const site = ansibleSite({ roster: text })
      expect(await ids(site, '*')).toEqual([])
      expect(site.lines[0]).toContain(why)
    }
  })
})

describe('an inventory in YAML form', () => {
  const YAML = `
all:
  hosts:
    mail: {ansible_port: 24}
  children:
    web:
      hosts:
        web[1:2]:
          ansible_user: deploy
          ansible_become: true
          ansible_become_method: doas
          ansible_become_user: app
      vars: {tier: front}
    loop:
      children: {web: null}
`

  it('has the same', async () => {
    const site = ansibleSite({ 'hosts.yml': YAML }, 'hosts.yml')
    const web = { user: 'deploy', sudo: true, become: 'doas', sudo_user: 'app', minion_opts: { tier: 'front' } }
    expect(await settings(site, '*')).toEqual({
      mail: { host: 'mail', port: 24, minion_opts: {} },
      web1: { host: 'web1', ...web },
      web2: { host: 'web2', ...web },
    })
    expect(await ids(site, 'loop', 'nodegroup')).toEqual(['web1', 'web2'])
    site.write('roster', YAML)
    site.opts.set('roster_file', site.path('roster'))
    expect(await ids(site, '*')).toEqual(['mail', 'web1', 'web2'])
  })

  it('with a mistake names it', async () => {
    const site = ansibleSite({ 'hosts.yml': 'web:\n  hosts:\n    - a\n' }, 'hosts.yml')
    expect(await ids(site, '*')).toEqual([])
    expect(site.lines[0]).toContain("hosts.yml: hosts of group 'web' is of type list, not a map")
  })
})

describe('variables beside an inventory', () => {
  it('come in the order of Ansible', async () => {
    const site = ansibleSite({
      roster: '[a]\nh v5=host v6=host\n[a:vars]\nv1=group\nv2=group\n[b:children]\na\n[b:vars]\nv0=parent\nv1=parent\n',
      'group_vars/all.yml': 'v2: all\nv3: all\n',
      'group_vars/b/one.yaml': 'v3: b\nv4: b\n',
      'group_vars/a': 'v4: a\nv5: a\n',
      'host_vars/h.json': '{"v6": "file", "ansible_host": "10.0.0.1"}',
    })
    expect(await settings(site, 'h')).toEqual({
      h: {
        host: '10.0.0.1',
        minion_opts: { v0: 'parent', v1: 'group', v2: 'all', v3: 'b', v4: 'a', v5: 'host', v6: 'file' },
      },
    })
  })

  it('that are encrypted need Ansible', async () => {
    const site = ansibleSite({ roster: 'h\n', 'host_vars/h': '$ANSIBLE_VAULT;1.1;AES256\n6162\n' })
    expect(await ids(site, 'h')).toEqual([])
    expect(site.lines[0]).toMatch(/host_vars\/h is encrypted with Ansible Vault\. Install Ansible/)
  })
})

describe('an inventory script', () => {
  it('is queried for its list', async () => {
    const listing = {
      web: ['w1'],
      db: { hosts: ['d1'], vars: { x: 1 } },
      _meta: { hostvars: { w1: { ansible_host: '10.0.0.1' } } },
    }
    const site = ansibleSite({ roster: `#!/bin/sh\ntest "$1" = --list && cat <<'X'\n${JSON.stringify(listing)}\nX\n` })
    expect(await settings(site, '*')).toEqual({
      w1: { host: '10.0.0.1', minion_opts: {} },
      d1: { host: 'd1', minion_opts: { x: 1 } },
    })
  })

  it('without variables in its list is queried for each host', async () => {
    const site = ansibleSite({
      roster: `#!/bin/sh\nif [ "$1" = --list ]; then echo '{"g": ["a"]}'; else echo "{\\"ansible_port\\": 5, \\"n\\": \\"$2\\"}"; fi\n`,
    })
    expect(await settings(site, '*')).toEqual({ a: { host: 'a', port: 5, minion_opts: { n: 'a' } } })
  })

  it('that fails is an error', async () => {
    for (const [script, why] of [
      ['#!/bin/sh\necho broken >&2; exit 3\n', '--list: broken'],
      ['#!/bin/sh\necho nope\n', 'its answer is no JSON'],
      ['#!/bin/sh\necho "[1]"\n', 'lists a value of type list, not groups'],
    ] as const) {
      const site = ansibleSite({ roster: script })
      expect(await ids(site, '*')).toEqual([])
      expect(site.lines[0]).toContain(why)
    }
  })
})

describe('ansible-inventory', () => {
  it('reads the inventory where it is installed', async () => {
    const site = ansibleSite({
      roster: '# read by ansible-inventory only\n',
      'bin/inventory': `#!/bin/sh
test "$1 $3" = "-i --list" && cat <<'X'
{"_meta": {"hostvars": {"app1": {"ansible_ssh_host": "127.0.0.1", "ansible_ssh_port": 2222, "http_port": 80}}},
 "all": {"children": ["apps", "ungrouped"]}, "apps": {"hosts": ["app1", "app2"]}, "ungrouped": {"hosts": ["old1"]}}
X
`,
      'host_vars/app1': 'http_port: 81\n',
    })
    const program = site.path('bin/inventory')
    expect(await settings(site, 'app*', 'glob', program)).toEqual({
      app1: { host: '127.0.0.1', port: 2222, minion_opts: { http_port: 80 } },
      app2: { host: 'app2', minion_opts: {} },
    })
    expect(await ids(site, 'ungrouped', 'nodegroup', program)).toEqual(['old1'])
    expect(await ids(site, 'app1,old1', 'list', program)).toEqual(['app1', 'old1'])
    expect(await ids(site, '*')).toEqual([])
  })
})

describe('names of hosts', () => {
  it('may have ranges and ports', () => {
    expect(hostNames('web[08:10].x:22')).toEqual({ hosts: ['web08.x', 'web09.x', 'web10.x'], port: 22 })
    expect(hostNames('db[a:c][1:2]').hosts).toEqual(['dba1', 'dba2', 'dbb1', 'dbb2', 'dbc1', 'dbc2'])
    expect(hostNames('[2001:db8::1]:2222')).toEqual({ hosts: ['2001:db8::1'], port: 2222 })
    expect(hostNames('2001:db8::1')).toEqual({ hosts: ['2001:db8::1'] })
  })
})
