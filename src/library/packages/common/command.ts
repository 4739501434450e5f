// The environment and the systemd scope of commands of package managers.
import { isDict, type Value } from '../../../data/mod.ts'
import type { FunctionContext } from '../../../sdk/mod.ts'

/** Return `system-environment` of the configuration and of the pillar for `pkg` and for a module. */
export function configuredEnvironment(ctx: FunctionContext, module: string): Map<Value, Value> {
  const found = new Map<Value, Value>()
  for (const source of [ctx.opts, ctx.pillar]) {
    for (const name of ['pkg', module]) {
      const path = ['system-environment', 'modules', name, '_']
      const values = path.reduce<Value>((at, key) => (isDict(at) ? (at.get(key) ?? null) : null), source)
      if (isDict(values)) for (const [key, value] of values) found.set(key, value)
    }
  }
  return found
}

/** Return the words before a command that must outlive a restart of the minion. */
export async function scopeWords(ctx: FunctionContext): Promise<string[]> {
  const booted = (await ctx.host.stat('/run/systemd/system')) !== undefined
  if (!booted || (await ctx.host.which('systemd-run')) === undefined) return []
  return (await ctx.call('config.get', ['systemd.scope', true])) === false ? [] : ['systemd-run', '--scope']
}
