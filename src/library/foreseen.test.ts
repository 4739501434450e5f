// States over functions: the prediction of a dry run, and the comment and changes of the real run.
import { expect, test } from 'vitest'
import { fromPlain, type Plain, toPlain, type Value } from '../data/mod.ts'
import { MemoryHost } from '../host/mod.ts'
import { type StateDeclaration, tryState } from '../sdk/mod.ts'
import continuousQuery from './databases/influxdb/influxdb_continuous_query.state.ts'
import influxDatabase from './databases/influxdb/influxdb_database.state.ts'
import retentionPolicy from './databases/influxdb/influxdb_retention_policy.state.ts'
import influxUser from './databases/influxdb/influxdb_user.state.ts'
import mongoDatabase from './databases/mongodb/mongodb_database.state.ts'
import mongoUser from './databases/mongodb/mongodb_user.state.ts'
import postgresCluster from './databases/postgres/postgres_cluster.state.ts'
import augeas from './files/augeas/state.ts'
import file from './files/file/state.ts'
import syslogNg from './messaging/syslog-ng/state.ts'
import network from './network/network/state.ts'
import ufw from './network/ufw/state.ts'
import aptpkg from './packages/apt/aptpkg.state.ts'
import chocolatey from './packages/chocolatey/state.ts'
import npm from './packages/npm/state.ts'
import pip from './packages/pip/state.ts'
import pkg from './packages/pkg/state.ts'
import pyenv from './packages/pyenv/state.ts'
import beacons from './salt/beacons/state.ts'
import blockdev from './storage/blockdev/state.ts'
import disk from './storage/disk/state.ts'
import raid from './storage/mdadm/state.ts'
import status from './system/status/state.ts'
import pdbedit from './users/pdbedit/state.ts'
import sshAuth from './users/ssh/ssh_auth.state.ts'
import knownHosts from './users/ssh/ssh_known_hosts.state.ts'
import apacheConf from './web/apache/apache_conf.state.ts'
import apacheModule from './web/apache/apache_module.state.ts'
import apacheSite from './web/apache/apache_site.state.ts'

/** The results of a function: always the same, or one after the other. */
class Turns {
  readonly answers: Plain[]
  constructor(...answers: Plain[]) {
    this.answers = answers
  }
}

async function apply(
  states: StateDeclaration,
  fun: string,
  kwargs: Record<string, Plain>,
  answers: Record<string, Plain | Turns>,
  isDry: boolean,
) {
  const others = Object.fromEntries(
    Object.entries(answers).map(([name, given]) => {
      const turns = given instanceof Turns ? [...given.answers] : [given]
      return [name, () => fromPlain((turns.length > 1 ? turns.shift() : turns[0]) as Plain)]
    }),
  )
  const files = {
    '/dev/sda': '',
    '/usr/sbin/mkfs.ext4': { text: '', mode: 0o755 },
    '/usr/bin/ssh-keygen': { text: '', mode: 0o755 },
  }
  const host = await MemoryHost.with({ files, env: { PATH: '/usr/bin:/usr/sbin' } })
  const values = Object.fromEntries(Object.entries(kwargs).map(([key, value]) => [key, fromPlain(value)]))
  const grains = new Map<Value, Value>([['os_family', 'Debian']])
  return toPlain(await tryState(states, fun, { kwargs: values, others, host, grains, test: isDry })) as Record<
    string,
    Plain
  >
}

type Row = [
  states: StateDeclaration,
  fun: string,
  kwargs: Record<string, Plain>,
  answers: Record<string, Plain | Turns>,
  /** The comment of a dry run whose result is None. */
  foreseen: string,
  comment: string,
  changes: Plain,
]

const name = 'x'
const switched = (old: Plain, now: Plain) => ({ old, new: now })

const ROWS: Row[] = [
  [
    apacheConf,
    'enabled',
    { name },
    { 'apache.check_conf_enabled': false, 'apache.a2enconf': { Status: 'Conf x enabled' } },
    'Apache conf x is set to be enabled.',
    '',
    switched(null, 'x'),
  ],
  [
    apacheConf,
    'disabled',
    { name },
    { 'apache.check_conf_enabled': true, 'apache.a2disconf': { Status: 'Conf x disabled' } },
    'Apache conf x is set to be disabled.',
    '',
    switched('x', null),
  ],
  [
    apacheSite,
    'enabled',
    { name },
    { 'apache.check_site_enabled': false, 'apache.a2ensite': { Status: 'Site x enabled' } },
    'Apache site x is set to be enabled.',
    '',
    switched(null, 'x'),
  ],
  [
    apacheSite,
    'disabled',
    { name },
    { 'apache.check_site_enabled': true, 'apache.a2dissite': { Status: 'Site x disabled' } },
    'Apache site x is set to be disabled.',
    '',
    switched('x', null),
  ],
  [
    apacheModule,
    'disabled',
    { name },
    { 'apache.check_mod_enabled': true, 'apache.a2dismod': { Status: 'Module x disabled' } },
    'Apache module x is set to be disabled.',
    '',
    switched('x', null),
  ],
  [
    aptpkg,
    'held',
    { name },
    { 'pkg.get_selections': { install: ['x'] }, 'pkg.set_selections': { x: switched('install', 'hold') } },
    'Package x is set to be held',
    'Package x is now being held',
    switched('install', 'hold'),
  ],
  [
    chocolatey,
    'source_present',
    { name, source_location: 'http://s' },
    { 'chocolatey.list_sources': new Turns({}, { x: { 'URL: ': 'http://s' } }), 'chocolatey.add_source': 'Added x' },
    'x will be added',
    'Source x added successfully',
    { x: switched('', { 'URL: ': 'http://s' }) },
  ],
  [
    chocolatey,
    'bootstrapped',
    { name },
    { 'chocolatey.chocolatey_version': new Turns(null, '2'), 'chocolatey.bootstrap': 'ok' },
    'The latest version of Chocolatey will be installed',
    'Installed chocolatey 2',
    switched(null, '2'),
  ],
  [
    chocolatey,
    'unbootstrapped',
    { name },
    { 'chocolatey.chocolatey_version': new Turns('2', null), 'chocolatey.unbootstrap': [] },
    'Chocolatey 2 will be removed',
    'Uninstalled chocolatey 2',
    switched('2', null),
  ],
  [
    raid,
    'absent',
    { name },
    { 'raid.list': { x: {} }, 'raid.destroy': true },
    'Raid x is set to be destroyed',
    'Raid x has been destroyed',
    {},
  ],
  [
    mongoDatabase,
    'absent',
    { name },
    { 'mongodb.db_exists': true, 'mongodb.db_remove': true },
    'Database x is present and needs to be removed',
    'Database x has been removed',
    { x: 'Absent' },
  ],
  [
    mongoUser,
    'absent',
    { name },
    { 'mongodb.user_exists': true, 'mongodb.user_remove': true },
    'User x is present and needs to be removed',
    'User x has been removed',
    { x: 'Absent' },
  ],
  [
    influxDatabase,
    'absent',
    { name },
    { 'influxdb.db_exists': true, 'influxdb.drop_db': true },
    'Database x is present and needs to be removed',
    'Database x has been removed',
    { x: 'Absent' },
  ],
  [
    influxUser,
    'absent',
    { name },
    { 'influxdb.user_exists': true, 'influxdb.remove_user': true },
    'User x will be removed',
    'Removed user x',
    { x: 'removed' },
  ],
  [
    retentionPolicy,
    'absent',
    { name, database: 'd' },
    { 'influxdb.retention_policy_exists': true, 'influxdb.drop_retention_policy': true },
    'retention policy x is present and needs to be removed',
    'retention policy x has been removed',
    { x: 'Absent' },
  ],
  [
    continuousQuery,
    'absent',
    { name, database: 'd' },
    { 'influxdb.continuous_query_exists': true, 'influxdb.drop_continuous_query': true },
    'continuous query x is present and needs to be removed',
    'continuous query x has been removed',
    { x: 'Absent' },
  ],
  [
    postgresCluster,
    'present',
    { name, version: '14' },
    { 'postgres.cluster_list': {}, 'postgres.cluster_create': true },
    'Cluster 14/x is set to be created',
    'The cluster 14/x has been created',
    { '14/x': 'Present' },
  ],
  [
    postgresCluster,
    'absent',
    { name, version: '14' },
    { 'postgres.cluster_exists': true, 'postgres.cluster_remove': true },
    'Cluster 14/x is set to be removed',
    'Cluster 14/x has been removed',
    { x: 'Absent' },
  ],
  [
    npm,
    'bootstrap',
    { name },
    { 'npm.install': [{ name: 'y' }] },
    'x is set to be bootstrapped',
    'Directory was successfully bootstrapped',
    { x: 'Bootstrapped' },
  ],
  [
    npm,
    'cache_cleaned',
    { name: '' },
    { 'npm.cache_list': ['/root/.npm'], 'npm.cache_clean': true },
    'Cached packages set to be removed',
    'Cached packages successfully removed',
    { cache: 'Removed' },
  ],
  [
    pip,
    'uptodate',
    { name },
    { 'pip.list_upgrades': { y: '2' }, 'pip.upgrade': { y: switched('1', '2') } },
    'System update will be performed',
    'Upgrade successful.',
    { y: switched('1', '2') },
  ],
  [
    pyenv,
    'install_pyenv',
    { name },
    { 'pyenv.is_installed': false, 'pyenv.install': true },
    'pyenv is set to be installed',
    'Successfully installed pyenv',
    { pyenv: 'Installed' },
  ],
  [
    pkg,
    'patch_installed',
    { name, advisory_ids: ['P-1'] },
    { 'pkg.list_patches': {}, 'pkg.list_installed_patches': {}, 'pkg.install': { y: switched('1', '2') } },
    'The following advisory patches would be downloaded: P-1',
    '',
    { y: switched('1', '2') },
  ],
  [
    pkg,
    'patch_downloaded',
    { name, advisory_ids: ['P-1'] },
    {
      'pkg.list_patches': {},
      'pkg.list_installed_patches': {},
      'pkg.list_downloaded': {},
      'pkg.install': { y: switched('', '2') },
    },
    'The following advisory patches would be downloaded: P-1',
    '',
    { y: switched('', '2') },
  ],
  [
    sshAuth,
    'manage',
    { name, user: 'ann', ssh_keys: ['ssh-rsa AAAA a'] },
    { 'ssh.auth_keys': {}, 'ssh.check_key': 'add', 'ssh.set_auth_key': 'new' },
    'Key AAAA for user ann is set to be added',
    '',
    { AAAA: 'New' },
  ],
  [
    pdbedit,
    'present',
    { name },
    { 'pdbedit.list': {}, 'pdbedit.modify': { x: 'created' } },
    'account x is set to be created',
    '',
    { x: 'created' },
  ],
  [
    syslogNg,
    'reloaded',
    { name },
    { 'syslog_ng.reload': { name, result: true, changes: {}, comment: 'reloaded' } },
    'syslog-ng would be reloaded',
    'reloaded',
    {},
  ],
  [
    ufw,
    'default_outgoing',
    { name, default: 'deny' },
    {
      'ufw.get_default_outgoing': new Turns('allow', 'deny'),
      'ufw.add_rule': "Default outgoing policy changed to 'deny'",
    },
    'x: default deny outgoing',
    'x set to deny',
    { rule: 'default deny outgoing' },
  ],
  [
    network,
    'system',
    { name, enabled: true, hostname: 'a' },
    { 'ip.get_network_settings': [], 'ip.build_network_settings': ['HOSTNAME=a'], 'ip.apply_network_settings': true },
    'Global network settings are set to be added.',
    'Global network settings are up to date.',
    { network_settings: 'Added global network settings.' },
  ],
  [
    network,
    'managed',
    { name: 'eth0', type: 'eth', enabled: false, proto: 'dhcp' },
    {
      'ip.get_interface': [],
      'ip.build_interface': ['auto eth0'],
      'ip.down': 'down',
      'network.interfaces': { eth0: { up: true } },
      'saltutil.refresh_grains': true,
      'saltutil.refresh_modules': true,
    },
    'Interface eth0 is set to be added.',
    'Interface eth0 added.',
    { interface: 'Added network interface.', status: 'Interface eth0 down' },
  ],
  [
    knownHosts,
    'present',
    { name: 'git.example', user: 'root', key: 'AAAA', enc: 'ssh-rsa' },
    { 'ssh.check_known_host': 'add', 'ssh.set_known_host': { status: 'updated', old: null, new: [{ key: 'AAAA' }] } },
    'Key for git.example is set to be added to .ssh/known_hosts',
    "git.example's key saved to .ssh/known_hosts (key: AAAA)",
    switched(null, [{ key: 'AAAA' }]),
  ],
  [
    blockdev,
    'formatted',
    { name: '/dev/sda' },
    { 'cmd.run': new Turns('', 'ext4'), 'disk.format': true },
    'Changes to /dev/sda will be applied ',
    '/dev/sda has been formatted with ext4',
    { new: 'ext4', old: 'ext4' },
  ],
]

test.each(ROWS.map((row): [string, Row] => [`${row[0].name}.${row[1]}`, row]))(
  '%s predicts what it does',
  async (_, [states, fun, kwargs, answers, foreseen, comment, changes]) => {
    const dry = await apply(states, fun, kwargs, answers, true)
    expect([dry['result'], dry['comment']]).toEqual([null, foreseen])
    const { result, comment: said, changes: done } = await apply(states, fun, kwargs, answers, false)
    expect([result, said, done]).toEqual([true, comment, changes])
  },
)

test('disk.status and status.process watch, and change nothing', async () => {
  const usage = { 'disk.usage': { '/': { capacity: '60%', used: '1', available: '2' } } }
  expect(await apply(disk, 'status', { name: '/', maximum: '50%' }, usage, false)).toMatchObject({
    result: false,
    comment: 'Disk used space is above maximum of 50 % at 60 %',
  })
  expect(await apply(disk, 'status', { name: '/', maximum: '70%' }, usage, false)).toMatchObject({ result: true })
  expect(await apply(status, 'process', { name: 'sshd' }, { 'status.pid': '7' }, false)).toMatchObject({
    result: true,
    data: '7',
  })
  expect(await apply(status, 'process', { name: 'sshd' }, { 'status.pid': '' }, false)).toMatchObject({ result: false })
})

test("syslog_ng.started and syslog_ng.stopped report the functions' results", async () => {
  const said = { name, result: true, changes: switched('', 'running'), comment: 'done' }
  expect(await apply(syslogNg, 'started', { name }, { 'syslog_ng.start': said }, false)).toEqual(said)
  expect(await apply(syslogNg, 'stopped', { name }, { 'syslog_ng.stop': said }, false)).toEqual(said)
})

test('augeas.change reports the commands or the difference, and beacon.absent removes a beacon', async () => {
  const wanted = { name, context: '/files/etc/a', changes: ['set b c'] }
  const done = { 'augeas.execute': { retval: true } }
  expect(await apply(augeas, 'change', wanted, done, true)).toMatchObject({
    comment: 'Executing commands in file "/files/etc/a":\nset b c',
    changes: {},
  })
  expect(await apply(augeas, 'change', wanted, done, false)).toMatchObject({
    comment: 'Changes have been saved',
    changes: { updates: ['set b c'] },
  })
  const removing = { 'beacons.list': { ps: [] }, 'beacons.delete': { result: true, comment: '', changes: {} } }
  expect(await apply(beacons, 'absent', { name: 'ps' }, removing, false)).toMatchObject({
    comment: 'Removed ps from beacons',
  })
})

test('blockdev.tuned needs a block device, and file.shortcut Windows', async () => {
  expect(await apply(blockdev, 'tuned', { name: '/dev/sda' }, {}, false)).toMatchObject({
    result: false,
    comment: 'Changes to /dev/sda cannot be applied. Not a block device.',
  })
  expect(await apply(file, 'shortcut', { name: '/a.lnk', target: '/b' }, {}, false)).toMatchObject({
    comment: 'Shortcuts are only supported on Windows',
  })
})
