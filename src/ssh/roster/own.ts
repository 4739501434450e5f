// Rosters of users' own: modules of `_roster` or `roster_dirs` with a function `targets(tgt, tgt_type)`.
import { toError } from '../../base/mod.ts'
import { isDict, str, typeName } from '../../data/mod.ts'
import { mayHaveModules, userPlugins } from '../../pybridge/mod.ts'
import { answersOf, type Scope } from '../../python/mod.ts'
import type { Backend, RosterRequest } from './backend.ts'
import { RosterError } from './errors.ts'

/** Return the user's module with this name, if there is one. */
export async function ownRosterBackend(
  name: string,
  { opts, log, host }: RosterRequest,
  builtIn: readonly string[],
): Promise<Backend | undefined> {
  if (!mayHaveModules(opts, 'roster')) return undefined
  const scope: Scope = {
    opts,
    grains: new Map(),
    pillar: new Map(),
    memory: new Map(),
    log,
    ending: host.ending,
    answers: answersOf({}),
  }
  const plugin = (await userPlugins(scope, 'roster', [name], builtIn)).get(name)
  if (!plugin?.has('targets')) return undefined
  return {
    chooses: true,
    async read({ tgt, tgtType }) {
      const failed = (why: string): RosterError =>
        new RosterError('RosterBroken', `The roster module ${name} failed: ${why}`)
      const found = await plugin.call(scope, 'targets', [tgt, tgtType]).catch((error: unknown) => {
        throw failed(toError(error).message)
      })
      if (!isDict(found)) throw failed(`it returns a value of type ${typeName(found)}, not a map of targets`)
      return { source: 'module', entries: new Map([...found].map(([id, entry]) => [str(id), entry])) }
    },
  }
}
