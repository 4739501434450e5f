// The authentication systems: `external_auth` names them, and each user authenticates with one of them.
import { type Log, Turns } from '../../base/mod.ts'
import type { Dict } from '../../data/mod.ts'
import { mayHaveModules } from '../../python/mod.ts'
import type { AuthBackend } from './auth-backend.ts'

type Load = () => Promise<{ default: AuthBackend }>

const BACKENDS: Readonly<Record<string, Load>> = {
  auto: () => import('./backend-auto.ts'),
  file: () => import('./backend-file.ts'),
  ldap: () => import('./backend-ldap.ts'),
  pam: () => import('./backend-pam.ts'),
  rest: () => import('./backend-rest.ts'),
  sharedsecret: () => import('./backend-sharedsecret.ts'),
}

/** The systems that are built in. */
export const BACKEND_NAMES: readonly string[] = Object.keys(BACKENDS)

/** Limit of logins that wait for one system: unauthenticated hosts could otherwise exhaust processes, sockets and memory. */
const MOST_WAITING = 256

const logins = new Map<string, Turns>()

/** Let a system judge few logins at the same time: hosts take turns, and so do the user names of a host. */
function bounded(name: string, system: AuthBackend): AuthBackend {
  const turns = logins.get(name) ?? new Turns({ mostWaiting: MOST_WAITING })
  logins.set(name, turns)
  return {
    ...system,
    check: (credentials, ctx) =>
      turns.run(
        [ctx.host ?? '', system.name(credentials)],
        () => system.check(credentials, ctx),
        () => {
          ctx.log('warning', `Too many logins wait for the ${name} system; one was turned away`)
          return false
        },
      ),
  }
}

/** Find a system by its name; users' own systems precede built-in ones. */
export async function backend(name: string, opts: Dict, log: Log): Promise<AuthBackend | undefined> {
  const own = mayHaveModules(opts, 'auth')
    ? await (await import('./backend-own.ts')).ownBackend(name, opts, log, BACKEND_NAMES)
    : undefined
  const load = Object.hasOwn(BACKENDS, name) ? BACKENDS[name] : undefined
  const system = own ?? (load && (await load()).default)
  return system && bounded(name, system)
}
