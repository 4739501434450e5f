// The beacons of a minion: built-in ones, imported at first use, and users' own in Python. Each configured beacon has
// its own memory and watches, which end with it.
import { type FSWatcher, watch } from 'node:fs'
import { type Log, toError } from '../base/mod.ts'
import { type Dict, isList, str, truthy, type Value } from '../data/mod.ts'
import { beaconTable, type Registry } from '../loader/mod.ts'
import { userBeacons } from '../pybridge/mod.ts'
import type { BeaconContext, BeaconDeclaration } from '../sdk/mod.ts'
import { FollowedCommands } from './followed-commands.ts'

/** The result of a validation: true, or the reason, and the message for it. */
export interface Validity {
  valid: boolean
  comment: string
}

const VALID = 'Valid beacon configuration'

/** A kind of beacon, built in or a user's. */
export interface BeaconKind {
  validate(config: Value, options: Dict): Promise<Validity>
  look(ctx: BeaconContext, config: Value, options: Dict): Promise<Dict[]>
}

function ownKind(declaration: BeaconDeclaration, has: BeaconContext['has']): BeaconKind {
  return {
    validate: async (config, options) => {
      if (!isList(config)) {
        return { valid: false, comment: `Configuration for ${declaration.name} beacon must be a list.` }
      }
      const problem = declaration.validate(options, has)
      return { valid: problem === undefined, comment: problem ?? declaration.valid ?? VALID }
    },
    look: async (ctx, _config, options) => declaration.beacon(ctx, options),
  }
}

/** The resources of a configured beacon. */
interface Held {
  ctx: BeaconContext
  watches: Map<string, FSWatcher>
  commands: FollowedCommands
}

export class BeaconSet {
  private readonly log: Log
  private readonly contexts = new Map<string, Held>()
  /** Users' own beacons by requested name; all of them under the empty name. */
  private readonly users = new Map<string, Map<string, BeaconKind>>()

  constructor(log: Log) {
    this.log = log
  }

  /** The names of all beacons. */
  async names(functions: Registry): Promise<string[]> {
    const own = await Promise.all(
      Object.keys(beaconTable).map(async (name) => ((await this.serves(name, functions)) === true ? [name] : [])),
    )
    return [...own.flat(), ...(await this.usersOwn(functions)).keys()].sort()
  }

  async find(name: string, functions: Registry): Promise<BeaconKind | undefined> {
    const theirs = (await this.usersOwn(functions, name)).get(name)
    if (theirs) return theirs
    const serves = await this.serves(name, functions)
    if (serves !== true) {
      if (serves !== undefined) this.log('error', `Unable to load ${name} beacon: ${serves}`)
      return undefined
    }
    return ownKind((await beaconTable[name]!()).default, functions.ctx.has)
  }

  /** Return the context of a configured beacon; it stays the same between polls. */
  context(name: string, functions: Registry): BeaconContext {
    const { call, has, grains, opts, host } = functions.ctx
    const fresh = { call, has, grains, opts, host, log: this.log }
    const held = this.contexts.get(name)
    if (held) return Object.assign(held.ctx, fresh)
    const watches = new Map<string, FSWatcher>()
    const commands = new FollowedCommands(this.log)
    const ctx: BeaconContext = {
      ...fresh,
      memory: new Map(),
      watch: (path, hear) => this.watch(watches, path, hear),
      unwatch: (path) => {
        watches.get(path)?.close()
        watches.delete(path)
      },
      follow: (argv, hear) => commands.follow(ctx.host, argv, hear),
    }
    this.contexts.set(name, { ctx, watches, commands })
    return ctx
  }

  /** Drop the memory of a configured beacon, and end its watches and commands. */
  close(name: string): void {
    const held = this.contexts.get(name)
    for (const watcher of held?.watches.values() ?? []) watcher.close()
    held?.commands.close()
    this.contexts.delete(name)
  }

  closeAll(): void {
    for (const name of [...this.contexts.keys()]) this.close(name)
  }

  /** Looks for users' own again at their next use. */
  refresh(): void {
    this.users.clear()
  }

  private async usersOwn(functions: Registry, name = ''): Promise<Map<string, BeaconKind>> {
    const known = this.users.get(name)
    if (known) return known
    const found = await userBeacons(functions, name === '' ? undefined : [name])
    this.users.set(name, found)
    return found
  }

  /** True, or the reason why a built-in beacon cannot run here; undefined if it does not exist. */
  private async serves(name: string, functions: Registry): Promise<true | string | undefined> {
    if (!Object.hasOwn(beaconTable, name)) return undefined
    const { when } = (await beaconTable[name]!()).default
    return when ? when(this.context(`${name} (when)`, functions)) : true
  }

  private watch(watches: Map<string, FSWatcher>, path: string, hear: (name: string | null) => void): boolean {
    try {
      const watcher = watch(path, (_event, name) => hear(name))
      watcher.on('error', (error) => this.log('warning', `${path} can no longer be watched: ${error.message}`))
      watches.set(path, watcher)
      return true
    } catch (error) {
      this.log('warning', `${path} cannot be watched: ${toError(error).message}`)
      return false
    }
  }
}

/** Whether a set of options says that something is on. */
export const isOn = (options: Dict): boolean => truthy(options.get('enabled') ?? true)

export const beaconName = (mark: string, options: Dict): string => {
  const module = options.get('beacon_module') ?? null
  return truthy(module) ? str(module) : mark
}
