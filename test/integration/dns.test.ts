import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { fromPlain, type Plain, toPlain, type Value } from '../../src/data/mod.ts'
import { runnerTable } from '../../src/loader/mod.ts'
import type { MasterContext } from '../../src/sdk/mod.ts'
import { until } from '../until.ts'
import { type Minion, minion } from './minion.ts'
import { type NetworkNamespace, networkNamespace } from './network-namespace.ts'
import { canServe } from './servers.ts'

const runs = canServe('BIND', '/usr/sbin/named', '/usr/bin/dig', '/usr/bin/nsupdate', '/usr/sbin/ip')

const SECRET = 'c2VjcmV0IG9mIHRoZSB6b25l'

const zone = (records: string): string =>
  `$TTL 60\n@ IN SOA ns.example. root.example. 1 60 60 60 60\n@ IN NS ns.example.\n${records}`

const RECORDS = `
ns IN A 127.0.0.1
www IN A 10.0.0.80
www IN AAAA fd00::80
mail IN CNAME www
@ IN MX 10 www.example.
@ IN TXT "v=spf1 ip4:192.0.2.0/24 include:loop.example. ~all"
loop IN TXT "v=spf1 ip6:fd00::/8 include:loop.example. include:example. -all"
text IN TXT "two words"
`

const configuration = (folder: string): string => `
options { directory "${folder}"; listen-on { 127.0.0.1; }; listen-on-v6 { none; }; pid-file "pid"; recursion no; };
controls {};
key "update-key" { algorithm hmac-sha256; secret "${SECRET}"; };
zone "example" { type primary; file "example"; allow-update { key "update-key"; }; };
zone "10.in-addr.arpa" { type primary; file "reverse"; allow-update { key "update-key"; }; };
`

describe.runIf(runs)('DNS', () => {
  let folder: string
  let network: NetworkNamespace
  let named: ChildProcess
  let salt: Minion

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'brine-dns-'))
    writeFileSync(join(folder, 'named.conf'), configuration(folder))
    writeFileSync(join(folder, 'example'), zone(RECORDS))
    writeFileSync(join(folder, 'reverse'), zone('80.0.0 IN PTR www.example.\n'))
    writeFileSync(join(folder, 'keys.json'), JSON.stringify({ 'update-key': SECRET }), { mode: 0o600 })
    network = networkNamespace()
    network.run('ip', 'link', 'set', 'lo', 'up')
    named = network.start('/usr/sbin/named', '-g', '-c', join(folder, 'named.conf'))
    const keys = { 'ddns.keyfile': join(folder, 'keys.json'), 'ddns.keyalgorithm': 'HMAC_SHA256' }
    salt = minion(keys, network.host)
    await until(
      'BIND answers',
      async () => String(await salt.call('dig.A', ['ns.example', '127.0.0.1'])) === '127.0.0.1',
    )
  })
  afterAll(async () => {
    named?.kill('SIGKILL')
    if (named) await once(named, 'exit')
    network?.remove()
    rmSync(folder, { recursive: true })
  })

  const ask = (fun: string, name: string, more: Record<string, boolean> = {}) =>
    salt.call(fun, [name], { nameserver: '127.0.0.1', ...more })

  test('dig answers with records of every kind', async () => {
    expect(await ask('dig.A', 'www.example')).toEqual(['10.0.0.80'])
    expect(await ask('dig.a', 'none.example')).toEqual([])
    expect(await ask('dig.AAAA', 'www.example')).toEqual(['fd00::80'])
    expect(await ask('dig.aaaa', 'www.example')).toEqual(['fd00::80'])
    expect(await ask('dig.CNAME', 'mail.example')).toBe('www.example.')
    expect(await ask('dig.cname', 'mail.example')).toBe('www.example.')
    expect(await ask('dig.PTR', '10.0.0.80')).toEqual(['www.example.'])
    expect(await ask('dig.ptr', '10.0.0.80')).toEqual(['www.example.'])
    expect(await ask('dig.NS', 'example')).toEqual(['127.0.0.1'])
    expect(await ask('dig.ns', 'example', { resolve: false })).toEqual(['ns.example.'])
    expect(await ask('dig.MX', 'example')).toEqual([['10', 'www.example.']])
    expect(await ask('dig.mx', 'example', { resolve: true })).toEqual([['10', '10.0.0.80']])
    expect(await ask('dig.TXT', 'text.example')).toEqual(['"two words"'])
  })

  test('dig follows included senders of mail once each', async () => {
    expect(await ask('dig.SPF', 'example')).toEqual(['192.0.2.0/24', 'fd00::/8'])
    expect(await ask('dig.spf', 'www.example')).toEqual([])
  })

  test('dig takes a name that looks like an option for a name', async () => {
    expect(await ask('dig.A', '-f/etc/hosts')).toEqual([])
    expect(await salt.call('dig.check_ip', ['10.0.0.0/8'])).toBe(true)
    expect(await salt.call('dig.check_ip', ['10.0.0'])).toBe(false)
  })

  test('ddns adds a host with its address, and removes both', async () => {
    expect(await salt.call('ddns.add_host', ['example', 'web1', 60, '10.0.0.1'])).toBe(true)
    expect([await ask('dig.A', 'web1.example'), await ask('dig.PTR', '10.0.0.1')]).toEqual([
      ['10.0.0.1'],
      ['web1.example.'],
    ])
    expect(await salt.call('ddns.update', ['example', 'web1', 60, 'A', '10.0.0.1'])).toBeNull()
    expect(await salt.call('ddns.delete_host', ['example', 'web1'])).toBe(true)
    expect([await ask('dig.A', 'web1.example'), await ask('dig.PTR', '10.0.0.1')]).toEqual([[], ['']])
    expect(await salt.call('ddns.delete_host', ['example', 'web1'])).toBeNull()
  })

  test('the runner function ddns.create creates a record once', async () => {
    const runner = (await runnerTable['ddns']![0]!.load()).default
    const call = async (name: string, args: Value[], kwargs: Record<string, Plain>) =>
      fromPlain(await salt.call(name, args, kwargs))
    const ctx = { function: call, host: network.host, log: silentLog, opts: new Map() } as unknown as MasterContext
    const record = { zone: 'example', name: 'run1', ttl: '60', rdtype: 'A', data: '10.0.0.7', nameserver: '127.0.0.1' }
    const keys = { keyname: 'update-key', keyfile: join(folder, 'keys.json'), keyalgorithm: 'HMAC-SHA256' }
    const create = () => runner.functions['create']!.run(ctx, { ...record, ...keys, timeout: 5, port: 53 } as never)
    expect(toPlain((await create()) as Value)).toEqual({
      'run1.example': "Created record of type 'A': run1.example -> 10.0.0.7",
    })
    expect(toPlain((await create()) as Value)).toEqual({
      'run1.example': "Record of type 'A' already exists with ttl of 60",
    })
    expect(await ask('dig.A', 'run1.example')).toEqual(['10.0.0.7'])
  })

  test('ddns refuses a name that holds another command', async () => {
    const hostile = 'x 60 A 10.0.0.9\nupdate delete www.example.'
    await expect(salt.call('ddns.add_host', ['example', hostile, 60, '10.0.0.9'])).rejects.toThrow(
      'A DNS record cannot hold line ends',
    )
    const data = 'v\nupdate delete www.example.'
    await expect(salt.call('ddns.update', ['example', 'text', 60, 'TXT', data])).rejects.toThrow(
      'cannot hold line ends',
    )
    const written = '"v"\\nupdate delete www.example.'
    expect(await salt.call('ddns.update', ['example', 'text', 60, 'TXT', written])).not.toBeNull()
    expect(await ask('dig.A', 'www.example')).toEqual(['10.0.0.80'])
  })

  test('ddns states settle after one run', async () => {
    const record = { name: 'db1', zone: 'example', ttl: 30, data: '10.0.0.5' }
    expect((await salt.state('ddns.present', record, true)).comment).toBe('A record "db1" will be updated')
    expect((await salt.state('ddns.present', record)).comment).toBe('Updated A record for "db1"')
    expect((await salt.state('ddns.present', record)).comment).toBe('A record "db1" already present with ttl of 30')
    const gone = { name: 'db1', zone: 'example', rdtype: 'A' }
    expect((await salt.state('ddns.absent', gone)).changes).toEqual({ Deleted: { name: 'db1', zone: 'example' } })
    expect((await salt.state('ddns.absent', gone)).comment).toBe('No matching DNS record(s) present')
    const wrong = { ...record, keyfile: join(folder, 'none.json') }
    expect((await salt.state('ddns.present', wrong)).result).toBe(false)
  })
})
