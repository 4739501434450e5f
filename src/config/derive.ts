// Derives the options that minions and masters share. Each step changes the options in place, if the values have the
// expected types; a value that no program can use is an error with its place.
import { basename, isAbsolute, join } from 'node:path'
import { didYouMean, type Log } from '../base/mod.ts'
import { type Dict, isDict, isList, str, textOf, truthy, typeName, update, type Value } from '../data/mod.ts'
import { ConfigError } from './errors.ts'
import type { Role } from './option.ts'
import { isPlainPath } from './paths.ts'
import { type Sources, whereSet } from './source.ts'
import { rawOption } from './view.ts'

const ENCRYPTION_ALGORITHMS = ['OAEP-SHA1', 'OAEP-SHA224']
const SIGNING_ALGORITHMS = ['PKCS1v15-SHA1', 'PKCS1v15-SHA224']

/** Refuses values that the derivations below cannot work with, each with its place. */
export function requireTypes(opts: Dict, sources: Sources): void {
  const wanted: Array<[names: string[], what: string, fits: (value: Value) => boolean]> = [
    [['root_dir', 'cachedir', 'sock_dir', 'hash_type'], 'text', (value) => textOf(value) !== undefined],
    [['fileserver_backend'], 'a list', isList],
  ]
  for (const [names, what, fits] of wanted) {
    for (const name of names) {
      const value = opts.get(name)
      if (value === undefined || fits(value)) continue
      const at = sources.get(name)
      const found = `Option '${name}'${whereSet(sources, name)} holds ${str(value)} (${typeName(value)})`
      throw new ConfigError('OptionInvalid', `${found}; ${what} is wanted`, at && { at })
    }
  }
}

/** `log_dir` makes a bare log file name a path. The address of a system log stays as it is. */
export function placeLogFile(overrides: Dict, defaultFile: Value): void {
  const folder = textOf(overrides.get('log_dir') ?? null)
  if (!folder) return
  const file = textOf(overrides.get('log_file') ?? null)
  if (!file) overrides.set('log_file', join(folder, basename(str(defaultFile))))
  else if (!isAbsolute(file) && isPlainPath(file)) overrides.set('log_file', join(folder, file))
}

/** Adopt `environment`, the old name of `saltenv`. */
export function adoptEnvironment(opts: Dict, role: Role, log: Log): void {
  const environment = opts.get('environment')
  if (environment === undefined) return
  const saltenv = rawOption(opts, 'saltenv')
  if (saltenv !== null) {
    const ignored = "Ignoring 'environment' in favor of 'saltenv'."
    log('warning', `The 'saltenv' and 'environment' ${role} config options cannot both be used. ${ignored}`)
    opts.set('environment', saltenv)
    return
  }
  const using = `Using ${str(environment)} as the 'saltenv' config value.`
  log('warning', `The 'environment' ${role} config option has been renamed to 'saltenv'. ${using}`)
  opts.set('saltenv', environment)
}

/** Replace the former short names of backends. */
export function renameBackends(opts: Dict): void {
  const backends = opts.get('fileserver_backend')
  if (!isList(backends ?? null)) return
  const names = (backends as Value[]).map((name) =>
    ['git', 'hg', 'svn', 'minion'].includes(str(name)) ? `${str(name)}fs` : name,
  )
  opts.set('fileserver_backend', names)
}

/** A socket's path may not be long: a deep directory is replaced by one below the cache. */
export function shortenSocketPath(opts: Dict): void {
  const cache = str(opts.get('cachedir')!)
  if (str(opts.get('sock_dir')!).length > cache.length + 10) opts.set('sock_dir', join(cache, '.salt-unix'))
}

export function placeExtensions(opts: Dict): void {
  const given = rawOption(opts, 'extension_modules')
  const folder = truthy(given) ? str(given) : join(str(opts.get('cachedir')!), 'extmods')
  opts.set('extension_modules', folder)
  if (!truthy(rawOption(opts, 'utils_dirs'))) opts.set('utils_dirs', [join(folder, 'utils')])
}

export function setWriteBuffer(opts: Dict, overrides: Dict, totalMemory: () => number): void {
  const given = overrides.get('ipc_write_buffer')
  if (given === undefined) opts.set('ipc_write_buffer', 0)
  else if (given === 'dynamic') {
    opts.set('ipc_write_buffer', Math.trunc(Math.max(totalMemory() * 0.05, 10 * 2 ** 20) * 0.5))
  }
}

const SSL_NAMES: Readonly<Record<string, readonly string[]>> = {
  cert_reqs: ['CERT_NONE', 'CERT_OPTIONAL', 'CERT_REQUIRED'],
  ssl_version: [
    'PROTOCOL_SSLv23',
    'PROTOCOL_TLS',
    'PROTOCOL_TLS_CLIENT',
    'PROTOCOL_TLS_SERVER',
    'PROTOCOL_TLSv1',
    'PROTOCOL_TLSv1_1',
    'PROTOCOL_TLSv1_2',
  ],
}

const SSL_FILES = ['certfile', 'keyfile', 'ca_certs', 'ciphers', 'verify_locations', 'verify_flags']

/** Flags of Python that ask for nothing which is not done anyway. */
const SSL_USUAL_FLAGS = ['VERIFY_DEFAULT', 'VERIFY_X509_TRUSTED_FIRST']

/** Report unused names, and refuse flags that request stricter checks than are implemented. */
function checkSslNames(ssl: Dict, log: Log): void {
  const known = [...Object.keys(SSL_NAMES), ...SSL_FILES]
  for (const key of ssl.keys()) {
    if (known.includes(str(key))) continue
    const hint = didYouMean(str(key), known) ?? `There are ${known.join(', ')}`
    log('warning', `SSL option '${str(key)}' is not known and has no effect. ${hint}`)
  }
  const flags = ssl.get('verify_flags') ?? []
  const foreign = (isList(flags) ? flags.map(str) : [str(flags)]).filter(
    (flag) => !SSL_USUAL_FLAGS.includes(flag.toUpperCase()),
  )
  if (foreign.length > 0) {
    throw new ConfigError('OptionInvalid', `SSL option 'verify_flags' cannot be ${foreign.join(', ')} here`)
  }
}

export function checkSsl(opts: Dict, log: Log): void {
  const ssl = rawOption(opts, 'ssl')
  if (ssl === null || ssl === false) opts.set('ssl', null)
  else if (ssl === true) opts.set('ssl', new Map())
  else if (isDict(ssl)) {
    checkSslNames(ssl, log)
    for (const [key, names] of Object.entries(SSL_NAMES)) {
      const value = ssl.get(key) ?? null
      if (value === null || names.includes(str(value))) continue
      const list = `'${names.join("', '")}'`
      const message = `SSL option '${key}' must be set to one of the following values: ${list}.`
      throw new ConfigError('OptionInvalid', message)
    }
  }
}

export function checkDiscovery(opts: Dict, role: Role): void {
  const given = rawOption(opts, 'discovery')
  if (given === null || given === false) return
  const chosen: Dict = isDict(given) ? given : new Map()
  const all: Array<[string, Value]> = [
    ['attempts', 3],
    ['pause', 5],
    ['port', 4520],
    ['match', 'any'],
    ['mapping', new Map()],
  ]
  for (const key of chosen.keys()) {
    if (!all.some(([name]) => name === key)) {
      throw new ConfigError('OptionInvalid', `Unknown discovery option: ${str(key)}`)
    }
  }
  const mine = role === 'minion' ? all : all.filter(([name]) => name === 'port' || name === 'mapping')
  opts.set('discovery', update(new Map<Value, Value>(mine), chosen, { mergeLists: true }))
}

/** Salt misspells one of these words; people may search for it. */
export function checkAlgorithm(opts: Dict, name: string, what: string, kind: 'encryption' | 'signing'): void {
  const value = opts.get(name) ?? null
  const valid = kind === 'encryption' ? ENCRYPTION_ALGORITHMS : SIGNING_ALGORITHMS
  if (valid.includes(str(value))) return
  const choice = `Please specify one of ${valid.join(',')}.`
  throw new ConfigError('OptionInvalid', `The ${what} algorithm '${str(value)}' is not valid. ${choice}`)
}
