// A site for checks: its daemons with their options, its trees, its minions, and its own modules.
import type { Role } from '../../config/mod.ts'
import type { Dict } from '../../data/mod.ts'
import type { OwnModules } from './own-modules.ts'
import type { SiteTree } from './site-tree.ts'

/** The request from the command line, as plain data, because it is sent to another process. */
export interface DoctorRequest {
  configDir: string
  /** The root of the site's file system. Default: `/`. */
  root: string
  /** Replace the roots of the configuration. */
  fileRoots: string[]
  pillarRoots: string[]
  /** Files of grains, for minions that the cache does not know. */
  grains: string[]
  /** A glob of minion ids. */
  minion: string | undefined
  isOnline: boolean
  /** A folder of this examination for files of Git repositories; empty to read none. */
  scratch: string
  /** Whether Python modules are imported. */
  doesImport: boolean
}

export interface SiteDaemon {
  role: Role
  /** The main file; it need not exist. */
  file: string
  /** Whether a configuration file exists. */
  isConfigured: boolean
  opts: Dict
  /** All files of the configuration. */
  files: string[]
}

export interface KnownMinion {
  id: string
  grains: Dict
  /** The pillar that the master has in its cache. */
  pillar: Dict | undefined
  /** `example` for a generated minion, if none is known. */
  from: 'cache' | 'file' | 'own' | 'example'
}

export interface Site {
  request: DoctorRequest
  daemons: readonly SiteDaemon[]
  /** The options under which pillar is compiled, and the tree is served. */
  serving: SiteDaemon
  states: SiteTree
  pillar: SiteTree
  minions: readonly KnownMinion[]
  /** Accepted minions without further data. */
  withoutGrains: readonly string[]
  own: OwnModules
}
