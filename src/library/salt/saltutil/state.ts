// Users' modules brought from the file server during a state run: one function for each family that `saltutil` syncs.
import { toError } from '../../../base/mod.ts'
import { type Dict, isDict, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

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

interface Wish {
  name: string
  kwargs: Map<string, Value>
}

async function synced(ctx: StateContext, family: string, { name, kwargs }: Wish): Promise<StateReturn> {
  const end = (result: boolean | null, comment: string, changes: Dict = new Map()): StateReturn => ({
    name,
    changes,
    result,
    comment,
  })
  if (ctx.test) return end(null, `saltutil.sync_${family} would have been run`)
  let brought: Value
  try {
    brought = await ctx.call(`saltutil.sync_${family}`, [], kwargs)
  } catch (error) {
    return end(false, `Failed to run sync_${family}: ${toError(error).message}`)
  }
  // all families at once tell what they brought by family
  const all: Dict = family === 'all' && isDict(brought) ? brought : new Map([[family, brought]])
  const changes: Dict = new Map([...all].filter(([, names]) => truthy(names)))
  if (changes.size === 0) return end(true, 'No updates to sync')
  return end(true, family === 'all' ? 'Sync performed' : `Updated ${family}.`, changes)
}

const syncing = (family: string, doc: string) =>
  state({
    doc,
    args: {
      name: arg.string('Any name'),
      kwargs: arg.open(`What \`saltutil.sync_${family}\` takes, such as \`saltenv\` and \`refresh\``),
    },
    examples: [`sync_${family}:\n  saltutil.sync_${family}:\n    - refresh: true`],
    run: (ctx, wish) => synced(ctx, family, wish),
  })

export default defineState({
  name: 'saltutil',
  doc: "Bring users' modules from the file server.",
  functions: {
    sync_all: syncing('all', 'Modules of all families are here as the file server has them.'),
    ...Object.fromEntries(
      FAMILIES.map((family) => [
        `sync_${family}`,
        syncing(family, `The ${family.replaceAll('_', ' ')} of users are here as the file server has them.`),
      ]),
    ),
  },
})
