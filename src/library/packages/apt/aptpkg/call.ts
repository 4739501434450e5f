// How apt and dpkg are called: without questions, in a systemd scope of their own where something is changed, so that a
// restart of the minion does not end them, and again while another program holds dpkg's lock.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dict, isDict, type Value } from '../../../../data/mod.ts'
import { type CommandOutcome, type FunctionContext, runAll } from '../../../../sdk/mod.ts'

const QUIET_ENVIRONMENT: Readonly<Record<string, string>> = {
  APT_LISTBUGS_FRONTEND: 'none',
  APT_LISTCHANGES_FRONTEND: 'none',
  DEBIAN_FRONTEND: 'noninteractive',
  UCF_FORCE_CONFFOLD: '1',
}

const MOST_RETRIES = 10

export interface AptCall {
  /** Whether a scope is wanted, where systemd runs. */
  scope?: boolean
  /** Further variables; those of the configuration when left out. */
  env?: Dict
  options?: ReadonlyMap<string, Value> | Readonly<Record<string, Value>>
}

/** `system-environment` of the configuration and of the pillar, for the module by both its names. */
function configuredEnvironment(ctx: FunctionContext): Dict {
  const found: Dict = new Map()
  for (const source of [ctx.opts, ctx.pillar]) {
    for (const name of ['pkg', 'aptpkg']) {
      const path = ['system-environment', 'modules', name, '_']
      const values = path.reduce<Value>((at, key) => (isDict(at) ? (at.get(key) ?? null) : null), source)
      if (isDict(values)) for (const [key, value] of values) found.set(key, value)
    }
  }
  return found
}

async function scopeWords(ctx: FunctionContext): Promise<string[]> {
  const booted = (await ctx.host.stat('/run/systemd/system')) !== undefined
  if (!booted || (await ctx.host.which('systemd-run')) === undefined) return []
  const wanted = await ctx.call('config.get', ['systemd.scope', true])
  return wanted === false ? [] : ['systemd-run', '--scope', '--description', '"brine.modules.aptpkg"']
}

export async function callApt(
  ctx: FunctionContext,
  words: readonly string[],
  call: AptCall = {},
): Promise<CommandOutcome> {
  const { scope = true, env = configuredEnvironment(ctx), options = {} } = call
  const cmd = [...(scope ? await scopeWords(ctx) : []), ...words]
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

/** Variables that the user gave: a dict, or a list of small ones. */
export function givenEnvironment(env: Value): Dict {
  if (isDict(env)) return env
  return new Map(Array.isArray(env) ? (env as Value[]).flatMap((one) => (isDict(one) ? [...one] : [])) : [])
}
