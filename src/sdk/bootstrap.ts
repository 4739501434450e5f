// Installation of minions on hosts over SSH, for runner functions.
import type { Dict } from '../data/mod.ts'

export interface BootstrapRequest {
  /** Ids and globs of the roster; names and addresses besides, unless the caller is from outside. */
  hosts: readonly string[]
  /** Options of salt-ssh that replace those of the master, such as `roster` and `ssh_user`. */
  options: Dict
  /** Files of the package; none for the programs of this installation. */
  packages: readonly string[]
  /** Name or address of this master, as the minions reach it. */
  master?: string
  /** Seconds to wait until a minion answers. */
  timeout: number
  /** The caller has not the rights of the master's owner. */
  isFromOutside: boolean
}

/** The result for one host. */
export interface BootstrapOutcome {
  id: string
  failed: boolean
  /** A description of the work, or the failed step with its reason. */
  text: string
}

export interface BootstrapReach {
  /** Put minions of this master on hosts. */
  bootstrap(request: BootstrapRequest): Promise<BootstrapOutcome[]>
}
