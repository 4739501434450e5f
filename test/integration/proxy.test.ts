// Proxy minions: devices behind a process of their own, by proxy modules of users and by those that are built in.
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { minionConfig } from '../../src/config/mod.ts'
import type { Dict } from '../../src/data/mod.ts'
import { Minion, ProxyGroup } from '../../src/minion/mod.ts'
import { until } from '../until.ts'
import { type TestMaster, TestSite } from './site.ts'

const SWITCH = `
import os
__proxyenabled__ = ["switch"]
STATE = {}

class Connection:
    def __init__(self, host):
        self.host = host

    def send(self, text):
        return "{}: {}".format(self.host, text)

def init(opts):
    if os.path.exists(opts["proxy"]["off"]):
        raise OSError("the switch is off")
    STATE["connection"] = Connection(opts["proxy"]["host"])
    __context__["began"] = STATE.get("began", 0) + 1
    STATE["began"] = __context__["began"]

def initialized():
    return "connection" in STATE

def connection():
    return STATE["connection"]

def began():
    return __context__["began"]

def grains():
    return {"vendor": "acme"}

def ping():
    return STATE["connection"].send("pong")

def alive(opts):
    return not os.path.exists(opts["proxy"]["lost"])

def end():
    os._exit(3)

def shutdown(opts):
    STATE.pop("connection")
    open(opts["proxy"]["ended"], "w").close()
`

const MODULE = `
import salt.utils.platform

def __virtual__():
    return salt.utils.platform.is_proxy()

def show():
    return __proxy__["switch.connection"]().send("shown")

def began():
    return __proxy__["switch.began"]()

def end():
    return __proxy__["switch.end"]()
`

const OWN_GRAINS = `
__proxyenabled__ = ["*"]

def rack(proxy=None):
    return {"device": proxy["switch.connection"]().host if proxy else None}
`

/** Grains that do not say that they are for proxy minions. */
const OTHER_GRAINS = 'def machine():\n    return {"of_machine": True}\n'

let site: TestSite
let master: TestMaster

beforeEach(async () => {
  site = await TestSite.open()
})
afterEach(() => site.close())

async function openMaster(pillar: Record<string, unknown>): Promise<void> {
  const roots = join(site.root, 'pillar')
  mkdirSync(roots, { recursive: true })
  const top = Object.fromEntries(Object.keys(pillar).map((id) => [id, [id]]))
  writeFileSync(join(roots, 'top.sls'), JSON.stringify({ base: top }))
  for (const [id, proxy] of Object.entries(pillar)) writeFileSync(join(roots, `${id}.sls`), JSON.stringify({ proxy }))
  master = await site.master('master', '127.0.0.1', { pillar_roots: { base: [roots] } })
  for (const [path, text] of [
    ['_proxy/switch.py', SWITCH],
    ['_modules/net.py', MODULE],
    ['_grains/device.py', OWN_GRAINS],
    ['_grains/machine.py', OTHER_GRAINS],
  ] as const) {
    const file = join(site.root, 'srv', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

const switchPillar = (host: string): Record<string, string> => ({
  proxytype: 'switch',
  host,
  off: join(site.root, 'off'),
  lost: join(site.root, 'lost'),
  ended: join(site.root, 'ended'),
})

test('A proxy module is synced and initialised, and serves modules, grains and pings', async () => {
  await openMaster({ sw1: switchPillar('rack7') })
  const minion = await site.proxy('sw1')
  expect(await master.ask('sw1', 'test.ping')).toBe('rack7: pong')
  expect(await master.ask('sw1', 'net.show')).toBe('rack7: shown')
  expect(await master.ask('sw1', 'grains.item', ['os', 'vendor', 'device', 'of_machine'])).toEqual({
    os: 'proxy',
    vendor: 'acme',
    device: 'rack7',
    of_machine: '',
  })
  await minion.close()
  expect(existsSync(join(site.root, 'ended'))).toBe(true)
})

test('A device is initialised again after Python ended, and when the proxy module finds it lost', async () => {
  await openMaster({ sw1: switchPillar('rack7') })
  await site.proxy('sw1')
  expect(await master.ask('sw1', 'net.began')).toBe(1)
  expect(await master.ask('sw1', 'status.proxy_reconnect', ['switch'])).toBe(true)
  expect(await master.ask('sw1', 'net.began')).toBe(1)
  writeFileSync(join(site.root, 'lost'), '')
  expect(await master.ask('sw1', 'status.proxy_reconnect', ['switch'])).toBe(true)
  expect(await master.ask('sw1', 'net.began')).toBe(2)
  expect(await master.ask('sw1', 'net.end')).toContain('ended with status 3')
  expect(await master.ask('sw1', 'test.ping')).toBe('rack7: pong')
  expect(await master.ask('sw1', 'net.began')).toBe(1)
})

test('A device that is off is tried again, and says so in the log', async () => {
  await openMaster({ sw1: switchPillar('rack7') })
  const off = join(site.root, 'off')
  writeFileSync(off, '')
  const logged: string[] = []
  const opened = site.proxy('sw1', {}, (_level, text) => void logged.push(text))
  await until('the line of the log', () => logged.some((text) => text.includes('the switch is off')))
  rmSync(off)
  await opened
  expect(await master.ask('sw1', 'test.ping')).toBe('rack7: pong')
})

test('A changed proxy module whose device is off is loaded once, however often modules are refreshed', async () => {
  await openMaster({ sw1: switchPillar('rack7') })
  const logged: string[] = []
  await site.proxy('sw1', {}, (_level, text) => void logged.push(text))
  writeFileSync(join(site.root, 'off'), '')
  appendFileSync(join(site.root, 'srv/_proxy/switch.py'), '\n# changed\n')
  await master.ask('sw1', 'saltutil.sync_proxymodules')
  await master.ask('sw1', 'saltutil.refresh_modules')
  await until('the device is tried', () => logged.some((text) => text.includes('the switch is off')))
  await master.ask('sw1', 'saltutil.refresh_modules')
  expect(logged.filter((text) => text.includes('is loaded anew'))).toHaveLength(1)
})

test.each([
  ['without a pillar', 'nothing', 'No proxy key found in pillar or opts for id nothing.'],
  ['of an unknown type', 'odd', 'Proxymodule unheard could not be loaded: there is no file for it'],
])('A proxy minion %s ends with the reason', async (_what, id, reason) => {
  await openMaster({ odd: { proxytype: 'unheard' } })
  await expect(site.proxy(id)).rejects.toThrow(reason)
})

test('Proxy minions under `ids` run in the process of their control proxy, each with its own state', async () => {
  await openMaster({
    control: { proxytype: 'deltaproxy', ids: ['sw1', 'sw2', 'nothing'] },
    sw1: switchPillar('one'),
    sw2: switchPillar('two'),
  })
  await site.proxy('control', { metaproxy: 'deltaproxy' })
  await master.event(/^salt\/minion\/sw1\/start$/)
  await master.event(/^salt\/minion\/sw2\/start$/)
  expect(await master.ask('control', 'test.ping')).toBe(true)
  expect(await master.ask('sw1', 'net.show')).toBe('one: shown')
  expect(await master.ask('sw2', 'net.show')).toBe('two: shown')
})

test('A group that is closed while it reads the options of a listed proxy minion does not start it', async () => {
  await openMaster({ control: { proxytype: 'deltaproxy', ids: ['sw1'] }, sw1: switchPillar('one') })
  const path = site.minionConfig('control', { metaproxy: 'deltaproxy' }, 'proxy')
  const opts = await minionConfig({ path, proxyId: 'control' })
  let read = (_opts: Dict): void => {}
  const options = new Promise<Dict>((done) => {
    read = done
  })
  const group = new ProxyGroup({ opts, log: silentLog, optionsOf: () => options })
  await group.open()
  await group.close()
  const opened = vi.spyOn(Minion.prototype, 'open')
  read(await minionConfig({ path, proxyId: 'sw1' }))
  await options
  await setImmediate()
  expect(opened).not.toHaveBeenCalled()
  opened.mockRestore()
})

test('A kind of proxy minion that Brine does not have ends salt-proxy with the name of the option', async () => {
  await openMaster({ sw1: switchPillar('one') })
  await expect(site.proxy('sw1', { metaproxy: 'fleet' })).rejects.toThrow("option 'metaproxy' is 'fleet'")
})

test('States reach the device through modules, and a proxy module in TypeScript serves like one in Python', async () => {
  await openMaster({ ts1: { proxytype: 'tiny', host: 'rack9' } })
  const write = (path: string, text: string): void => writeFileSync(join(site.root, 'srv', path), text)
  write(
    '_proxy/tiny.ts',
    `let host = ''
export function init(opts: Map<string, any>) { host = opts.get('proxy').get('host') }
export function ping() { return host }
export function port(name: string) { return name + ' of ' + host }
export function shutdown() {}
`,
  )
  write('_modules/net.py', 'def port(name):\n    return __proxy__["tiny.port"](name)\n')
  write('ports.sls', "port:\n  test.configurable_test_state:\n    - comment: {{ salt['net.port']('eth1') }}\n")
  await site.proxy('ts1')
  expect(await master.ask('ts1', 'test.ping')).toBe('rack9')
  expect(await master.ask('ts1', 'net.port', ['eth0'])).toBe('eth0 of rack9')
  const [state] = Object.values((await master.ask('ts1', 'state.apply', ['ports'])) as Record<string, unknown>)
  expect(state).toMatchObject({ comment: 'eth1 of rack9' })
})

test('The built-in type `dummy` has packages and services', async () => {
  await openMaster({ dummy1: { proxytype: 'dummy' } })
  await site.proxy('dummy1')
  expect(await master.ask('dummy1', 'test.ping')).toBe(true)
  expect(await master.ask('dummy1', 'pkg.install', ['vim'])).toEqual({ vim: '1.0' })
  expect(await master.ask('dummy1', 'pkg.version', ['vim'])).toBe('1.0')
  expect(await master.ask('dummy1', 'service.status', ['samba'])).toBe(false)
  expect(await master.ask('dummy1', 'service.start', ['samba'])).toBe('running')
  expect(await master.ask('dummy1', 'service.status', ['samba'])).toBe(true)
  expect(await master.ask('dummy1', 'service.list')).toEqual(['apache', 'ntp', 'samba'])
})
