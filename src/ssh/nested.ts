// Requests of functions of a target to other targets, to minions and to the master. The controller sends them, because
// a target cannot.
import { option } from '../config/mod.ts'
import { type Dict, SaltError, type Value } from '../data/mod.ts'
import { type MasterAccess, runMasterFunction } from '../runner/mod.ts'
import type { SshAnswer } from './answer.ts'
import type { RunSshCommand, SshParts } from './parts.ts'

export interface NestedRequest {
  tgt: Value
  tgtType: string
  fun: string
  words: readonly Value[]
  /** A roster other than that of the surrounding job. */
  roster?: string | null
  /** Seconds. */
  timeout?: number
  /** The function is a name of the mine. */
  isMine?: boolean
}

export class NestedCalls {
  /** The target whose function sends the request. */
  readonly id: string
  private readonly parts: SshParts
  private readonly run: RunSshCommand

  constructor(parts: SshParts, id: string, run: RunSshCommand) {
    this.parts = parts
    this.id = id
    this.run = run
  }

  /** Run a function on targets of rosters. */
  onTargets({ roster, timeout, ...request }: NestedRequest): Promise<Map<string, SshAnswer>> {
    const { progress: _, hint: __, ...parts } = this.parts
    const opts: Dict = new Map(parts.opts)
    if (roster) opts.set('roster', roster)
    if (timeout !== undefined) opts.set('timeout', timeout)
    return this.run({ ...parts, opts }, { ...request, user: option(opts, 'user') })
  }

  /** Return mine data of minions. */
  async mineOfMinions(load: Dict): Promise<Dict> {
    const { minedData } = await import('../master/mod.ts')
    return minedData(this.master(), new Map(load).set('id', this.id))
  }

  /** Run a function on minions, where `peer` of the master allows it to this target. */
  async onMinions(load: Dict): Promise<Dict> {
    const { publishForPeer } = await import('../master/mod.ts')
    return publishForPeer(this.master(), new Map(load).set('id', this.id))
  }

  async runner(fun: string, args: readonly Value[]): Promise<Value> {
    const master = this.master()
    await master.functions.refreshFor('runner', fun)
    if (!master.functions.runners.has(fun)) {
      throw new SaltError('CommandExecutionError', `'${fun}' is not available.`)
    }
    const user = option(this.parts.opts, 'user')
    const { value } = await runMasterFunction(master, { family: 'runner', fun, args, kwargs: new Map(), user })
    await this.parts.display?.(value)
    return value
  }

  private master(): MasterAccess {
    const { master } = this.parts
    if (master) return master
    throw new SaltError('CommandExecutionError', 'There is no master beside this call of salt-ssh')
  }
}
