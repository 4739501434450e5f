// The shared context of the parts of salt-ssh.
import type { Log } from '../../base/mod.ts'
import type { Dict } from '../../data/mod.ts'
import type { SocketAccess } from '../../runner/mod.ts'
import type { RosterEntry, SshAnswer, SshJob, SshJobRequest, SshParts } from '../../ssh/mod.ts'
import type { Asking } from '../questions.ts'
import type { Streams } from '../streams.ts'

export interface SshWork {
  opts: Dict
  log: Log
  streams: Streams
  questions: Asking
  /** The master's stores and its bus, whether a master runs or not. */
  access: SocketAccess
  /** Finds targets and runs jobs on them; replaced in tests. */
  targets: SshTargets
}

export interface SshTargets {
  find(work: SshWork): Promise<RosterEntry[]>
  run(parts: SshParts, entries: readonly RosterEntry[], request: SshJobRequest): Promise<SshJob>
  installKey(work: SshWork, entry: RosterEntry, password: string): Promise<void>
}

export type { RosterEntry, SshAnswer, SshJob, SshJobRequest }
