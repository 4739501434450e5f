// Reads a minion's options: defaults, then the files, then derived options. Programs apply the command line afterwards.
import { totalmem } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { type Log, silentLog } from '../base/mod.ts'
import { type Dict, dictFrom, isList, repr, str, truthy, type Value } from '../data/mod.ts'
import { checkEffects, checkNames, checkPlugins, checkPorts, checkTypes, renameOld, tellProblems } from './check.ts'
import {
  adoptEnvironment,
  checkAlgorithm,
  checkDiscovery,
  checkSsl,
  placeExtensions,
  placeLogFile,
  renameBackends,
  requireTypes,
  setWriteBuffer,
  shortenSocketPath,
} from './derive.ts'
import { ConfigError } from './errors.ts'
import { defaultConfig, type ProcessEnvironment, readConfigFiles } from './files.ts'
import { checkLogging, spreadLogFormat } from './log-options.ts'
import { appendDomain, type CallFunction, findId } from './minion-id.ts'
import { defaultsOf } from './option.ts'
import { OPTIONS } from './options.ts'
import { isPlainPath, moveBelowRoot, normalRoots } from './paths.ts'
import { applySdb, type FetchSdb } from './sdb.ts'
import { keepSources, type Sources } from './source.ts'
import type { ConfigRenderer } from './templates.ts'
import { rawOption } from './view.ts'

export const MINION_CONFIG = defaultConfig('minion')
export const PROXY_CONFIG = defaultConfig('proxy')

export interface MinionConfigRequest {
  /** The main file. */
  path?: string
  /** Environment variables. Default: those of this process. */
  env?: ProcessEnvironment
  log?: Log
  /** The id, when no file says it. */
  id?: string | undefined
  /** The id of a proxy minion, in place of a minion's. */
  proxyId?: string | undefined
  /** Whether an id that was found is written to `minion_id`. */
  rememberId?: boolean
  /** Calls execution functions for `id_function`. */
  callFunction?: CallFunction
  /** Fetches the values of `sdb://` URIs in options. Default: the URIs stay. */
  fetchSdb?: FetchSdb
  /** The program's name, which functions see as `__cli`. */
  program?: string
  /** Renders files that are templates. */
  render?: ConfigRenderer | undefined
  /** Whether the files are only looked at: nothing is written or renamed. */
  isLook?: boolean | undefined
}

/** Salt's options for the delays before a minion reconnects. */
const RECONNECT_OPTIONS = ['recon_default', 'recon_max', 'recon_randomize', 'tcp_reconnect_backoff']

/** The defaults of minions. */
export function minionDefaults(): Dict {
  return defaultsOf(OPTIONS, 'minion')
}

export async function minionConfig(request: MinionConfigRequest = {}): Promise<Dict> {
  const { proxyId, id = proxyId } = request
  const role = proxyId === undefined ? 'minion' : 'proxy'
  if (proxyId !== undefined) checkProxyId(proxyId)
  const { path = defaultConfig(role), env = process.env, log = silentLog } = request
  const { render, isLook } = request
  const settle = (soFar: Dict, known: Sources) => deriveMinion(soFar, known, { ...UNHEARD, id, proxyId })
  const { overrides, sources } = await readConfigFiles({ role, path, env, log, render, settle, isLook, proxyId })
  tellProblems(checkNames(sources, 'minion'), log)
  tellProblems(checkEffects(overrides, sources, 'minion'), log)
  const opts = await deriveMinion(overrides, sources, { ...request, id, log })
  const fetched = await applySdb(opts, log, request.fetchSdb)
  tellProblems(checkTypes(opts, sources), log)
  tellProblems(checkPlugins(opts, sources), log)
  checkPorts(opts, sources)
  checkLogging(opts, sources, log)
  keepSources(opts, { sources, fetched })
  joinReturners(opts)
  return opts
}

/** A proxy minion's id names folders. */
function checkProxyId(id: string): void {
  if (/^(?!\.{1,2}$)[^/\0\n]{1,255}$/.test(id)) return
  throw new ConfigError('OptionInvalid', `The id of a proxy minion cannot be ${repr(id)}`)
}

/** Return the defaults that differ for a proxy minion. */
const proxyDefaults = (): Dict =>
  dictFrom({
    log_file: '/var/log/salt/proxy',
    pki_dir: '/etc/salt/pki/proxy',
    cachedir: '/var/cache/salt/proxy',
    extension_modules: '/var/cache/salt/proxy/extmods',
    sock_dir: '/var/run/salt/proxy',
    pidfile: '/var/run/salt-proxy.pid',
    append_minionid_config_dirs: ['cachedir', 'pidfile', 'default_include', 'extension_modules'],
    default_include: 'proxy.d/*.conf',
  })

/** Settings for preliminary options that templates see: nothing is logged or stored, because they are not final. */
const UNHEARD = { log: silentLog, rememberId: false }

async function deriveMinion(
  overrides: Dict,
  sources: Sources,
  request: MinionConfigRequest & { log: Log },
): Promise<Dict> {
  const { log } = request
  const opts = minionDefaults()
  opts.set('__role', 'minion')
  if (request.proxyId !== undefined) {
    for (const [name, value] of proxyDefaults()) opts.set(name, value)
    opts.set('proxyid', request.proxyId)
  }
  placeLogFile(overrides, opts.get('log_file')!)
  renameOld(overrides, sources, log)
  for (const [key, value] of overrides) opts.set(key, value)
  spreadLogFormat(opts, overrides)
  // use shorter delays than Salt if the files set none
  if (!RECONNECT_OPTIONS.some((name) => overrides.has(name))) opts.set('__quick_reconnect', true)
  requireTypes(opts, sources)
  adoptEnvironment(opts, 'minion', log)
  renameBackends(opts)
  opts.set('__cli', request.program ?? '')
  await setId(opts, request)
  appendId(opts)
  shortenSocketPath(opts)
  // only a plain `true` opens the doors
  opts.set('open_mode', opts.get('open_mode') === true)
  opts.set('file_roots', normalRoots(rawOption(opts, 'file_roots'), 'file_roots', '/srv/salt', log))
  opts.set('pillar_roots', normalRoots(rawOption(opts, 'pillar_roots'), 'pillar_roots', '/srv/pillar', log))
  placeExtensions(opts)
  const logs = ['log_file', 'key_logfile'].filter((name) => isPlainPath(opts.get(name)))
  moveBelowRoot(opts, ['pki_dir', 'cachedir', 'sock_dir', 'extension_modules', 'pidfile', ...logs])
  if (!opts.has('beacons')) opts.set('beacons', new Map())
  setWriteBuffer(opts, overrides, totalmem)
  opts.set('hash_type', str(opts.get('hash_type')!).toLowerCase())
  checkSsl(opts, log)
  checkDiscovery(opts, 'minion')
  checkAlgorithm(opts, 'encryption_algorithm', 'encryption', 'encryption')
  checkAlgorithm(opts, 'signing_algorithm', 'signging', 'signing')
  if (!opts.has('__cachedir')) opts.set('__cachedir', opts.get('cachedir')!)
  return opts
}

async function setId(opts: Dict, request: MinionConfigRequest & { log: Log }): Promise<void> {
  let isAddress = false
  if (!truthy(rawOption(opts, 'id'))) {
    const { log, rememberId = false, callFunction } = request
    const found = request.id ? undefined : await findId(opts, { log, remember: rememberId, callFunction })
    opts.set('id', request.id ?? found!.id)
    isAddress = found?.isAddress ?? false
  }
  const domain = opts.get('append_domain')
  if (!isAddress && domain !== undefined) opts.set('id', appendDomain(str(opts.get('id')!), domain))
}

/** Lets several minions of one machine live side by side. */
function appendId(opts: Dict): void {
  const names = rawOption(opts, 'append_minionid_config_dirs')
  const id = str(opts.get('id')!)
  for (const name of isList(names) ? names : []) {
    const value = opts.get(name)
    if (typeof value !== 'string') continue
    if (name === 'pki_dir' || name === 'cachedir' || name === 'extension_modules') opts.set(name, join(value, id))
    else if (name === 'default_include') opts.set(name, join(dirname(value), id, basename(value)))
    else if (name === 'pidfile') opts.set(name, join(dirname(value), 'salt', id, basename(value)))
  }
}

function joinReturners(opts: Dict): void {
  const returners = rawOption(opts, 'return')
  if (isList(returners)) opts.set('return', (returners as Value[]).map(str).join(','))
}
