// Users' own beacons: Python files with a function `beacon` and mostly one `validate`.
import { type Dict, isDict, isList, str, truthy, type Value } from '../data/mod.ts'
import type { Registry } from '../loader/mod.ts'
import { callPython, moduleFiles } from '../python/mod.ts'
import type { BeaconContext } from '../sdk/mod.ts'
import type { FunctionFacts, ModuleFacts } from './declare.ts'
import { describeModules, functionScope } from './function-modules.ts'

export interface UserBeacon {
  validate(config: Value): Promise<{ valid: boolean; comment: string }>
  look(ctx: BeaconContext, config: Value): Promise<Dict[]>
}

/** A file's beacon; what it keeps in `__context__` stays from look to look. */
function beaconOf(registry: Registry, memory: Dict, { name, functions }: ModuleFacts): UserBeacon {
  const run = (facts: FunctionFacts, config: Value): Promise<Value> => {
    const scope = { ...functionScope(registry.ctx), memory }
    const params = ['beacons', facts.origin.path, facts.origin.attr, [config], new Map()]
    return callPython(scope, { method: 'call', params, what: `${name} beacon` })
  }
  return {
    validate: async (config) => {
      const facts = functions.get('validate')
      if (!facts) {
        const valid = isList(config)
        return { valid, comment: valid ? '' : 'Configuration for beacon must be a list.' }
      }
      const answer = await run(facts, config)
      const [valid, comment] = isList(answer) ? [...answer] : [answer, '']
      return { valid: truthy(valid ?? false), comment: str(comment ?? '') }
    },
    look: async (_ctx, config) => {
      const seen = await run(functions.get('beacon')!, config)
      return (isList(seen) ? [...seen] : []).filter((data): data is Dict => isDict(data))
    },
  }
}

/** Users' beacons by name; none costs the listing of a few folders. */
export async function userBeacons(registry: Registry): Promise<Map<string, UserBeacon>> {
  const files = moduleFiles(registry.ctx.opts, 'beacons').filter(({ language }) => language === 'python')
  if (files.length === 0) return new Map()
  const paths = files.map(({ path }) => path)
  const all = await describeModules(functionScope(registry.ctx), 'beacons', paths)
  const serving = all.filter(({ reason, functions }) => reason === undefined && functions.has('beacon'))
  return new Map(serving.map((facts) => [facts.name, beaconOf(registry, new Map(), facts)]))
}
