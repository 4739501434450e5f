import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { silentLog } from '../../../base/mod.ts'
import { type Dict, fromPlain, type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { LocalHost } from '../../../host/mod.ts'
import { type BeaconContext, type BeaconDeclaration, beaconOptions } from '../../../sdk/mod.ts'
import inotify from '../../files/inotify/inotify.beacon.ts'
import networkInfo from '../../network/network/network_info.beacon.ts'
import networkSettings from '../../network/network/network_settings.beacon.ts'
import pkg from '../../packages/pkg/beacon.ts'
import service from '../../services/service/beacon.ts'
import diskusage from '../../storage/disk/beacon.ts'
import load from '../../system/load/beacon.ts'
import log from '../../system/log/beacon.ts'
import memusage from '../../system/memory/beacon.ts'
import ps from '../../system/process/beacon.ts'
import status from '../../system/status/beacon.ts'
import wtmp from '../../users/logins/wtmp.beacon.ts'
import saltMonitor from './salt_monitor.beacon.ts'

const folder = mkdtempSync(join(tmpdir(), 'brine-beacons-'))
afterAll(() => rmSync(folder, { recursive: true }))

const host = new LocalHost()
const options = (config: Plain): Dict => beaconOptions(fromPlain(config))

type Others = Record<string, (...args: Value[]) => Value>

/** Return a function that polls a beacon repeatedly, with stand-ins for functions. */
function looking(beacon: BeaconDeclaration, config: Plain, others: Others = {}, files: Record<string, string> = {}) {
  const reading = (path: string): Uint8Array | undefined =>
    files[path] === undefined ? undefined : Buffer.from(files[path]!)
  const own = Object.create(host, {
    read: { value: async (path: string, range?: never) => reading(path) ?? host.read(path, range) },
  })
  const ctx: BeaconContext = {
    call: ((name, args = []) => others[name]!(...args)) as BeaconContext['call'],
    has: (name) => name in others,
    grains: new Map(),
    opts: new Map(),
    host: own,
    log: silentLog,
    memory: new Map(),
    watch: () => false,
    unwatch: () => undefined,
    follow: () => ({ isRunning: false }),
  }
  return async (): Promise<Plain> => toPlain(await beacon.beacon(ctx, options(config)))
}

test.each<[BeaconDeclaration, Plain, string | undefined]>([
  [load, [], 'Averages configuration is required for load beacon.'],
  [load, [{ emitatstartup: 1 }], 'Configuration for load beacon option emitatstartup must be a boolean.'],
  [load, [{ averages: { x: [] } }], 'Averages configuration for load beacon must contain 1m, 5m or 15m items.'],
  [load, [{ averages: { '1m': [0, 1], '5m': [0, 1], '15m': [0, 1] } }], undefined],
  [memusage, [], 'Configuration for memusage beacon requires percent.'],
  [service, [], 'Configuration for service beacon requires services.'],
  [service, [{ services: [] }], 'Services configuration item for service beacon must be a dictionary.'],
  [service, [{ services: { ssh: 1 } }], 'Configuration for service beacon must be a list of dictionaries.'],
  [ps, [{ processes: [] }], 'Processes for ps beacon must be a dictionary.'],
  [inotify, [], 'Configuration for inotify beacon must include files.'],
  [
    inotify,
    [{ files: { '/a': {} } }],
    'Configuration for inotify beacon must contain mask, recurse or auto_add items.',
  ],
  [inotify, [{ files: { '/a': { mask: ['x'] } } }], 'Configuration for inotify beacon invalid mask option x.'],
  [networkInfo, [{ interfaces: { lo: { x: 1 } } }], 'Invalid configuration item in Beacon configuration.'],
  [networkSettings, [{ interfaces: [] }], 'interfaces section for network_settings beacon must be a dictionary.'],
  [pkg, [{ pkgs: 'vim' }], 'Configuration for pkg beacon requires list of pkgs.'],
  [saltMonitor, [{ salt_fun: 'test.ping' }], undefined],
  [saltMonitor, [{ salt_fun: 'no.such' }], 'no.such not in __salt__'],
  [saltMonitor, [{ salt_fun: ['test.ping', { 'test.echo': { args: ['x'], kwargs: [{ a: 1 }] } }] }], undefined],
  [saltMonitor, [{ salt_fun: [{ 'test.echo': { args: 'x' } }] }], 'args key for fun test.echo must be list'],
  [
    saltMonitor,
    [{ salt_fun: [{ 'test.echo': { kwargs: 'x' } }] }],
    'kwargs key for fun test.echo must be list of key value pairs',
  ],
  [saltMonitor, [{ salt_fun: [{ 'test.echo': { kwargs: ['x'] } }] }], 'x is not a key / value pair'],
  [saltMonitor, [{ salt_fun: [{ 'test.echo': { foo: [] } }] }], 'key foo not allowed under fun test.echo'],
  [wtmp, [{ users: [] }], 'User configuration for wtmp beacon must be a dictionary.'],
])('A configuration of a beacon is judged as Salt judges it (%#)', (beacon, config, problem) => {
  expect(beacon.validate(options(config), (name) => name.startsWith('test.'))).toBe(problem)
})

const LOADS = { '/proc/loadavg': '0.50 1.00 2.25 1/100 42\n' }
const within = { '1m': [0, 9], '5m': [0, 9], '15m': [0, 9] }

test('The load is reported when it is out of bounds', async () => {
  const told = [{ '1m': 0.5, '5m': 1, '15m': 2.25 }]
  expect(await looking(load, [{ averages: { ...within, '15m': [0, 2] } }], {}, LOADS)()).toEqual(told)
  expect(await looking(load, [{ averages: within }], {}, LOADS)()).toEqual([])
})

test('Memory and file systems are reported when they are too full', async () => {
  const files = { '/proc/meminfo': 'MemTotal: 1000 kB\nMemAvailable: 250 kB\n' }
  expect(await looking(memusage, [{ percent: '75%' }], {}, files)()).toEqual([{ memusage: 75 }])
  expect(await looking(memusage, [{ percent: 76 }], {}, files)()).toEqual([])
  const full = (await looking(diskusage, [{ '/': '0%' }, { interval: 5 }])()) as Plain[]
  expect(full).toMatchObject([{ mount: '/' }])
})

test('A service is reported at first and when it changes', async () => {
  let runs = true
  const look = looking(service, [{ services: { ssh: { onchangeonly: true } } }], { 'service.status': () => runs })
  const told = (running: boolean) => [{ ssh: { running }, service_name: 'ssh', tag: 'ssh' }]
  expect(await look()).toEqual(told(true))
  expect(await look()).toEqual([])
  runs = false
  expect(await look()).toEqual(told(false))
})

test('Processes are reported by name', async () => {
  const config = [{ processes: { node: 'running', nosuch: 'stopped', other: 'running' } }]
  const told = (await looking(ps, config)()) as Plain[]
  expect(told).toContainEqual({ nosuch: 'Stopped' })
  expect(told).not.toContainEqual({ other: 'Running' })
})

test('Numbers of the machine are reported in parts', async () => {
  const loads = (): Value =>
    new Map([
      ['1-min', 0.5],
      ['5-min', 1.5],
    ])
  const told = await looking(status, [{ loadavg: ['1-min'] }, { interval: 8 }], { 'status.loadavg': loads })()
  expect(told).toMatchObject([{ data: { loadavg: { '1-min': 0.5 } } }])
})

const AVERAGES = [{ averages: { ...within, '1m': ['a', 9] } }]

test.each<[BeaconDeclaration, Plain, string]>([
  [memusage, [{ percent: 'abc' }], "could not convert string to float: 'abc'"],
  [memusage, [{ percent: null }], "float() argument must be a string or a real number, not 'NoneType'"],
  [diskusage, [{ '/': 'x%' }], "could not convert string to float: 'x'"],
  [diskusage, [{ '(': '1%' }], 'missing ), unterminated subpattern at position 0'],
  [networkInfo, [{ interfaces: { lo: { errin: 'x' } } }], "invalid literal for int() with base 10: 'x'"],
  [load, AVERAGES, "could not convert string to float: 'a'"],
  [log, [{ file: '/no/such' }], "[Errno 2] No such file or directory: '/no/such'"],
  [status, [{ nosuch: ['all'] }], "'status.nosuch'"],
  [status, [{ w: [3] }], 'list index out of range'],
  [status, [{ w: ['x'] }], "invalid literal for int() with base 10: 'x'"],
  [
    service,
    [{ services: { ssh: { onchangeonly: true, delay: '3' } } }],
    "'>' not supported between instances of 'str' and 'int'",
  ],
])("A poll fails with Salt's error (%#)", async (beacon, config, problem) => {
  const look = looking(beacon, config, { 'service.status': () => true, 'status.w': () => [] }, LOADS)
  await expect(look()).rejects.toThrow(problem)
})

test.each<[Plain[], Plain]>([
  [['1-min', 'foo'], "Status beacon is incorrectly configured: 'foo'"],
  [['all'], { '1-min': 1 }],
])('Of the numbers of the machine %j is reported', async (items, wanted) => {
  const others = { 'status.loadavg': () => new Map([['1-min', 1]]) }
  expect(await looking(status, [{ loadavg: items }], others)()).toMatchObject([{ data: { loadavg: wanted } }])
})

test('Functions are reported when they return something', async () => {
  const others: Others = { 'test.ping': () => true, 'test.none': () => null, 'test.echo': (text) => text! }
  const fun = ['test.ping', 'test.none', { 'test.echo': { args: ['x'] } }]
  expect(await looking(saltMonitor, [{ salt_fun: fun }], others)()).toEqual([
    { salt_fun: 'test.ping', ret: true },
    { salt_fun: 'test.echo', ret: 'x', args: ['x'] },
  ])
  expect(await looking(saltMonitor, [{ salt_fun: 'test.none' }], others)()).toEqual([
    { salt_fun: 'test.none', ret: null },
  ])
})

test('New lines of a log are reported when they match', async () => {
  const file = join(folder, 'log')
  writeFileSync(file, 'old error\n')
  const look = looking(log, [{ file }, { tags: { bad: { regex: '.*error.*' }, broken: { regex: '(' } } }])
  expect(await look()).toEqual([])
  writeFileSync(file, 'old error\nnew error\nall well\n')
  expect(await look()).toEqual([
    { tag: 'broken', match: 'no', raw: '', error: 'bad regex' },
    { tag: 'bad', match: 'yes', raw: 'new error', error: '' },
  ])
})

test('A package is reported when its state changes', async () => {
  let version = ''
  const others = { 'pkg.version': () => version, 'pkg.latest_version': () => '' }
  const look = looking(pkg, [{ pkgs: ['vim'] }], others)
  expect(await look()).toEqual([])
  version = '9.1'
  expect(await look()).toEqual([{ pkg: 'vim', version: '9.1', status: 'installed' }])
})

test('Counters of an interface are reported when they are greater', async () => {
  const line = '  lo: 100 2 0 0 0 0 0 0 300 4 0 0 0 0 0 0'
  const files = { '/proc/net/dev': `head\nhead\n${line}\n` }
  const config = [{ interfaces: { lo: { type: 'greater', bytes_sent: 200 } } }]
  const told = (await looking(networkInfo, config, {}, files)()) as Plain[]
  expect(told).toMatchObject([{ interface: 'lo', network_info: { bytes_sent: 300, bytes_recv: 100 } }])
})
