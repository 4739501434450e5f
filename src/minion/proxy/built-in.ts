// The built-in proxy modules, as in Salt 3008: a simulated device for first attempts, and the module of a process that
// runs several proxy minions.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAnyError, makeOwnFolder, recover } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import {
  type Dict,
  decodeMsgpack,
  dictFrom,
  encodeMsgpack,
  fromPlain,
  isDict,
  SaltError,
  str,
  truthy,
  type Value,
} from '../../data/mod.ts'
import type { OwnProxy } from '../../pybridge/mod.ts'

type ProxyFunction = (opts: Dict, args: readonly Value[], kwargs: Dict) => Value

const beginning = (): Dict =>
  fromPlain({
    services: { apache: 'running', ntp: 'running', samba: 'stopped' },
    packages: { coreutils: '1.0', apache: '2.4', tinc: '1.4', redbull: '999.99' },
  }) as Dict

/** The id of a proxy minion is checked to be a valid file name. */
const stateFile = (opts: Dict): string => join(option(opts, 'cachedir'), `dummy-proxy-${option(opts, 'id')}.cache`)

function readState(opts: Dict): Dict {
  const file = stateFile(opts)
  const read = (): Value => (existsSync(file) ? decodeMsgpack(readFileSync(file), { dialect: 'bus' }) : null)
  // an unreadable file is replaced
  const known = recover(isAnyError, null, read)
  return isDict(known) ? known : beginning()
}

const part = (state: Dict, name: 'services' | 'packages'): Dict => {
  const found = state.get(name) ?? null
  if (isDict(found)) return found
  const fresh: Dict = new Map()
  state.set(name, fresh)
  return fresh
}

const reads =
  (of: (state: Dict, name: string) => Value): ProxyFunction =>
  (opts, [name = null]) =>
    of(readState(opts), str(name))

const writes =
  (change: (state: Dict, name: string, kwargs: Dict) => Value): ProxyFunction =>
  (opts, [name = null], kwargs) => {
    const state = readState(opts)
    const value = change(state, str(name), kwargs)
    makeOwnFolder(option(opts, 'cachedir'))
    writeFileSync(stateFile(opts), encodeMsgpack(state, 'bus'), { mode: 0o600 })
    return value
  }

const setsService = (status: string): ProxyFunction =>
  writes((state, name) => {
    part(state, 'services').set(name, status)
    return status
  })

const grainsOfDummy = (): Dict => dictFrom({ dummy_grain_1: 'one', dummy_grain_2: 'two', dummy_grain_3: 'three' })

/** Initialise the device; `raise_commandexec_error` and `raise_minion_error` in the pillar make it fail. */
const initDummy: ProxyFunction = (opts, args, kwargs) => {
  const settings = opts.get('proxy') ?? null
  const asked = (name: string): boolean => isDict(settings) && truthy(settings.get(name) ?? false)
  if (asked('raise_minion_error')) throw new SaltError('MinionError', 'Raising A MinionError.')
  if (asked('raise_commandexec_error')) {
    throw new SaltError('CommandExecutionError', 'Raising A CommandExecutionError.')
  }
  return writes((state) => {
    state.set('initialized', true)
    return null
  })(opts, args, kwargs)
}

const DUMMY: Readonly<Record<string, ProxyFunction>> = {
  init: initDummy,
  initialized: reads((state) => truthy(state.get('initialized') ?? false)),
  grains: grainsOfDummy,
  grains_refresh: grainsOfDummy,
  ping: () => true,
  shutdown: () => null,
  service_start: setsService('running'),
  service_stop: setsService('stopped'),
  service_restart: () => true,
  service_list: reads((state) => [...part(state, 'services').keys()]),
  service_status: reads((state, name) =>
    dictFrom({ comment: part(state, 'services').get(name) === 'running' ? 'running' : 'stopped' }),
  ),
  package_list: reads((state) => part(state, 'packages')),
  package_install: writes((state, name, kwargs) => {
    const version = str(truthy(kwargs.get('version') ?? false) ? kwargs.get('version')! : '1.0')
    part(state, 'packages').set(name, version)
    return new Map([[name, version]])
  }),
  package_remove: writes((state, name) => {
    part(state, 'packages').delete(name)
    return part(state, 'packages')
  }),
  package_status: reads((state, name) => {
    const version = part(state, 'packages').get(name)
    return version === undefined ? null : new Map([[name, version]])
  }),
  upgrade: writes((state) => {
    const packages = part(state, 'packages')
    for (const [name, version] of packages) packages.set(name, nextVersion(str(version)))
    return packages
  }),
  uptodate: reads((state) => part(state, 'packages')),
  test_from_state: () => 'testvalue',
}

/** Return the version plus one, as Python prints the number. */
function nextVersion(version: string): string {
  const next = Number.parseFloat(version) + 1
  return Number.isInteger(next) ? `${next}.0` : String(next)
}

/** The module of a control proxy, whose process also runs the proxy minions under `ids` in its pillar. */
const DELTAPROXY: Readonly<Record<string, ProxyFunction>> = {
  init: () => null,
  initialized: () => true,
  ping: () => true,
  shutdown: () => null,
}

const BUILT_IN: ReadonlyMap<string, Readonly<Record<string, ProxyFunction>>> = new Map([
  ['dummy', DUMMY],
  ['deltaproxy', DELTAPROXY],
])

export const builtInProxies: readonly string[] = [...BUILT_IN.keys()]

export function builtInProxy(name: string): OwnProxy | undefined {
  const functions = BUILT_IN.get(name)
  return (
    functions && {
      functions: Object.keys(functions),
      source: () => undefined,
      process: () => undefined,
      call: async ({ opts }, fun, args, kwargs = new Map()) => functions[fun]!(opts, args, kwargs),
      callWithOptions: async ({ opts }, fun) => functions[fun]!(opts, [], new Map()),
    }
  )
}
