// Execution functions outside of a minion, for plugins of the options and of the master: with users' own modules, without a pillar.
// All callers with the same options share one loader, so that a driver that signs in does so once.
import type { Log } from '../base/mod.ts'
import { type Dict, isDict } from '../data/mod.ts'
import { moduleTable, Registry } from '../loader/mod.ts'
import { ownPlugin } from './own-plugin.ts'
import { userModules } from './user-modules.ts'

const loaders = new WeakMap<Dict, Promise<Registry>>()

async function loaderFor(opts: Dict, log: Log): Promise<Registry> {
  const known = opts.get('grains')
  const grains: Dict = known !== undefined && isDict(known) ? known : new Map()
  const pillar: Dict = new Map()
  const functions: Registry = new Registry(moduleTable, {
    opts,
    grains,
    pillar,
    log,
    userModules,
    ownBackends: async () => (await import('./fileserver-modules.ts')).ownBackends,
    ownPlugin: ({ ctx }, family, name) => ownPlugin(ctx, family, name),
    async render({ text, ...request }) {
      // few drivers have a template, and every command loads this file
      const { renderText } = await import('../render/mod.ts')
      return (await renderText(text, { ...request, opts, grains, pillar, functions, log })).value
    },
  })
  await functions.refresh()
  return functions
}

export function plainFunctions(opts: Dict, log: Log): Promise<Registry> {
  const loader = loaders.get(opts) ?? loaderFor(opts, log)
  loaders.set(opts, loader)
  return loader
}
