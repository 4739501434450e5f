// A machine without a minion that is reached over SSH: its host, grains, pillar and functions. The functions run in
// this process and reach the machine only through its host. Data about it is kept in its own `cachedir` on this side.
import { type Log, makeOwnFolder, namedLog } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { FileClient } from '../fileserver/mod.ts'
import { collectGrains } from '../grains/mod.ts'
import { endingHost, type Host, LocalHost, loggedHost, type SshHost, splitHost } from '../host/mod.ts'
import { loggerName, type ModuleTable, type Registry, type RegistryContext } from '../loader/mod.ts'
import { type DaemonAccess, listedOnce, syncModules } from '../sdk/mod.ts'
import { minionFunctions } from './functions.ts'

/** The managing side of a machine, and the machine with its cache folder on the managing side. */
export interface MachineSides {
  controller: Host
  whole: Host
}

export interface MachineParts {
  /** The options of a minion, with the local folder of the machine as `cachedir`. */
  opts: Dict
  machine: SshHost
  log: Log
  /** Aborts commands on the machine. */
  signal?: AbortSignal
  files(sides: MachineSides): FileClient
  /** Return the pillar and related context. */
  pillar(grains: Dict, sides: MachineSides): Promise<{ pillar: Dict } & Partial<RegistryContext>>
  daemon: DaemonAccess
  more?: Partial<RegistryContext>
  /** Known grains; the machine is then not queried. */
  grains?: Dict
  /** Grains to merge over those of the machine. */
  given?: readonly Dict[]
  /** Query grains even if they are cached. */
  refreshes?: boolean
  /** The modules. Default: those of the library. */
  table?: ModuleTable
}

/** Kinds of users' own modules that a call may need. */
const FAMILIES = ['modules', 'states', 'grains', 'renderers', 'returners', 'utils', 'matchers', 'sdb']

export class MachineSession {
  readonly machine: SshHost
  private readonly parts: MachineParts
  private readonly sides: MachineSides
  private opened: Promise<Registry> | undefined

  constructor(parts: MachineParts) {
    const { opts, machine, signal, log } = parts
    const folder = option(opts, 'cachedir')
    const controller = new LocalHost({ cache: folder })
    const split = splitHost({ folder, controller, target: machine })
    const ending = signal ? endingHost(split, signal) : split
    this.parts = parts
    this.machine = machine
    this.sides = { controller, whole: loggedHost(ending, namedLog(log, loggerName('module', 'cmd'))) }
  }

  /** The functions of this machine, with its grains and its pillar. */
  functions(): Promise<Registry> {
    this.opened ??= this.open()
    return this.opened
  }

  private async open(): Promise<Registry> {
    const { opts, log, daemon, table, more } = this.parts
    makeOwnFolder(option(opts, 'cachedir'))
    const files = this.parts.files(this.sides)
    await this.syncModules(files)
    const grains = await this.grains()
    const { pillar, ...answers } = await this.parts.pillar(grains, this.sides)
    const functions = minionFunctions({
      ...{ opts, grains, pillar, log, files },
      host: this.sides.whole,
      more: { daemon, ...more, ...answers },
      ...(table && { table }),
    })
    await functions.refresh()
    return functions
  }

  /** Copies users' own modules from the file server to the cache of this machine. */
  private async syncModules(files: FileClient): Promise<void> {
    const { opts, log } = this.parts
    const host = this.sides.controller
    const envs = await files.envs()
    const offered = listedOnce(files)
    const lists = await Promise.all(envs.map((env) => offered(env)))
    const known = await host.stat(option(opts, 'extension_modules'))
    if (!known && !lists.some((paths) => paths.some((path) => path.startsWith('_')))) return
    const around = { opts, log, host, files }
    for (const family of FAMILIES) {
      const { touched } = await syncModules(around, { family, envs, offered, whitelist: null, blacklist: null })
      const cached = `${option(opts, 'cachedir')}/grains.cache.p`
      if (touched && family === 'grains' && (await host.stat(cached))) await host.remove(cached)
    }
  }

  /** Return the grains of the machine merged with the given ones. */
  async grains(): Promise<Dict> {
    const { opts, given = [], refreshes = false } = this.parts
    const log = namedLog(this.parts.log, 'salt.loaded.int.grains.core')
    const told = this.parts.grains ?? (await collectGrains({ opts, host: this.sides.whole, log, refresh: refreshes }))
    const grains: Dict = new Map(told)
    for (const own of given) for (const [name, value] of own) grains.set(name, value)
    opts.set('grains', grains)
    return grains
  }

  async close(): Promise<void> {
    await this.machine.close()
  }
}
