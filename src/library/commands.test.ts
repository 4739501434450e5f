// Functions over programs: the commands that they run, and the results of recorded output.
import { expect, test } from 'vitest'
import { fromPlain, type Plain, toPlain } from '../data/mod.ts'
import { MemoryHost } from '../host/mod.ts'
import { type ModuleDeclaration, type Recorded, scripted, tryFunction } from '../sdk/mod.ts'
import postgres from './databases/postgres/module.ts'
import rabbitmq from './messaging/rabbitmq/module.ts'
import iptables from './network/iptables/module.ts'
import ufw from './network/ufw/module.ts'
import macpackage from './packages/macpackage/module.ts'
import snap from './packages/snap/module.ts'
import selinux from './security/selinux/module.ts'
import cron from './services/cron/module.ts'
import lvm from './storage/lvm/module.ts'
import raid from './storage/mdadm/module.ts'
import timezone from './system/timezone/module.ts'
import pdbedit from './users/pdbedit/module.ts'
import webutil from './web/webutil/module.ts'

const PROGRAMS = ['crontab', 'iptables', 'semanage', 'snap', 'timedatectl', 'rabbitmqctl']
const CLUSTERS = ['pg_createcluster', 'pg_lsclusters', 'pg_dropcluster']
const UFW = 'Status: active\nLogging: on (low)\nDefault: deny (incoming), allow (outgoing), disabled (routed)\n'
const VOLUME = '  /dev/vg/a:vg:3:1:-1:1:2097152:256:-1:0:-1:253:0'
const BOOLEANS = 'SELinux boolean   State  Default Description\n\nftp_home_dir   (off  ,  on)  Allow ftp to homes\n'
const LISTED = '14  main    5432 online postgres /var/lib/postgresql/14/main /var/log/postgresql/14.log\n'

type Row = [
  module: ModuleDeclaration,
  fun: string,
  args: Plain[],
  /** The last command, and its output. */
  command: string,
  printed: Recorded,
  answer: unknown,
]

const ROWS: Row[] = [
  [cron, 'raw_cron', ['root'], 'crontab -l', '5 4 * * * x', '5 4 * * * x'],
  [
    cron,
    'write_cron_file_verbose',
    ['root', '/tmp/new.cron'],
    'crontab /tmp/new.cron',
    { retcode: 1, stderr: 'bad minute' },
    { retcode: 1, stdout: '', stderr: 'bad minute', pid: 1 },
  ],
  [
    lvm,
    'lvdisplay',
    ['/dev/vg/a'],
    'lvdisplay -c /dev/vg/a',
    VOLUME,
    { '/dev/vg/a': expect.objectContaining({ 'Volume Group Name': 'vg', 'Logical Volume Size': '2097152' }) },
  ],
  [
    lvm,
    'lvcreate',
    ['a', 'vg', '1G'],
    'lvdisplay -c /dev/vg/a',
    VOLUME,
    expect.objectContaining({ '/dev/vg/a': expect.anything() }),
  ],
  [
    lvm,
    'lvresize',
    ['2G', '/dev/vg/a'],
    'lvresize -qq -L 2G /dev/vg/a',
    '',
    { 'Output from lvresize': 'Logical volume "/dev/vg/a" successfully resized.' },
  ],
  [
    raid,
    'examine',
    ['/dev/sda'],
    'mdadm -Y -E /dev/sda',
    'MD_LEVEL=raid1\nMD_DEVICES=2\n',
    { MD_LEVEL: 'raid1', MD_DEVICES: '2' },
  ],
  [
    selinux,
    'list_sebool',
    [],
    'semanage boolean --list',
    BOOLEANS,
    { ftp_home_dir: { State: 'off', Default: 'on', Description: 'Allow ftp to homes' } },
  ],
  [selinux, 'setsebools', [{ a: 'on', b: 'off' }], 'setsebool a=on b=off', '', true],
  [selinux, 'setsemod', ['zabbix', 'Disabled'], 'semodule --disable zabbix', '', true],
  [snap, 'disable', ['hello'], 'snap disable hello', '', true],
  [snap, 'hold', ['hello'], 'snap refresh --hold hello', '', true],
  [timezone, 'set_hwclock', ['localtime'], 'timedatectl set-local-rtc true', '', true],
  [ufw, 'is_enabled', [], 'ufw status', UFW, true],
  [ufw, 'get_default_incoming', [], 'ufw status verbose', UFW, 'deny'],
  [ufw, 'get_default_outgoing', [], 'ufw status verbose', UFW, 'allow'],
  [ufw, 'set_enabled', [true], 'ufw --force enable', 'ok', null],
  [ufw, 'add_rule', ['allow 22'], 'ufw allow 22', 'Rule added', 'Rule added'],
  [
    webutil,
    'userdel',
    ['/etc/htpasswd', 'ann'],
    'htpasswd -D /etc/htpasswd ann',
    'Deleting password',
    ['Deleting password'],
  ],
  [pdbedit, 'list', [false], 'pdbedit --list', 'ann:1000:Ann\nbob:1001:Bob', ['ann', 'bob']],
  [
    macpackage,
    'get_pkg_id',
    ['/a.pkg'],
    '/usr/libexec/PlistBuddy -c print :CFBundleIdentifier /a.pkg/Contents/Info.plist',
    'org.a',
    ['org.a'],
  ],
  [rabbitmq, 'add_vhost', ['app'], '/usr/bin/rabbitmqctl add_vhost app', 'ok', { Added: 'ok' }],
  [rabbitmq, 'delete_vhost', ['app'], '/usr/bin/rabbitmqctl delete_vhost app', 'ok', { Deleted: 'ok' }],
  [
    postgres,
    'cluster_create',
    ['14', 'main', '5433'],
    '/usr/bin/pg_createcluster --port 5433 14 main',
    'ok',
    expect.objectContaining({ retcode: 0 }),
  ],
  [
    postgres,
    'cluster_list',
    [true],
    '/usr/bin/pg_lsclusters --no-header',
    LISTED,
    { '14/main': expect.objectContaining({ port: 5432, status: 'online' }) },
  ],
  [postgres, 'cluster_exists', ['14', 'other'], '/usr/bin/pg_lsclusters --no-header', LISTED, false],
  [
    postgres,
    'cluster_remove',
    ['14', 'main', true],
    '/usr/bin/pg_dropcluster --stop 14 main',
    'ok',
    expect.objectContaining({ changes: 'Successfully removed cluster 14/main' }),
  ],
]

test.each(ROWS.map((row): [string, Row] => [`${row[0].virtual ?? row[0].name}.${row[1]}`, row]))(
  '%s runs its command',
  async (_, [module, fun, args, command, printed, answer]) => {
    const { others, ran } = scripted({ [command]: printed, 'xar*': 'Error opening', '*': '' })
    const files = Object.fromEntries(
      [...PROGRAMS, ...CLUSTERS].map((name) => [`/usr/bin/${name}`, { text: '', mode: 0o755 }]),
    )
    const host = await MemoryHost.with({
      files: { ...files, '/tmp/': '', '/etc/htpasswd': 'ann:x\n', '/etc/selinux/config': '' },
    })
    const grains = fromPlain({ os_family: 'Debian', kernel: 'Linux' }) as never
    const given = args.map((value) => fromPlain(value))
    expect(toPlain(await tryFunction(module, fun, { args: given, others, host, grains }))).toEqual(answer)
    expect(ran.at(-1)).toBe(command)
  },
)

test('iptables.build_rule writes the words of a rule', async () => {
  const { others } = scripted({ '*': '' })
  const host = await MemoryHost.with({
    files: { '/usr/sbin/iptables': { text: '', mode: 0o755 } },
    env: { PATH: '/usr/sbin' },
  })
  const kwargs = { table: 'filter', chain: 'INPUT', jump: 'ACCEPT', dport: '22', proto: 'tcp' }
  expect(await tryFunction(iptables, 'build_rule', { kwargs, others, host })).toBe('-p tcp --dport 22 --jump ACCEPT')
})
