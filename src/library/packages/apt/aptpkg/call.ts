// Calls of apt and dpkg: without prompts, in a systemd scope for changes, so that a restart of the minion does not end
// them, and repeated while another program holds the lock of dpkg.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dict, isDict, type Value } from '../../../../data/mod.ts'
import { type CommandOutcome, type FunctionContext, runAll } from '../../../../sdk/mod.ts'
import { configuredEnvironment, scopeWords } from '../../common/command.ts'

const QUIET_ENVIRONMENT: Readonly<Record<string, string>> = {
  APT_LISTBUGS_FRONTEND: 'none',
  APT_LISTCHANGES_FRONTEND: 'none',
  DEBIAN_FRONTEND: 'noninteractive',
  UCF_FORCE_CONFFOLD: '1',
}

const MOST_RETRIES = 10

export interface AptCall {
  /** Whether to use a scope where systemd runs. */
  scope?: boolean
  /** Environment variables. Default: those of the configuration. */
  env?: Dict
  options?: ReadonlyMap<string, Value> | Readonly<Record<string, Value>>
}

/** Return the words before a command that must outlive a restart of the minion, with a description for apt. */
async function describedScope(ctx: FunctionContext): Promise<string[]> {
  const words = await scopeWords(ctx)
  return words.length === 0 ? [] : [...words, '--description', '"brine.modules.aptpkg"']
}

export async function callApt(
  ctx: FunctionContext,
  words: readonly string[],
  call: AptCall = {},
): Promise<CommandOutcome> {
  const { scope = true, env = configuredEnvironment(ctx, 'aptpkg'), options = {} } = call
  const cmd = [...(scope ? await describedScope(ctx) : []), ...words]
  const given = options instanceof Map ? Object.fromEntries(options) : options
  const params = {
    ...given,
    output_loglevel: 'trace',
    env: new Map<Value, Value>([...Object.entries(QUIET_ENVIRONMENT), ...env]),
  }
  let outcome = await runAll(ctx, cmd, params)
  for (let count = 1; outcome.stderr.includes('Could not get lock') && count <= MOST_RETRIES; count++) {
    ctx.log('warning', `Waiting for dpkg lock release: retrying... ${count}/${MOST_RETRIES}`)
    await sleep(2 ** count * 1000)
    outcome = await runAll(ctx, cmd, params)
  }
  return outcome
}

/** Return the environment that a user gave as a dict or as a list of dicts. */
export function givenEnvironment(env: Value): Dict {
  if (isDict(env)) return env
  return new Map(Array.isArray(env) ? env.flatMap((one) => (isDict(one) ? [...one] : [])) : [])
}
