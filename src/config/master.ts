// Reads a master's options: defaults, then the files, then derived options. Programs that only talk to a master read
// the same, then the user's own file and token.
import { readFileSync, statSync } from 'node:fs'
import { homedir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { isA, type Log, recover, silentLog } from '../base/mod.ts'
import {
  compileRegex,
  type Dict,
  isDict,
  isInt,
  isList,
  PyError,
  str,
  textOf,
  truthy,
  type Value,
} from '../data/mod.ts'
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
import { defaultConfig, type ProcessEnvironment, readConfigFiles } from './files.ts'
import { checkLogging, spreadLogFormat } from './log-options.ts'
import { appendDomain, findId } from './minion-id.ts'
import { defaultsOf } from './option.ts'
import { OLD_NAMES, OPTIONS, THEMES } from './options.ts'
import { isPlainPath, moveBelowRoot, normalRoots } from './paths.ts'
import { isRegularFile, readConfigFile } from './read-file.ts'
import { applySdb, type FetchSdb } from './sdb.ts'
import { inheritSources, keepSources, type Sources, sourcesIn, whereSet } from './source.ts'
import type { ConfigRenderer } from './templates.ts'
import { option, rawOption } from './view.ts'
import { checkPools, poolsInForce } from './worker-pools.ts'

export const MASTER_CONFIG = defaultConfig('master')

export interface MasterConfigRequest {
  path?: string
  env?: ProcessEnvironment
  log?: Log
  /** Fetches the values of `sdb://` URIs in options. Default: the URIs stay. */
  fetchSdb?: FetchSdb
  program?: string
  /** Renders files that are templates. */
  render?: ConfigRenderer | undefined
  /** Whether the files are only looked at: nothing is written or renamed. */
  isLook?: boolean | undefined
  /** Whether the program needs an option; all are needed unless given. Templates that set no needed option are not rendered. */
  needs?: ((name: string) => boolean) | undefined
}

/** Options of these themes, and options that only functions read, are of no use to a program that asks a master by its sockets. */
const OF_SERVERS = ['File server', 'Git', 'Pillar', 'Windows repository']

/** Return whether `salt` and its like need an option. */
export function isForClients(name: string): boolean {
  const current = OLD_NAMES.get(name) ?? name
  if (name === 'include' || name === 'default_include') return true
  return Object.hasOwn(OPTIONS, current) && !OF_SERVERS.some((theme) => Object.hasOwn(THEMES.get(theme)!, current))
}

/** Return whether masters have an option of that name. */
export const isMasterOption = (name: string): boolean => Object.hasOwn(OPTIONS, OLD_NAMES.get(name) ?? name)

/** The defaults of masters. */
export function masterDefaults(): Dict {
  return defaultsOf(OPTIONS, 'master')
}

export async function masterConfig(request: MasterConfigRequest = {}): Promise<Dict> {
  return readMasterConfig(request, request.log ?? silentLog)
}

/** Read the options of a master. `serviceLog` gets the warnings about options without effect, which concern only the master. */
async function readMasterConfig(request: MasterConfigRequest, serviceLog: Log): Promise<Dict> {
  const { path = MASTER_CONFIG, env = process.env, log = silentLog } = request
  const { render, needs, isLook } = request
  const settle = (soFar: Dict, known: Sources) => deriveMaster(soFar, known, { log: silentLog })
  const asked = { role: 'master', path, env, log, render, needs, settle, isLook } as const
  const { overrides, sources } = await readConfigFiles(asked)
  tellProblems(checkNames(sources, 'master'), log)
  tellProblems(checkEffects(overrides, sources, 'master'), serviceLog)
  const opts = await deriveMaster(overrides, sources, { ...request, log })
  const fetched = await applySdb(opts, log, request.fetchSdb)
  checkSshMinionOptions(opts, log)
  tellProblems(checkTypes(opts, sources), log)
  tellProblems(checkPlugins(opts, sources), serviceLog)
  checkMinionFiles(opts, sources, serviceLog)
  checkPorts(opts, sources)
  checkLogging(opts, sources, log)
  keepSources(opts, { sources, fetched })
  opts.set('nodegroups', repackGroups(rawOption(opts, 'nodegroups')))
  return opts
}

/**
 * Return the options that `salt-syndic` reads from the master on its machine; the syndic's files are below the root,
 * too.
 */
export async function syndicMasterConfig(request: MasterConfigRequest = {}): Promise<Dict> {
  const opts = await masterConfig(request)
  moveBelowRoot(opts, ['syndic_pidfile', ...(isPlainPath(opts.get('syndic_log_file')) ? ['syndic_log_file'] : [])])
  return opts
}

/**
 * Return the options for `salt` and similar programs: the master's options, the user's own file, and the token of a
 * login.
 */
export async function clientConfig(request: MasterConfigRequest = {}): Promise<Dict> {
  const { env = process.env, log = silentLog } = request
  const xdg = join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'salt')
  const hasXdg = statSync(xdg, { throwIfNoEntry: false })?.isDirectory() ?? false
  const opts: Dict = new Map<Value, Value>([['token_file', join(hasXdg ? xdg : homedir(), 'salt_token')]])
  const ofMaster = await readMasterConfig(request, silentLog)
  for (const [key, value] of ofMaster) opts.set(key, value)
  inheritSources(ofMaster, opts)
  const usual = hasXdg ? join(xdg, 'saltrc') : join(homedir(), '.saltrc')
  const named = env['SALT_CLIENT_CONFIG']
  const own = named && isRegularFile(named) ? named : usual
  if (isRegularFile(own)) addOwnFile(opts, own, log)
  readToken(opts)
  const listening = opts.get('interface')
  if (listening === '0.0.0.0') opts.set('interface', '127.0.0.1')
  else if (listening === '::') opts.set('interface', '::1')
  if (!opts.has('master_uri')) {
    const host = str(opts.get('interface')!)
    opts.set('master_uri', `tcp://${host.includes(':') ? `[${host}]` : host}:${str(opts.get('ret_port')!)}`)
  }
  return opts
}

function addOwnFile(opts: Dict, file: string, log: Log): void {
  const own = readConfigFile(file, log)
  tellProblems(checkEffects(own, sourcesIn(own, file), 'master'), log)
  for (const [key, value] of own) opts.set(key, value)
}

/** Warn about `minionfs` without `file_recv`: it serves files that minions pushed. */
function checkMinionFiles(opts: Dict, sources: Sources, log: Log): void {
  if (!option(opts, 'fileserver_backend').includes('minionfs') || option(opts, 'file_recv')) return
  const where = whereSet(sources, 'fileserver_backend')
  log(
    'warning',
    `Option 'fileserver_backend'${where} names 'minionfs', which serves nothing while file_recv is not set`,
  )
}

function readToken(opts: Dict): void {
  const file = resolve(str(opts.get('token_file')!).replace(/^~(?=\/|$)/, homedir()))
  opts.set('token_file', file)
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat?.isFile()) return
  const life = option(opts, 'token_expire')
  if (stat.mtimeMs / 1000 + life > Date.now() / 1000) opts.set('token', readFileSync(file, 'utf8').trim())
}

async function deriveMaster(
  overrides: Dict,
  sources: Sources,
  request: MasterConfigRequest & { log: Log },
): Promise<Dict> {
  const { log } = request
  const opts = masterDefaults()
  opts.set('__role', 'master')
  opts.set('__fs_update', true)
  placeLogFile(overrides, opts.get('log_file')!)
  renameOld(overrides, sources, log)
  for (const [key, value] of overrides) opts.set(key, value)
  spreadLogFormat(opts, overrides)
  requireTypes(opts, sources)
  keepRightsForRest(opts, log)
  opts.set('__cli', request.program ?? '')
  adoptEnvironment(opts, 'master', log)
  renameBackends(opts)
  shortenSocketPath(opts)
  opts.set('token_dir', join(str(opts.get('cachedir')!), 'tokens'))
  opts.set('syndic_dir', join(str(opts.get('cachedir')!), 'syndics'))
  placeExtensions(opts)
  setWriteBuffer(opts, overrides, totalmem)
  await setMasterId(opts, log)
  moveMasterPaths(opts)
  settleCluster(opts, log)
  opts.set('open_mode', opts.get('open_mode') === true)
  opts.set('auto_accept', opts.get('auto_accept') === true)
  opts.set('file_roots', normalRoots(rawOption(opts, 'file_roots'), 'file_roots', '/srv/salt', log))
  opts.set('pillar_roots', normalRoots(rawOption(opts, 'pillar_roots'), 'file_roots', '/srv/salt', log))
  listIgnored(opts, log)
  settleWorkers(opts, log)
  opts.set('hash_type', str(opts.get('hash_type')!).toLowerCase())
  checkSsl(opts, log)
  checkDiscovery(opts, 'master')
  checkAlgorithm(opts, 'publish_signing_algorithm', ' publish signging', 'signing')
  checkAlgorithm(opts, 'cluster_encryption_algorithm', 'cluster encryption', 'encryption')
  return opts
}

/** The REST login keeps no password to look rights up with later. */
function keepRightsForRest(opts: Dict, log: Log): void {
  const logins = rawOption(opts, 'external_auth')
  if (!isDict(logins) || !logins.has('rest')) return
  if (opts.get('keep_acl_in_token') === false) {
    const what = "The 'rest' external_auth backend requires 'keep_acl_in_token' to be True."
    log('warning', `${what} Setting 'keep_acl_in_token' to True.`)
  }
  opts.set('keep_acl_in_token', true)
}

async function setMasterId(opts: Dict, log: Log): Promise<void> {
  let id = option(opts, 'id')
  const given = id !== ''
  let isAddress = false
  if (!given) ({ id, isAddress } = await findId(opts, { log, remember: false }))
  const domain = opts.get('append_domain')
  if (!isAddress && domain !== undefined) id = appendDomain(id, domain)
  opts.set('id', given ? id : `${id}_master`)
}

const MASTER_PATHS = [
  'pki_dir',
  'cachedir',
  'pidfile',
  'sock_dir',
  'extension_modules',
  'autosign_file',
  'autoreject_file',
  'token_dir',
  'syndic_dir',
  'sqlite_queue_dir',
  'autosign_grains_dir',
]

function moveMasterPaths(opts: Dict): void {
  const logs = ['log_file', 'key_logfile', 'ssh_log_file'].filter((name) => isPlainPath(opts.get(name)))
  moveBelowRoot(opts, [...MASTER_PATHS, ...logs])
}

function settleCluster(opts: Dict, log: Log): void {
  const has = (name: string): boolean => truthy(opts.get(name) ?? null)
  // the older way to say it: a list of all masters and no name
  if (opts.get('cluster_mode') === true && has('cluster_masters') && !has('cluster_id'))
    opts.set('cluster_id', 'cluster')
  if (rawOption(opts, 'cluster_id') !== null) {
    if (!has('cluster_peers') && !has('cluster_masters') && !has('cluster_secret')) {
      log('warning', 'Cluster id defined without defining cluster peers')
      opts.set('cluster_peers', [])
    }
    if (!has('cluster_pki_dir')) {
      log('warning', 'Cluster id defined without defining cluster pki, falling back to pki_dir')
      opts.set('cluster_pki_dir', opts.get('pki_dir')!)
    }
    // the keys of minions are in the cluster's directory
    opts.set('pki_dir', opts.get('cluster_pki_dir')!)
    return
  }
  if (has('cluster_peers')) {
    log('warning', 'Cluster peers defined without a cluster_id, ignoring.')
    opts.set('cluster_peers', [])
  }
  if (has('cluster_pki_dir')) {
    log('warning', 'Cluster pki dir defined without a cluster_id, ignoring.')
    opts.set('cluster_pki_dir', null)
  }
}

/** Ignore rules as lists; regular expressions that are none are left out. */
function listIgnored(opts: Dict, log: Log): void {
  const asList = (name: string): Value[] => {
    const value = opts.get(name) ?? null
    return isList(value) ? value : truthy(value) ? [value] : []
  }
  opts.set('file_ignore_glob', asList('file_ignore_glob'))
  opts.set(
    'file_ignore_regex',
    asList('file_ignore_regex').filter((pattern) => {
      if (isRegex(pattern)) return true
      log('warning', `Unable to parse file_ignore_regex. Skipping: ${str(pattern)}`)
      return false
    }),
  )
}

function isRegex(pattern: Value): boolean {
  return recover(isA(PyError), false, () => {
    compileRegex(textOf(pattern) ?? '')
    return textOf(pattern) !== undefined
  })
}

function settleWorkers(opts: Dict, log: Log): void {
  const threads = rawOption(opts, 'worker_threads')
  if (isInt(threads) && threads < 3 && truthy(rawOption(opts, 'peer'))) {
    const what = `The 'worker_threads' setting in '${str(opts.get('conf_file')!)}' cannot be lower than 3.`
    log('warning', `${what} Resetting it to the default value of 3.`)
    opts.set('worker_threads', 3)
  }
  if (!option(opts, 'worker_pools_enabled')) return
  const pools = poolsInForce(opts)
  checkPools(pools)
  opts.set('worker_pools', pools)
}

/** Warn about options for SSH minions that would replace the master's own. */
function checkSshMinionOptions(opts: Dict, log: Log): void {
  const given = opts.get('ssh_minion_opts')
  if (given === undefined) return
  if (!isDict(given)) {
    log('error', 'Invalidly-formatted ssh_minion_opts')
    opts.delete('ssh_minion_opts')
    return
  }
  for (const key of [...given.keys()]) {
    const name = str(key)
    const refused = /^[a-z0-9]+fs_/i.test(name) || name === 'fileserver_backend'
    if (!refused && !(name.includes('pillar') && name !== 'ssh_merge_pillar')) continue
    log('warning', `'${name}' is not a valid ssh_minion_opts parameter, ignoring`)
    given.delete(key)
  }
}

/** Node groups may be a list of one-entry dicts; nothing at all means none. */
function repackGroups(groups: Value): Value {
  if (groups === null) return new Map()
  if (!isList(groups) || !groups.every((group) => isDict(group) && group.size === 1)) return groups
  return new Map(groups.flatMap((group) => [...(group as Dict)]))
}
