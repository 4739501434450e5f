// The interface of the master to a system of external authentication.
import type { Log } from '../../base/mod.ts'
import type { Dict, Value } from '../../data/mod.ts'

export interface AuthContext {
  opts: Dict
  /** The backend's part of `external_auth`: rules, and options that begin with `^`. */
  config: Dict
  log: Log
  /** The host that a login comes from; missing for programs inside the master. */
  host?: string | undefined
}

export interface AuthBackend {
  /** Whether the credentials are the user's. */
  check(credentials: Dict, ctx: AuthContext): boolean | Promise<boolean>
  /** The name of the user that credentials are of. */
  name(credentials: Dict): string
  groups?(user: string, ctx: AuthContext): string[] | Promise<string[]>
  /** Return the access list that the backend itself has for a user; it replaces those of the options. */
  list?(user: string, ctx: AuthContext): Value[] | undefined | Promise<Value[] | undefined>
}
