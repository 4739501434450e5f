// Network APIs from users' own files and extensions: modules with a function `start` that serves until `salt-api` ends.
import type { Log } from '../base/mod.ts'
import type { Dict } from '../data/mod.ts'
import { mayHaveModules, type Scope, type ScopeFunction } from '../python/mod.ts'
import { functionScope } from './function-modules.ts'
import { plainFunctions } from './plain-functions.ts'
import { userPlugins } from './plugins.ts'

export interface OwnNetapi {
  name: string
  /** Serve until the signal. */
  start(signal: AbortSignal, answers: Readonly<Record<string, ScopeFunction>>): Promise<void>
}

/** The APIs that serve here: each looks for its own options. */
export async function ownNetapis(opts: Dict, log: Log): Promise<OwnNetapi[]> {
  if (!mayHaveModules(opts, 'netapi')) return []
  const { ctx } = await plainFunctions(opts, log)
  const plugins = await userPlugins(functionScope(ctx), 'netapi')
  return [...plugins.values()]
    .filter((plugin) => plugin.has('start'))
    .map((plugin) => ({
      name: plugin.name,
      start: async (signal, answers) => {
        const usual = functionScope(ctx)
        const all = new Map([...usual.answers, ...Object.entries(answers)])
        const scope: Scope = { ...usual, log, memory: new Map(), ending: signal, answers: all, lasts: true }
        await plugin.call(scope, 'start', [])
      },
    }))
}
