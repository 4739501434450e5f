// Users' own plugins of the families that have a host elsewhere: returners, beacons, outputters, external pillars, tops,
// engines, authentication and matchers. Who hosts a family asks for them by name and calls their functions.
import type { Dict, Value } from '../data/mod.ts'
import { callPython, type FamilyName, moduleFiles, type Scope } from '../python/mod.ts'
import type { ModuleFacts } from './declare.ts'
import { describeModules } from './function-modules.ts'

export interface UserPlugin {
  /** The name it serves under. */
  readonly name: string
  has(fun: string): boolean
  call(scope: Scope, fun: string, args: readonly Value[], kwargs?: Dict): Promise<Value>
}

function pluginOf(family: FamilyName, { name, functions }: ModuleFacts): UserPlugin {
  return {
    name,
    has: (fun) => functions.has(fun),
    call: (scope, fun, args, kwargs = new Map()) => {
      const { path, attr } = functions.get(fun)!.origin
      const params = [family, path, attr, [...args], kwargs]
      return callPython(scope, { method: 'call', params, what: `${name}.${fun}` })
    },
  }
}

/** The plugins of a family that can serve here, by name; none costs the listing of a few folders. */
export async function userPlugins(scope: Scope, family: FamilyName): Promise<Map<string, UserPlugin>> {
  const files = moduleFiles(scope.opts, family).filter(({ language }) => language === 'python')
  const paths = files.map(({ path }) => path)
  const all = await describeModules(scope, family, paths)
  return new Map(all.filter(({ reason }) => reason === undefined).map((facts) => [facts.name, pluginOf(family, facts)]))
}
