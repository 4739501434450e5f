// Sync custom modules from the file server during a state run: one state for each kind that `saltutil` syncs.
import { toError } from '../../../base/mod.ts'
import { type Dict, isDict, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  settled,
  state,
  type Verdict,
} from '../../../sdk/mod.ts'

const FAMILIES = [
  'beacons',
  'clouds',
  'engines',
  'grains',
  'executors',
  'log_handlers',
  'modules',
  'output',
  'outputters',
  'pillar',
  'proxymodules',
  'matchers',
  'renderers',
  'returners',
  'sdb',
  'states',
  'tops',
  'resources',
  'thorium',
  'utils',
  'serializers',
  'wrapper',
]

async function sync(ctx: StateContext, family: string, kwargs: ReadonlyMap<string, Value>): Promise<Verdict> {
  let synced: Value
  try {
    synced = await ctx.call(`saltutil.sync_${family}`, [], kwargs)
  } catch (error) {
    return failed(`Failed to run sync_${family}: ${toError(error).message}`)
  }
  // sync_all returns names by family
  const all: Dict = family === 'all' && isDict(synced) ? synced : new Map([[family, synced]])
  const changes: Dict = new Map([...all].filter(([, names]) => truthy(names)))
  if (changes.size === 0) return settled('No updates to sync')
  return changed(family === 'all' ? 'Sync performed' : `Updated ${family}.`, changes)
}

const syncing = (family: string, doc: string) =>
  state({
    doc,
    args: {
      name: arg.string('Any text'),
      kwargs: arg.open(`Arguments of \`saltutil.sync_${family}\`, such as \`saltenv\` and \`refresh\``),
    },
    examples: [`sync_${family}:\n  saltutil.sync_${family}:\n    - refresh: true`],
    run: (ctx, { name, kwargs }) =>
      ensure(ctx, {
        name,
        look: () => family,
        foresee: () => `saltutil.sync_${family} would have been run`,
        act: () => sync(ctx, family, kwargs),
      }),
  })

export default defineState({
  name: 'saltutil',
  doc: 'Sync custom modules from the file server.',
  functions: {
    sync_all: syncing('all', 'Ensure that custom modules of all kinds are those of the file server.'),
    ...Object.fromEntries(
      FAMILIES.map((family) => [
        `sync_${family}`,
        syncing(family, `Ensure that custom ${family.replaceAll('_', ' ')} are those of the file server.`),
      ]),
    ),
  },
})
