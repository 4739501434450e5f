// A target without a minion: its machine over ssh, its options, and what its functions ask of the master.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, makeOwnFolder, PRIVATE_FILE } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, str, truthy, type Value } from '../data/mod.ts'
import { LocalFileClient } from '../fileserver/mod.ts'
import { type Host, SshHost, type SshTarget } from '../host/mod.ts'
import type { ModuleTable, Registry, RegistryContext } from '../loader/mod.ts'
import { MachineSession, minionFunctions } from '../minion/mod.ts'
import { LocalPillar } from '../pillar/mod.ts'
import type { DaemonAccess, FunctionContext } from '../sdk/mod.ts'
import { type RosterEntry, sshTarget } from './roster/mod.ts'
import { sessionOptions, targetPillarOptions } from './session-options.ts'
import { targetLog } from './target-log.ts'

export interface SshSessionParts {
  /** The master's options, with those of the program laid over them. */
  opts: Dict
  log: Log
  /** Ends what runs on the target. */
  signal?: AbortSignal
  /** The private folder for the sockets of connections. */
  runtimeDir: string
  /** Whether a shell waits on the target for the next program. */
  leavesShell?: boolean
  /** What functions ask of the master. */
  askMaster: (session: SshSession, load: Dict) => Promise<Value>
  hint?: FunctionContext['hint']
  /** The modules; those of the library unless given. */
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
    const log = targetLog(parts.log, entry.id)
    const given = [parts.opts.get('ssh_grains'), entry.settings.get('grains')]
    this.session = new MachineSession({
      ...{ opts, machine, log },
      ...(signal && { signal }),
      files: ({ controller, whole }) => new LocalFileClient(opts, controller, log, whole),
      pillar: (grains, { controller }) => this.compilePillar(grains, controller),
      daemon: this.daemon(),
      more: { masked: false, ...(hint && { hint }) },
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
      running: () => [],
      signal: () => false,
    }
  }

  /** What is kept about a target counts for the machine and the user that it was about: an id may move to another machine. */
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
    const { log } = this.parts
    const opts = targetPillarOptions(this.parts.opts, this.opts)
    const registry = minionFunctions({ opts, grains, pillar: new Map(), host, log })
    await registry.refresh()
    const local = new LocalPillar({ opts, grains, host, registry, log })
    const pillarenv = option(this.opts, 'pillarenv') ?? null
    const { pillar } = await local.compile({ pillarenv: pillarenv === null ? null : str(pillarenv) })
    opts.set('pillar', pillar)
    this.opts.set('pillar', pillar)
    return { pillar, freshPillar: local.freshPillar, pillarOrigins: local.pillarOrigins }
  }

  async close(): Promise<void> {
    await this.session.close()
  }
}
