// A target without a minion: its machine over ssh, its grains, pillar and functions. The functions run here and reach the target
// through its host alone.
import { type Log, makeOwnFolder, namedLog } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, str, truthy, type Value } from '../data/mod.ts'
import { LocalFileClient } from '../fileserver/mod.ts'
import { collectGrains } from '../grains/mod.ts'
import { endingHost, type Host, LocalHost, loggedHost, SshHost, splitHost } from '../host/mod.ts'
import { loggerName, type Registry, type RegistryContext } from '../loader/mod.ts'
import { minionFunctions } from '../minion/mod.ts'
import { LocalPillar } from '../pillar/mod.ts'
import { type DaemonAccess, type FunctionContext, listedOnce, syncModules } from '../sdk/mod.ts'
import { type RosterEntry, sshTarget } from './roster/mod.ts'
import { pillarOptions, sessionOptions } from './session-options.ts'
import { targetLog } from './target-log.ts'

export interface SessionParts {
  /** The master's options, with those of the program laid over them. */
  opts: Dict
  log: Log
  /** Ends what runs on the target. */
  signal?: AbortSignal
  /** The private folder for the sockets of connections. */
  runtimeDir: string
  /** What functions ask of the master. */
  askMaster: (session: SshSession, load: Dict) => Promise<Value>
  hint?: FunctionContext['hint']
}

/** Kinds of users' own modules that a call may need. */
const FAMILIES = ['modules', 'states', 'grains', 'renderers', 'returners', 'utils', 'matchers', 'sdb']

export class SshSession {
  readonly id: string
  readonly opts: Dict
  readonly entry: RosterEntry
  /** The machine itself, without the controller's cache. */
  readonly machine: SshHost
  private readonly parts: SessionParts
  private readonly controller: Host
  /** The log of functions on the target. */
  private readonly log: Log
  private readonly host: Host
  private grains: Dict | undefined
  private opened: Promise<Registry> | undefined

  private constructor(parts: SessionParts, entry: RosterEntry, machine: SshHost) {
    const { signal } = parts
    const log = targetLog(parts.log, entry.id)
    this.parts = parts
    this.log = log
    this.entry = entry
    this.id = entry.id
    this.machine = machine
    this.opts = sessionOptions(parts.opts, entry)
    const folder = option(this.opts, 'cachedir')
    this.controller = new LocalHost({ cache: folder })
    const whole = splitHost({ folder, controller: this.controller, target: machine })
    const ending = signal ? endingHost(whole, signal) : whole
    this.host = loggedHost(ending, namedLog(log, loggerName('module', 'cmd')))
  }

  /** Connect to the target. Throws SshError. */
  static async open(parts: SessionParts, entry: RosterEntry): Promise<SshSession> {
    const { opts, log, runtimeDir } = parts
    const target = await sshTarget(entry, opts)
    return new SshSession(parts, entry, await SshHost.open(target, { log, runtimeDir }))
  }

  /** The functions of this target, with its grains and its pillar. */
  functions(): Promise<Registry> {
    this.opened ??= this.open()
    return this.opened
  }

  private async open(): Promise<Registry> {
    const { log } = this
    makeOwnFolder(option(this.opts, 'cachedir'))
    const files = new LocalFileClient(this.opts, this.controller, log, this.host)
    await this.syncModules(files)
    this.grains = await this.collectGrains()
    const { pillar, ...answers } = await this.compilePillar(this.grains)
    const daemon: DaemonAccess = {
      askMaster: (load) => this.parts.askMaster(this, load),
      // no minion listens on the target
      fire: async () => false,
      running: () => [],
      signal: () => false,
    }
    const { hint } = this.parts
    const more: Partial<RegistryContext> = { daemon, masked: false, ...(hint && { hint }), ...answers }
    const { opts, grains, host } = this
    const functions = minionFunctions({ opts, grains, pillar, host, log, files, more })
    await functions.refresh()
    return functions
  }

  /** Copies users' own modules from the file server to the cache of this target. */
  private async syncModules(files: LocalFileClient): Promise<void> {
    const { opts, controller: host } = this
    const envs = await files.envs()
    const offered = listedOnce(files)
    const lists = await Promise.all(envs.map((env) => offered(env)))
    const known = await host.stat(option(opts, 'extension_modules'))
    if (!known && !lists.some((paths) => paths.some((path) => path.startsWith('_')))) return
    const around = { opts, log: this.parts.log, host, files }
    for (const family of FAMILIES) {
      const { touched } = await syncModules(around, { family, envs, offered, whitelist: null, blacklist: null })
      const cached = `${option(opts, 'cachedir')}/grains.cache.p`
      if (touched && family === 'grains' && (await host.stat(cached))) await host.remove(cached)
    }
  }

  private async collectGrains(): Promise<Dict> {
    const { opts, host } = this
    const log = namedLog(this.log, 'salt.loaded.int.grains.core')
    const grains = await collectGrains({
      opts,
      host,
      log,
      refresh: truthy(this.parts.opts.get('refresh_cache') ?? false),
    })
    for (const given of [this.parts.opts.get('ssh_grains'), this.entry.settings.get('grains')]) {
      if (given !== undefined && isDict(given)) for (const [name, value] of given) grains.set(name, value)
    }
    opts.set('grains', grains)
    return grains
  }

  /** Pillar is compiled as the master does it: here, with the master's options and functions of the master's machine. */
  private async compilePillar(grains: Dict): Promise<{ pillar: Dict } & Partial<RegistryContext>> {
    const { log } = this.parts
    const opts = pillarOptions(this.parts.opts, this.opts)
    const registry = minionFunctions({ opts, grains, pillar: new Map(), host: this.controller, log })
    await registry.refresh()
    const local = new LocalPillar({ opts, grains, host: this.controller, registry, log })
    const pillarenv = this.opts.get('pillarenv') ?? null
    const { pillar } = await local.compile({ pillarenv: pillarenv === null ? null : str(pillarenv) })
    opts.set('pillar', pillar)
    this.opts.set('pillar', pillar)
    return { pillar, freshPillar: local.freshPillar, pillarOrigins: local.pillarOrigins }
  }

  async close(): Promise<void> {
    await this.machine.close()
  }
}
