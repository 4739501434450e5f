// Users' own beacons: files with a function `beacon` and mostly one `validate`. A file in TypeScript or JavaScript may also
// give a whole declaration (`defineBeacon`).
import { type Dict, isDict, isList, str, truthy, type Value } from '../data/mod.ts'
import { beaconTable, type Registry } from '../loader/mod.ts'
import type { BeaconContext } from '../sdk/mod.ts'
import { functionScope } from './function-modules.ts'
import { type UserPlugin, userPlugins } from './plugins.ts'

export interface UserBeacon {
  validate(config: Value): Promise<{ valid: boolean; comment: string }>
  look(ctx: BeaconContext, config: Value): Promise<Dict[]>
}

/** Return the beacon of a file; its `__context__` persists between polls. */
function beaconOf(registry: Registry, memory: Dict, plugin: UserPlugin): UserBeacon {
  const scope = { ...functionScope(registry.ctx), memory }
  return {
    validate: async (config) => {
      if (!plugin.has('validate')) {
        const valid = isList(config)
        return { valid, comment: valid ? '' : 'Configuration for beacon must be a list.' }
      }
      const answer = await plugin.call(scope, 'validate', [config])
      const [valid, comment] = Array.isArray(answer) ? answer : [answer, '']
      return { valid: truthy(valid ?? false), comment: str(comment ?? '') }
    },
    look: async (ctx, config) => {
      const seen = await plugin.call({ ...scope, context: ctx }, 'beacon', [config])
      return (Array.isArray(seen) ? [...seen] : []).filter((data): data is Dict => isDict(data))
    },
  }
}

/**
 * Return users' beacons by name, all or at least the named ones; without any, this costs the listing of a few folders.
 */
export async function userBeacons(registry: Registry, names?: readonly string[]): Promise<Map<string, UserBeacon>> {
  const all = await userPlugins(functionScope(registry.ctx), 'beacons', names, Object.keys(beaconTable))
  const serving = [...all].filter(([, plugin]) => plugin.has('beacon'))
  return new Map(serving.map(([name, plugin]) => [name, beaconOf(registry, new Map(), plugin)]))
}
