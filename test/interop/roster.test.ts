// Rosters of salt-ssh against real Salt's: the same files and options must give the same targets with the same settings.
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { encodeMsgpack, fromPlain, toPlain } from '../../src/data/mod.ts'
import { rosterTargets } from '../../src/ssh/roster/mod.ts'
import { type RosterSite, rosterSite } from '../../src/ssh/roster/roster.test-support.ts'
import { fileCache, PkiKeys } from '../../src/store/mod.ts'
import { findPython, PYTHONPATH, SALT_TREE } from './salt.ts'

/** Salt before 3008 keeps its cache in other files. */
const HAS_OLD_CACHE = existsSync(join(SALT_TREE ?? '/', 'salt/roster/cloud.py'))

const SCRIPT = `
import json, sys
import salt.config, salt.roster
request = json.load(sys.stdin)
opts = salt.config.master_config(None)
opts.update(request["opts"])
answers = []
for tgt, kind in request["targets"]:
    roster = salt.roster.Roster(opts, opts["roster"])
    if opts["roster"] + ".targets" not in roster.rosters:
        answers = None
        break
    answers.append(roster.targets(tgt, kind))
json.dump(answers, sys.stdout)
`

type Target = readonly [string | string[], string]
type Answer = Record<string, Record<string, unknown>>

/** Return the targets that real Salt finds; undefined if it has no such roster. */
function realTargets(
  site: RosterSite,
  options: Record<string, unknown>,
  targets: readonly Target[],
): Answer[] | undefined {
  const opts = {
    config_dir: site.root,
    cachedir: site.path('cache'),
    pki_dir: site.path('pki'),
    conf_file: site.path('master'),
    ...options,
  }
  const env = { ...process.env, PYTHONPATH, PATH: `${site.path('bin')}:${process.env['PATH']}` }
  const input = JSON.stringify({ opts, targets })
  const run = spawnSync(findPython(), ['-W', 'ignore', '-c', SCRIPT], { env, input, encoding: 'utf8', cwd: site.root })
  expect(run.status, run.stderr).toBe(0)
  return (JSON.parse(run.stdout) as Answer[] | null) ?? undefined
}

async function ownTargets(site: RosterSite, targets: readonly Target[]): Promise<Answer[]> {
  const cache = fileCache(site.path('cache'))
  const keys = new PkiKeys(site.path('pki'))
  const answers: Answer[] = []
  for (const [tgt, kind] of targets) {
    const request = { ...site.request(fromPlain(tgt), kind), cache, keys }
    const which = request.host.which.bind(request.host)
    request.host.which = async (name) => (name === 'ansible-inventory' ? join(site.path('bin'), name) : which(name))
    const entries = await rosterTargets(request)
    answers.push(
      Object.fromEntries(entries.map(({ id, settings }) => [id, toPlain(settings) as Record<string, unknown>])),
    )
  }
  return answers
}

async function sameTargets(
  files: Record<string, string>,
  options: Record<string, unknown>,
  targets: readonly Target[],
  prepare?: (site: RosterSite) => Record<string, unknown>,
) {
  const site = rosterSite(files, options)
  const more = prepare?.(site) ?? {}
  for (const [key, value] of Object.entries(more)) site.opts.set(key, fromPlain(value))
  const real = realTargets(site, { ...options, ...more }, targets)
  if (real) expect(await ownTargets(site, targets)).toEqual(real)
  return real
}

const FLAT = `{% for n in [1, 2, 3] %}
web{{ n }}:
  host: 10.0.0.{{ n }}
  port: 222{{ n }}
  minion_opts:
    grains:
      n: {{ n }}
{% endfor %}
bare: 10.0.0.9
12: {host: h, sudo: True}
`

const TARGETS: Target[] = [
  ['*', 'glob'],
  ['web[12]', 'glob'],
  ['web1,web2', 'glob'],
  ['web(1|3)$|ba', 'pcre'],
  ['web1,bare,none', 'list'],
  [['12', 'web3'], 'list'],
  ['group', 'nodegroup'],
  ['text', 'nodegroup'],
]

describe.skipIf(SALT_TREE === undefined)('rosters', { timeout: 120_000 }, () => {
  const lists = { ssh_list_nodegroups: { group: ['web1', 'gone'], text: 'web2,bare' } }

  it('flat', async () => {
    const options = { roster: 'flat', roster_defaults: { user: 'u', port: 22 }, ...lists }
    expect(await sameTargets({ roster: FLAT }, options, TARGETS)).toBeDefined()
  })

  it('dir', async () => {
    const files = { 'd/web1': 'host: a\nport: 1\n', 'd/web2': 'port: {{ 1 + 1 }}\n', 'd/bare': 'user: x\n' }
    await sameTargets(files, { roster: 'dir', roster_domain: 'example', ...lists }, TARGETS, (site) => ({
      roster_dir: site.path('d'),
    }))
  })

  it('sshknownhosts', async () => {
    const files = { kh: 'web1 ssh-rsa A\nweb2,bare,10.0.0.1 ssh-ed25519 B\n' }
    const options = { roster: 'sshknownhosts', roster_defaults: { user: 'u' }, ...lists }
    await sameTargets(files, options, TARGETS, (site) => ({ ssh_known_hosts_file: site.path('kh') }))
  })

  it('ansible', async () => {
    const listing = {
      _meta: {
        hostvars: {
          web1: { ansible_ssh_host: 'a', ansible_ssh_port: 1, x: 1 },
          web2: { ansible_ssh_private_key_file: '/k' },
        },
      },
      all: { children: ['group', 'ungrouped'] },
      group: { hosts: ['web1', 'web2'] },
      ungrouped: { hosts: ['bare'] },
    }
    const files = { roster: '#\n', 'bin/ansible-inventory': `#!/bin/sh\ncat <<'X'\n${JSON.stringify(listing)}\nX\n` }
    const targets: Target[] = [
      ['web*', 'glob'],
      ['all', 'nodegroup'],
      ['group', 'nodegroup'],
      ['ungrouped', 'nodegroup'],
      [['web1', 'bare'], 'list'],
    ]
    await sameTargets(files, { roster: 'ansible', roster_defaults: { user: 'u' } }, targets)
  })

  it('scan', async () => {
    const options = { roster: 'scan', ssh_scan_ports: '1', ssh_scan_timeout: 1 }
    const targets: Target[] = [
      ['nothing', 'glob'],
      ['127.0.0.1/8', 'glob'],
    ]
    await sameTargets({}, options, targets)
  })

  it.skipIf(HAS_OLD_CACHE)('cache', async () => {
    const options = {
      roster: 'cache',
      roster_defaults: { user: 'u' },
      roster_order: {
        host: ['ipv6-private', 'ipv6-global', '172.16.0.0/12', 'ipv4-private', 'ipv4-public', 'local'],
        thin_dir: [{ grain: 'deep:key' }, { pillar: ['none', 'a:b'] }],
        timeout: { mine: 'net:0' },
      },
    }
    const targets: Target[] = [
      ['*', 'glob'],
      ['os:Debian', 'grain'],
      ['a:b:c', 'pillar'],
      ['10.0.0.0/8', 'ipcidr'],
      ['G@os:Debian or m3', 'compound'],
    ]
    await sameTargets({}, options, targets, (site) => {
      const cache = fileCache(site.path('cache'))
      const minions: Record<string, unknown> = {
        m1: {
          os: 'Debian',
          ipv4: ['127.0.0.1', '10.9.0.1', '10.10.0.1'],
          ipv6: ['fe80::1', '::1'],
          deep: { key: '/g' },
        },
        m2: { os: 'Arch', ipv4: ['8.8.8.8', '172.17.0.1'], ipv6: ['2a00::1'] },
        m3: { os: 'Arch', ipv4: ['127.0.0.1'], ipv6: ['fd00::1'] },
        m4: { os: 'Debian', ipv4: ['172.17.0.9', '10.0.0.1'], ipv6: [] },
      }
      for (const [id, grains] of Object.entries(minions)) {
        site.write(`pki/minions/${id}`, 'key')
        cache.bank('grains').store(id, fromPlain(grains))
        cache.bank('pillar').store(id, fromPlain({ a: { b: 'c' } }))
      }
      cache.bank('mine').store('m4', fromPlain({ net: [30] }))
      return {}
    })
  })

  it('terraform', async () => {
    const hosts = ['web1', 'bare'].map((salt_id) => ({
      attributes: { salt_id, host: 'h', port: 22, sudo: true, user: 'u' },
    }))
    const state = {
      resources: [
        { type: 'salt_host', instances: hosts },
        { type: 'other', instances: [{ attributes: {} }] },
      ],
    }
    await sameTargets({ 'x.tfstate': JSON.stringify(state) }, { roster: 'terraform', ...lists }, TARGETS, (site) => ({
      roster_file: site.path('x.tfstate'),
    }))
  })

  it('cloud', async () => {
    const files = {
      cloud: '',
      'cloud.profiles': 'small: {provider: ec2, private_key: /keys/small}\n',
      'cloud.providers':
        'ec2: {driver: ec2, private_key: /keys/ec2, ssh_username: admin, sudo: true, id: x, key: y, keyname: z, securitygroup: w}\n',
    }
    await sameTargets(
      files,
      { roster: 'cloud' },
      [
        ['*', 'glob'],
        ['vm1', 'glob'],
      ],
      (site) => {
        site.write('cloud', `cachedir: ${site.path('cc')}\nupdate_cachedir: True\n`)
        for (const [id, ips] of [
          ['vm1', ['8.8.4.4']],
          ['vm2', []],
        ] as const) {
          const file = site.write(`cc/active/ec2/ec2/${id}.p`, '')
          writeFileSync(
            file,
            encodeMsgpack(fromPlain({ profile: 'small', public_ips: ips, private_ips: ['10.0.0.4'] }), 'bus'),
          )
        }
        return {}
      },
    )
  })
})
