// The environment of a command: the minion's, that of the user it runs as, and the caller's variables.
import { dictEntries, failure, PyError, repr, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isHostError } from '../../../../sdk/mod.ts'
import { type Given, given, homeOf } from './given.ts'

/** Locale variables that are set to C; `LC_ALL` of the caller still has precedence. */
const LOCALE = [
  'LC_CTYPE',
  'LC_NUMERIC',
  'LC_TIME',
  'LC_COLLATE',
  'LC_MONETARY',
  'LC_MESSAGES',
  'LC_PAPER',
  'LC_NAME',
  'LC_ADDRESS',
  'LC_TELEPHONE',
  'LC_MEASUREMENT',
  'LC_IDENTIFICATION',
  'LANGUAGE',
]

interface Circumstances {
  args: Given
  user: string | undefined
  group: string | undefined
  shell: string
}

export async function commandEnvironment(
  ctx: FunctionContext,
  { args, user, group, shell }: Circumstances,
): Promise<Map<string, string>> {
  let env = readEnvironment(ctx, given(args, 'env'))
  if (user !== undefined) {
    const login = await loginEnvironment(ctx, user, shell)
    env = new Map([...login, ...env, ['USER', user], ['HOME', await homeOf(ctx, user)]])
  } else if (group !== undefined) {
    env.set('USER', 'None')
  }
  if (given(args, 'reset_system_locale') !== false) {
    for (const name of LOCALE) if (!env.has(name)) env.set(name, 'C')
  }
  const inherited = truthy(given(args, 'clean_env')) ? [] : await ctx.host.env()
  const all = new Map([...inherited, ...env])
  const front = given(args, 'prepend_path')
  if (truthy(front)) {
    const path = all.get('PATH')
    if (path === undefined) throw new PyError('KeyError', "'PATH'")
    all.set('PATH', `${str(front)}:${path}`)
  }
  if (!env.has('NOTIFY_SOCKET')) all.delete('NOTIFY_SOCKET')
  return all
}

/** Return the variables of a dict, or of a list of dicts with one variable each and of names; otherwise none. */
function variablesOf(ctx: FunctionContext, env: Value): Array<[Value, Value]> {
  if (env instanceof Map) return [...dictEntries(env)]
  const items = Array.isArray(env) ? (env as Value[]) : []
  const odd = items.find((item) => (item instanceof Map ? item.size !== 1 : item === null || Array.isArray(item)))
  if (odd !== undefined) {
    ctx.log('error', `The environment is left out: ${repr(odd)} is neither a name nor one variable`)
    return []
  }
  return items.flatMap((item): Array<[Value, Value]> => (item instanceof Map ? [...dictEntries(item)] : [[item, null]]))
}

function readEnvironment(ctx: FunctionContext, env: Value): Map<string, string> {
  const result = new Map<string, string>()
  for (const [key, value] of variablesOf(ctx, env)) {
    if (/[=\0]/.test(str(key))) throw new PyError('ValueError', 'illegal environment variable name')
    if (value === null) {
      const text = `Environment variable '${str(key)}' passed without a value. Setting value to an empty string`
      ctx.log('error', text)
    }
    result.set(str(key), value === null ? '' : str(value))
  }
  return result
}

/** Return the environment of a login of the user; markers exclude output of the profile. */
async function loginEnvironment(ctx: FunctionContext, user: string, shell: string): Promise<Map<string, string>> {
  const marker = `<<<${user.length}-${Math.trunc(ctx.host.now() * 1e6).toString(36)}>>>`
  const script = `printf '${marker}'; env -0; printf '${marker}'`
  let output: string
  try {
    const { stdout } = await ctx.host.run({ argv: ['su', '-s', shell, '-', user, '-c', script] })
    output = Buffer.from(stdout).toString()
  } catch (error) {
    if (!isHostError(error)) throw error
    ctx.log('error', `Environment could not be retrieved for user '${user}': ${error.message}`)
    return new Map()
  }
  const parts = output.split(marker)
  if (parts.length === 1) {
    ctx.log('error', `Environment could not be retrieved for user '${user}'`)
    return new Map()
  }
  if (parts.length !== 3) {
    throw failure(`Environment could not be retrieved for user '${user}'`)
  }
  const variables = parts[1]!.split('\0').filter((line) => line.includes('='))
  return new Map(variables.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}
