// `salt-run saltutil.sync_*`: sync custom modules from the file server to the master itself.
import { type Dict, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  defineRunner,
  listedOnce,
  type MasterContext,
  type MasterFunction,
  masterFn,
  syncModules,
} from '../../../sdk/mod.ts'

/** The families by the name of the function, with the folder and the key in the result of `sync_all` if they have other names. */
const FAMILIES: ReadonlyArray<readonly [word: string, folder?: string, key?: string]> = [
  ['clouds'],
  ['modules'],
  ['states'],
  ['grains'],
  ['renderers'],
  ['returners'],
  ['output'],
  ['proxymodules', 'proxy', 'proxymodules'],
  ['runners'],
  ['wheel'],
  ['engines'],
  ['thorium'],
  ['queues'],
  ['pillar'],
  ['utils'],
  ['sdb'],
  ['cache'],
  ['fileserver'],
  ['tops'],
  ['eauth_tokens', 'tokens'],
  ['serializers'],
  ['executors'],
  ['wrapper'],
  ['roster'],
]

/** Families without a function in Salt's master; `sync_all` returns them only if they have modules. */
const FURTHER: readonly string[] = ['auth', 'matchers']

const args = {
  saltenv: arg.textOrList('Environments: a list, or text with commas', { default: 'base' }),
  extmod_whitelist: arg.textListOrDict('Modules to sync: text with commas, or a dict of lists by kind', {
    optional: true,
  }),
  extmod_blacklist: arg.textListOrDict('Modules not to sync: text with commas, or a dict of lists by kind', {
    optional: true,
  }),
}

async function sync(
  ctx: MasterContext,
  family: string,
  { saltenv, extmod_whitelist: whitelist, extmod_blacklist: blacklist }: Bound<typeof args>,
  offered = listedOnce(ctx.files),
): Promise<Value[]> {
  const envs = typeof saltenv === 'string' ? saltenv.split(',') : saltenv.map(str)
  return (await syncModules(ctx, { family, envs, offered, whitelist, blacklist })).names
}

const syncOf = (word: string, folder: string): MasterFunction =>
  masterFn({
    doc: `Sync custom ${folder} from \`salt://_${folder}\`.`,
    args,
    examples: [`salt-run saltutil.sync_${word}`],
    run: (ctx, given) => sync(ctx, folder, given),
  })

export default defineRunner({
  name: 'saltutil',
  doc: 'Sync custom modules from the file server to the master.',
  functions: {
    sync_all: masterFn({
      doc: 'Sync custom modules of all kinds from the file server.',
      args,
      examples: ['salt-run saltutil.sync_all'],
      run: async (ctx, given) => {
        const synced: Dict = new Map()
        const offered = listedOnce(ctx.files)
        for (const [word, folder = word, key = folder] of FAMILIES) {
          synced.set(key, await sync(ctx, folder, given, offered))
        }
        for (const family of FURTHER) {
          const names = await sync(ctx, family, given, offered)
          if (names.length > 0) synced.set(family, names)
        }
        return synced
      },
    }),
    ...Object.fromEntries(FAMILIES.map(([word, folder = word]) => [`sync_${word}`, syncOf(word, folder)])),
    ...Object.fromEntries(FURTHER.map((family) => [`sync_${family}`, syncOf(family, family)])),
  },
})
