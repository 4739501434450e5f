// The functions beside a master: runner and wheel functions, and the functions of the minion on the master's machine.
import type { Log } from '../base/mod.ts'
import { type Dict, str } from '../data/mod.ts'
import { type Host, LocalHost } from '../host/mod.ts'
import { MasterRegistry, type Registry, runnerTable, wheelTable } from '../loader/mod.ts'

export type MasterFamily = 'runner' | 'wheel'

const REFRESH_MS = 1000

export interface FunctionParts {
  opts: Dict
  log: Log
  /** This machine unless given. */
  host?: Host
}

export class MasterFunctions {
  readonly runners = new MasterRegistry(runnerTable)
  readonly wheels = new MasterRegistry(wheelTable)
  private readonly parts: FunctionParts
  private refreshedAt = Number.NEGATIVE_INFINITY
  private made: Promise<Registry> | undefined

  constructor(parts: FunctionParts) {
    this.parts = parts
  }

  of(family: MasterFamily): MasterRegistry {
    return family === 'runner' ? this.runners : this.wheels
  }

  /** Load users' own runner and wheel functions, which may have changed. */
  async refresh(): Promise<void> {
    this.refreshedAt = performance.now()
    const { opts, log } = this.parts
    const { refreshMasterModules } = await import('../pybridge/mod.ts')
    await refreshMasterModules(opts, log, { runner: this.runners, wheel: this.wheels })
  }

  /** Refresh before a call of a function, unless users' own functions were loaded within the last second and it is known. */
  async refreshFor(family: MasterFamily, fun: string): Promise<void> {
    const isDue = performance.now() - this.refreshedAt >= REFRESH_MS
    if (isDue || !this.of(family).has(fun)) await this.refresh()
  }

  /** The functions of the minion on the master's machine, loaded at the first call. */
  minion(): Promise<Registry> {
    this.made ??= this.makeMinion()
    return this.made
  }

  private async makeMinion(): Promise<Registry> {
    const { opts, log, host = new LocalHost({ cache: str(opts.get('cachedir')!) }) } = this.parts
    const { masterMinion } = await import('../orchestrate/mod.ts')
    return masterMinion({ opts, log, host })
  }
}
