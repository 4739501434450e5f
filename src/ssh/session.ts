// A target without a minion: its machine over ssh, its options, and requests of its functions to the master.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { askedBy, isAskedByTarget, type Log, makeOwnFolder, PRIVATE_FILE } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, SaltError, str, truthy, type Value } from '../data/mod.ts'
import { LocalFileClient } from '../fileserver/mod.ts'
import { type Host, SshHost, type SshTarget } from '../host/mod.ts'
import type { ModuleTable, Registry, RegistryContext } from '../loader/mod.ts'
import { MachineSession, minionFunctions } from '../minion/mod.ts'
import { LocalPillar } from '../pillar/mod.ts'
import { ownBackends } from '../pybridge/mod.ts'
import type { MasterAccess } from '../runner/mod.ts'
import type { DaemonAccess, FunctionContext, MasterReach, PillarRequest } from '../sdk/mod.ts'
import { type RosterEntry, sshTarget } from './roster/mod.ts'
import { sessionOptions, targetPillarOptions } from './session-options.ts'
import { stateRuns } from './state-runs.ts'
import { targetLog } from './target-log.ts'
import { isWrapped } from './wrapped.ts'

export interface SshSessionParts {
  /** The master's options, overridden by those of the program. */
  opts: Dict
  log: Log
  /** The job that the session is for, and its function. */
  jid?: string
  fun?: string
  /** Aborts commands on the target. */
  signal?: AbortSignal
  /** The private folder for the sockets of connections. */
  runtimeDir: string
  /** Whether a shell waits on the target for the next program. */
  leavesShell?: boolean
  /** Requests of functions to the master. */
  askMaster: (session: SshSession, load: Dict) => Promise<Value>
  /** The master beside, for pillar that calls its runner functions. */
  master?: MasterAccess
  hint?: FunctionContext['hint']
  /** The modules. Default: those of the library. */
  table?: ModuleTable
}

export class SshSession {
  readonly id: string
  readonly opts: Dict
  readonly entry: RosterEntry
  /** The machine itself, without the controller's cache. */
  readonly machine: SshHost
  private readonly parts: SshSessionParts
  private readonly target: SshTarget
  private readonly session: MachineSession

  private constructor(parts: SshSessionParts, entry: RosterEntry, reached: { machine: SshHost; target: SshTarget }) {
    const { signal, hint, table } = parts
    this.parts = parts
    this.entry = entry
    this.id = entry.id
    this.machine = reached.machine
    this.target = reached.target
    this.opts = sessionOptions(parts.opts, entry)
    const { opts, machine } = this
    const log = targetLog(parts.log, entry.id, parts.fun)
    const given = [parts.opts.get('ssh_grains'), entry.settings.get('grains')]
    this.session = new MachineSession({
      ...{ opts, machine, log },
      ...(signal && { signal }),
      files: ({ controller, whole }) => new LocalFileClient(opts, controller, log, whole, async () => ownBackends),
      pillar: (grains, { controller }) => this.compilePillar(grains, controller),
      daemon: this.daemon(),
      more: { masked: false, templateError, ...(hint && { hint }) },
      given: given.filter((grains): grains is Dict => grains !== undefined && isDict(grains)),
      refreshes: truthy(parts.opts.get('refresh_cache') ?? false),
      ...(table && { table }),
    })
  }

  /** Connect to the target. Throws SshError. */
  static async open(parts: SshSessionParts, entry: RosterEntry): Promise<SshSession> {
    const { opts, log, runtimeDir, leavesShell = false } = parts
    const target = sshTarget(entry, opts)
    const sshOptions = { log, runtimeDir, leavesShell, requestTimeout: option(opts, 'ssh_request_timeout') }
    return new SshSession(parts, entry, { target, machine: await SshHost.open(target, sshOptions) })
  }

  /** The functions of this target, with its grains and its pillar. */
  functions(): Promise<Registry> {
    this.claimFolder()
    return this.session.functions()
  }

  private daemon(): DaemonAccess {
    return {
      askMaster: (load) => this.parts.askMaster(this, load),
      // no minion listens on the target
      fire: async () => false,
      running: () => stateRuns(option(this.opts, 'cachedir'), this.parts.jid),
      signal: () => false,
    }
  }

  /** Cached data about a target is valid only for its machine and user: an id may move to another machine. */
  private claimFolder(): void {
    const folder = option(this.opts, 'cachedir')
    makeOwnFolder(folder)
    const { host, port, user, become, options } = this.target
    const about = createHash('sha256')
      .update(JSON.stringify([host, port, user, become?.user, options]))
      .digest('hex')
    const note = join(folder, 'machine')
    if (existsSync(note) && readFileSync(note, 'utf8') === about) return
    rmSync(join(folder, 'grains.cache.p'), { force: true })
    writeFileSync(note, about, { mode: PRIVATE_FILE })
  }

  /** Pillar is compiled as the master does it: here, with the master's options and functions of the master's machine. */
  private async compilePillar(grains: Dict, host: Host): Promise<{ pillar: Dict } & Partial<RegistryContext>> {
    const { log, master } = this.parts
    const opts = targetPillarOptions(this.parts.opts, this.opts)
    const daemon = { ...this.daemon(), ...(master && { masterBeside: () => masterReach(master) }) }
    const registry = minionFunctions({ opts, grains, pillar: new Map(), host, log, more: { daemon } })
    await registry.refresh()
    const local = new LocalPillar({ opts, grains, host, registry, log })
    const pillarenv = option(this.opts, 'pillarenv') ?? null
    const { pillar } = await local.compile({ pillarenv: pillarenv === null ? null : str(pillarenv) })
    opts.set('pillar', pillar)
    this.opts.set('pillar', pillar)
    // templates of the pillar belong to the master, whoever requests it; data that must be decrypted for it does not
    const whoAsks = ({ overrideEncoding }: PillarRequest) =>
      isAskedByTarget() && overrideEncoding !== null ? 'target' : 'owner'
    return {
      pillar,
      freshPillar: (request) => askedBy(whoAsks(request), () => local.freshPillar(request)),
      pillarOrigins: (path, request) => askedBy(whoAsks(request), () => local.pillarOrigins(path, request)),
    }
  }

  async close(): Promise<void> {
    await this.session.close()
  }
}

/** Return the functions of the master for execution functions. */
async function masterReach(master: MasterAccess): Promise<MasterReach | undefined> {
  const { callingContext } = await import('../runner/mod.ts')
  const context = callingContext(master, { jid: '', user: 'UNKNOWN', tag: 'salt/run' })
  return (await context.functions()).master
}

/** Salt calls most functions of a template by a program on the target, whose error text contains the function. */
function templateError(name: string, error: unknown): unknown {
  const isNamed = error instanceof SaltError && error.code === 'CommandExecutionError' && !isWrapped(name)
  return isNamed ? new SaltError(error.code, `Error running '${name}': ${error.message}`) : error
}
