// Distribution of a master's workers: named pools, each with a number of workers and the requests that it answers;
// exactly one pool takes all other requests.
import { type Dict, fromPlain, isDict, isInt, isList, str, truthy, type Value } from '../data/mod.ts'
import { ConfigError } from './errors.ts'
import { rawOption } from './view.ts'

/** Return the configured pools, or a single pool with `worker_threads` workers. */
export function poolsInForce(opts: Dict): Dict {
  const pools = rawOption(opts, 'worker_pools')
  if (isDict(pools) && pools.size > 0) return pools
  if (truthy(pools)) return refuse(['worker_pools must be a dictionary'])
  return fromPlain({ default: { worker_count: rawOption(opts, 'worker_threads'), commands: ['*'] } }) as Dict
}

/** Refuses pools that leave a request without an answer, or give it two; all problems at once. */
export function checkPools(pools: Dict): void {
  const problems: string[] = []
  const owners = new Map<string, string>()
  for (const [name, pool] of pools) {
    const text = str(name)
    if (typeof name !== 'string' || !/^(?!\.\.)[^/\\\0]+$/.test(text)) problems.push(`Invalid pool name '${text}'`)
    problems.push(...poolProblems(text, pool))
    for (const command of commandsOf(pool)) {
      const owner = owners.get(command)
      if (owner !== undefined) problems.push(`Command '${command}' belongs to pools '${owner}' and '${text}'`)
      owners.set(command, text)
    }
  }
  if (!owners.has('*')) problems.push("One pool must take the command '*'")
  if (problems.length > 0) refuse(problems)
}

function commandsOf(pool: Value): string[] {
  const commands = isDict(pool) ? pool.get('commands') : undefined
  return commands !== undefined && isList(commands) ? commands.map(str) : []
}

function poolProblems(name: string, pool: Value): string[] {
  if (!isDict(pool)) return [`Pool '${name}' must be a dictionary`]
  const count = pool.get('worker_count') ?? null
  const problems: string[] = []
  if (!isInt(count) || count < 1) problems.push(`Pool '${name}': worker_count must be an integer of at least 1`)
  if (commandsOf(pool).length === 0) problems.push(`Pool '${name}': commands must be a list with at least one entry`)
  return problems
}

function refuse(problems: string[]): never {
  throw new ConfigError('OptionInvalid', `Worker pools configuration error: ${problems.join('\n')}`)
}
