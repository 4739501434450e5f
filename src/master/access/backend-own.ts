// Users' own authentication: files in `_auth` with a function `auth`, whose parameters take the fields of a request
// with the same names, and optionally `groups` and `acl`.
import { type Log, toError } from '../../base/mod.ts'
import { briefStr, type Dict, isList, str, truthy, type Value } from '../../data/mod.ts'
import { type UserPlugin, userPlugins } from '../../pybridge/mod.ts'
import { answersOf } from '../../python/mod.ts'
import type { AuthBackend } from './auth-backend.ts'

/** Fields of the protocol, which are not passed to users' functions. */
const INTERNAL: ReadonlySet<string> = new Set([
  ...['cmd', 'jid', 'eauth', 'key', 'token', 'fun', 'arg', 'kwarg', 'kwargs', 'tgt', 'tgt_type', 'user', 'ret'],
  ...['metadata', 'delimiter', 'client', 'full_return', 'print_event', 'token_expire', '__kwarg__'],
])

/** Return the fields of a request as arguments of a function; an open-ended parameter takes the rest. */
function argumentsOf(plugin: UserPlugin, fun: string, request: Dict): Dict {
  const parameters = plugin.parameters(fun)
  const given = new Map([...request].filter(([name]) => parameters.includes(str(name))))
  if (!parameters.includes('kwargs')) return given
  const rest = [...request].filter(([name]) => !INTERNAL.has(str(name)) && !given.has(name))
  return new Map([...given, ...rest])
}

export async function ownBackend(
  name: string,
  opts: Dict,
  log: Log,
  builtIn: readonly string[],
): Promise<AuthBackend | undefined> {
  const scope = { opts, grains: new Map(), pillar: new Map(), memory: new Map(), log, answers: answersOf({}) }
  const plugin = (await userPlugins(scope, 'auth', [name], builtIn)).get(name)
  if (!plugin?.has('auth')) return undefined
  const userIs = plugin.parameters('auth')[0] ?? 'username'
  const ask = async (fun: string, request: Dict): Promise<Value> => {
    try {
      return await plugin.call(scope, fun, [], argumentsOf(plugin, fun, request))
    } catch (error) {
      log('debug', `Authentication module threw ${toError(error).message}`)
      return null
    }
  }
  const listOf = async (fun: string, user: string): Promise<Value[] | undefined> => {
    if (!plugin.has(fun)) return undefined
    const first = plugin.parameters(fun)[0] ?? 'username'
    const found = await ask(fun, new Map([[first, user]]))
    return isList(found) ? [...found] : undefined
  }
  return {
    check: async (credentials) => truthy(await ask('auth', credentials)),
    name: (credentials) => briefStr(credentials.get(userIs) ?? ''),
    groups: async (user) => (await listOf('groups', user))?.map(str) ?? [],
    list: (user) => listOf('acl', user),
  }
}
