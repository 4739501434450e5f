// Configuration files that are templates, read by the real renderer and by the built programs: the printed vault.conf, gitfs.conf and
// aws.conf of the guide. A module of the site stands in for the secrets of a Vault.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { effectiveOptions } from '../../src/config/effective.ts'
import { masterConfig, minionConfig, readCloudFiles } from '../../src/config/mod.ts'
import { toPlain } from '../../src/data/mod.ts'
import { renderConfig } from '../../src/minion/mod.ts'
import { configure } from './seeds.ts'

const DIST = process.env['LIVE_DIST'] ?? join(import.meta.dirname, '../../dist')
const ENV = { VAULT_ROLE_ID: 'role-of-the-master', VAULT_SECRET_ID: 'hemlock-seven' }

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-templates-'))
  Object.assign(process.env, ENV)
})
afterEach(() => {
  rmSync(root, { recursive: true })
  for (const name of Object.keys(ENV)) delete process.env[name]
})

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
    chmodSync(join(root, name), 0o644)
  }
}

const VAULT = `export function read_secret(path) {
  const role = this.opts.get('vault')?.get('auth').get('role_id')
  if (role !== 'role-of-the-master') throw new Error('The vault is not configured')
  return \`foxglove-\${path.split('/').pop()}\`
}
`

/** Write the configuration of a master with its own module `vault`, and return its path. */
function site(): string {
  write({ 'etc/master': `root_dir: ${root}\nmodule_dirs: [${root}/own]\n`, 'own/modules/vault.mjs': VAULT })
  mkdirSync(join(root, 'etc/master.d'))
  return join(root, 'etc/master')
}

function run(program: string, ...words: string[]) {
  return spawnSync(process.execPath, [join(DIST, `${program}.js`), '-c', join(root, 'etc'), ...words], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: root, ...ENV },
  })
}

describe('the printed files of the guide', () => {
  test('gitfs.conf gets its password by vault.conf, which comes after it', async () => {
    const path = site()
    for (const file of ['gitfs.conf', 'vault.conf']) {
      configure('', 'guide', `etc/salt/master.d/${file}`, join(root, 'etc/master.d'))
    }
    const opts = await masterConfig({ path, render: renderConfig })
    expect(toPlain(opts)).toMatchObject({
      gitfs_password: 'foxglove-token',
      gitfs_user: 'git',
      vault: {
        url: 'https://vault.example.com:8200',
        auth: { method: 'approle', role_id: ENV.VAULT_ROLE_ID, secret_id: ENV.VAULT_SECRET_ID },
        policies: ['saltstack'],
        metadata: 'salt/{minion}',
      },
    })
    const shown = JSON.stringify(effectiveOptions(opts, 'master').map(({ value }) => toPlain(value)))
    expect(shown).toContain('vault.example.com')
    for (const secret of ['foxglove', ...Object.values(ENV)]) expect(shown).not.toContain(secret)
  })

  test('aws.conf and web.conf are a provider and a profile of salt-cloud', async () => {
    const path = site()
    write({ 'etc/master.d/vault.conf': 'vault: {auth: {role_id: role-of-the-master}}\n' })
    for (const name of ['providers.d/aws.conf', 'profiles.d/web.conf']) {
      const folder = join(root, 'etc', `cloud.${dirname(name)}`)
      mkdirSync(folder)
      configure('', 'guide', `etc/salt/cloud.${name}`, folder)
    }
    const opts = await masterConfig({ path, render: renderConfig })
    const { providers, profiles } = await readCloudFiles({ opts, log: silentLog, render: renderConfig })
    expect(providers.map(({ alias, driver, settings }) => [alias, driver, toPlain(settings)])).toEqual([
      [
        ...['aws-provider', 'ec2'],
        expect.objectContaining({
          ...{ id: 'foxglove-access_key', key: 'foxglove-secret_key', region: 'us-east-1' },
          minion: { master: 'salt.example.com', grains: { env: 'production', roles: ['web'] } },
        }),
      ],
    ])
    expect(toPlain(profiles.get('web-server')!.settings)).toMatchObject({
      ...{ provider: 'aws-provider', size: 't3.medium', sync_after_install: 'all', startup_states: 'highstate' },
      volumes: [{ device: '/dev/xvdf', type: 'gp3', size: 100, delete_on_termination: false }],
    })
  })
})

describe('the options that templates see', () => {
  test('grains, options of plain files, and functions; results of grains are no secrets', async () => {
    write({
      minion: `root_dir: ${root}\nid: m1\nplace: cellar\n`,
      'minion.d/a.conf': [
        "{% if grains['kernel'] == 'Linux' and grains['id'] == 'm1' %}",
        "own: {{ opts['place'] }}-{{ salt['cmd.run']('echo a-thistle') }}",
        "kernel: {{ salt['grains.get']('kernel') }}",
        '{% endif %}',
        '',
      ].join('\n'),
    })
    const opts = await minionConfig({ path: join(root, 'minion'), render: renderConfig })
    expect(opts.get('own')).toBe('cellar-a-thistle')
    const shown = new Map(effectiveOptions(opts, 'minion').map(({ name, value, origin }) => [name, { value, origin }]))
    expect(shown.get('own')).toEqual({ value: 'cellar-**********', origin: `${root}/minion.d/a.conf:2` })
    expect(shown.get('kernel')!.value).toBe('Linux')
  })
})

describe('a program', () => {
  test('hides what functions returned from the answers of config functions, and uses it itself', () => {
    write({
      'etc/minion': `root_dir: ${root}\nid: m1\nfile_client: local\n`,
      'etc/minion.d/a.conf': "mysql.pass: {{ salt['environ.get']('VAULT_SECRET_ID') }}\n",
    })
    const asked = run('salt-call', '--local', '-l', 'debug', 'config.get', 'mysql.pass')
    expect(asked.stdout).toBe('local:\n    **********\n')
    expect(asked.stderr).not.toContain('hemlock')
    const used = run(
      'salt-call',
      '--local',
      'slsutil.renderer',
      "string={{ salt['config.get']('mysql.pass') | length }}",
    )
    expect(used.stdout).toContain('13')
  })

  test('ends with one error that names file and line', () => {
    write({
      'etc/minion': `root_dir: ${root}\nid: m1\n`,
      'etc/minion.d/a.conf': "# own\na: 1\nb: {{ salt['environ.gett']('X') }}\n",
    })
    for (const program of ['salt-minion', 'salt-call']) {
      const { status, stderr } = run(program, ...(program === 'salt-call' ? ['--local', 'test.ping'] : []))
      expect(status).toBe(1)
      expect(stderr).toMatch(
        /^\[ERROR {3}\] Error rendering configuration file: .*\/etc\/minion\.d\/a\.conf, line 3: .*\n$/,
      )
      expect(stderr).toContain("Did you mean 'environ.get'?")
    }
  })

  test('salt needs no secret of the file server', () => {
    site()
    write({ 'etc/master.d/vault.conf': "vault:\n  token: {{ salt['nothing.here']() }}\n" })
    expect(run('salt', '*', 'test.ping').stderr).not.toContain('vault.conf')
    const { status, stderr } = run('salt-run', 'test.arg')
    expect([status, stderr]).toEqual([1, expect.stringContaining('vault.conf, line 2: ')])
  })
})
