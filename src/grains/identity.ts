// Grains about the minion itself: its user, directory, environment and names.
import { createHash } from 'node:crypto'
import { brineVersion, SALT_VERSION } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, dictFrom, truthy, type Value } from '../data/mod.ts'
import type { Machine } from './machine.ts'

export async function processGrains(machine: Machine): Promise<Dict> {
  const { host } = machine
  const { uid, gid } = await host.identity()
  const [user, env] = await Promise.all([host.user(uid), host.env()])
  const group = user === undefined ? undefined : await host.group(user.gid)
  const path = (env.get('PATH') ?? '').trim()
  return new Map<Value, Value>([
    ['username', user?.name ?? String(uid)],
    ['groupname', group?.name ?? ''],
    ['pid', process.pid],
    ['gid', gid],
    ['uid', uid],
    ['cwd', process.cwd()],
    ['path', path],
    ['systempath', path.split(':')],
    ['shell', env.get('SHELL') ?? '/bin/sh'],
  ])
}

/** The Python that Salt's own packages bring; formulas ask for its major version. */
const PYTHON: Value[] = [3, 11, 13, 'final', 0]
const ZEROMQ = '4.3.5'

/** Grains about Salt's own software, for formulas that read them. */
export async function softwareGrains(machine: Machine, opts: Dict): Promise<Dict> {
  const program = process.argv[1] ?? process.execPath
  const home = program.slice(0, Math.max(1, program.lastIndexOf('/')))
  const info = SALT_VERSION.split('.').map(Number)
  return new Map<Value, Value>([
    ['pythonversion', PYTHON],
    ['pythonpath', [home]],
    ['pythonexecutable', (await machine.which('python3')) ?? ''],
    ['saltpath', home],
    ['saltversion', SALT_VERSION],
    ['saltversioninfo', info],
    ['brine_version', brineVersion()],
    ['zmqversion', ZEROMQ],
    ['package', 'onedir'],
    ['ca_truststore', option(opts, 'use_os_truststore') ? 'os' : 'certifi'],
  ])
}

export function optionGrains(opts: Dict): Dict {
  const id = option(opts, 'id')
  const grains: Dict = dictFrom({ id, server_id: serverId(id), master: option(opts, 'master') })
  const domain = opts.get('append_domain')
  if (domain !== undefined) grains.set('append_domain', domain)
  const resources = option(opts, 'resources') ?? null
  if (truthy(resources)) grains.set('salt_resources', resources)
  if (truthy(opts.get('grain_opts') ?? false)) grains.set('opts', new Map(opts))
  return grains
}

/** Return a 31-bit number derived from the id. */
function serverId(id: string): number {
  const digest = createHash('sha256').update(id).digest()
  return digest.readUInt32BE(28) & 0x7fffffff
}

export async function machineIdGrain(machine: Machine): Promise<Dict> {
  const text = (await machine.text('/etc/machine-id')) ?? (await machine.text('/var/lib/dbus/machine-id'))
  return text === undefined ? new Map() : new Map([['machine_id', text.trim()]])
}

export async function localeGrain(machine: Machine): Promise<Dict> {
  const env = await machine.host.env()
  const named = ['LC_ALL', 'LC_CTYPE', 'LANG'].map((name) => env.get(name) ?? '').find((value) => value !== '') ?? 'C'
  const [language, encoding] = localeOf(named)
  const zone = env.get('TZ') === 'UTC' ? 'UTC' : await machine.output('date', '+%Z')
  const info: Dict = new Map<Value, Value>([
    ['defaultlanguage', language],
    ['defaultencoding', encoding],
    ['detectedencoding', 'utf-8'],
    ['timezone', zone || 'unknown'],
  ])
  return new Map([['locale_info', info]])
}

/** Return a locale as Python names it: none for `C`, and American English for `C.UTF-8`. */
export function localeOf(name: string): [language: string | null, encoding: string | null] {
  const [locale, rest] = name.split('.')
  if (rest === undefined) return locale === 'C' || locale === 'POSIX' ? [null, null] : [locale!, 'ISO8859-1']
  const encoding = rest
    .split('@')[0]!
    .toUpperCase()
    .replace(/^UTF8$/, 'UTF-8')
  return [locale === 'C' || locale === 'POSIX' ? 'en_US' : locale!, encoding]
}
