// The interface of a roster backend: a reader that lists possible targets with their settings.
import type { Log } from '../../base/mod.ts'
import type { Dict, Value } from '../../data/mod.ts'
import type { Host } from '../../host/mod.ts'
import type { DataCache, PkiKeys } from '../../store/mod.ts'

export interface RosterRequest {
  /** The master's options, overridden by those of the command line. */
  opts: Dict
  log: Log
  tgt: Value
  tgtType: string
  /** Whether the target must be in a roster; a host that only the target names is then ignored. */
  isInRoster?: boolean
  /** The machine that salt-ssh runs on. */
  host: Host
  /** Render a roster file; by default with the renderer of the options. */
  render?: (file: string) => Promise<Value>
  /** The master's cache of grains, pillar and mine, for the `cache` roster and for matching by data. */
  cache?: DataCache
  /** The master's keys of minions, for the `cache` roster. */
  keys?: PkiKeys
}

/**
 * Settings of one target in its roster: a map, or a text that is the host. A function reads them on demand; it returns
 * undefined after it has reported that they cannot be read.
 */
export type RawEntry = Value | (() => Promise<Value | undefined>)

export interface RosterListing {
  /** The file, directory or server that was read, for messages. */
  source: string
  entries: ReadonlyMap<string, RawEntry>
  /** Ids by group, if the roster has groups. */
  groups?: ReadonlyMap<string, readonly string[]>
}

export interface Backend {
  read(request: RosterRequest): Promise<RosterListing>
  /** Whether the target is an expression that the backend itself reads: then all listed entries match. */
  readonly chooses?: boolean
}
