// The systems that know users: `external_auth` names them, and each user proves who they are to one of them.
import type { Log } from '../../base/mod.ts'
import type { Dict, Value } from '../../data/mod.ts'
import { moduleFiles } from '../../python/mod.ts'
import { ownBackend } from './backend-own.ts'

export interface AuthContext {
  opts: Dict
  /** The backend's part of `external_auth`: rules, and options that begin with `^`. */
  config: Dict
  log: Log
}

export interface AuthBackend {
  /** Whether the credentials are the user's. */
  check(credentials: Dict, ctx: AuthContext): boolean | Promise<boolean>
  /** The name of the user that credentials are of. */
  name(credentials: Dict): string
  groups?(user: string, ctx: AuthContext): string[] | Promise<string[]>
  /** Lists that the backend itself has for a user, in place of those of the options. */
  list?(user: string, ctx: AuthContext): Value[] | undefined | Promise<Value[] | undefined>
}

type Load = () => Promise<{ default: AuthBackend }>

const BACKENDS: Readonly<Record<string, Load>> = {
  auto: () => import('./backend-auto.ts'),
  file: () => import('./backend-file.ts'),
  ldap: () => import('./backend-ldap.ts'),
  pam: () => import('./backend-pam.ts'),
  rest: () => import('./backend-rest.ts'),
  sharedsecret: () => import('./backend-sharedsecret.ts'),
}

/** Users' own are asked before ours. */
export async function backend(name: string, opts: Dict, log: Log): Promise<AuthBackend | undefined> {
  const own = moduleFiles(opts, 'auth').length > 0 ? await ownBackend(name, opts, log) : undefined
  if (own) return own
  const load = Object.hasOwn(BACKENDS, name) ? BACKENDS[name] : undefined
  return load && (await load()).default
}
