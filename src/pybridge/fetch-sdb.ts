// The values of `sdb://` URIs outside of functions: in options and rosters. All values of the same options share one loader, so that a
// driver that signs in does so once.
import type { Log } from '../base/mod.ts'
import type { FetchSdb } from '../config/mod.ts'
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

/** Return the value of a URI whose profile is in the options. */
export const fetchSdb: FetchSdb = async (uri, opts, log) => {
  let loader = loaders.get(opts)
  if (!loader) {
    loader = loaderFor(opts, log)
    loaders.set(opts, loader)
  }
  return (await loader).call('sdb.get', [uri], new Map())
}
