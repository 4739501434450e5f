// `salt-run saltutil.sync_*`: sync custom modules from the file server to the master itself.
import { type Dict, isList, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  defineRunner,
  listedOnce,
  type MasterContext,
  type MasterFunction,
  masterFn,
  syncModules,
} from '../../../sdk/mod.ts'

/** By the word of the function; the folder differs where it is given. */
const FAMILIES: ReadonlyArray<readonly [word: string, folder?: string]> = [
  ['clouds'],
  ['modules'],
  ['states'],
  ['grains'],
  ['renderers'],
  ['returners'],
  ['output'],
  ['proxymodules'],
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

/** Those that Salt's master has no function for; `sync_all` names them when there are any. */
const FURTHER: readonly string[] = ['auth', 'matchers']

const args = {
  saltenv: arg.any('The environment, several with commas', { default: 'base' }),
  extmod_whitelist: arg.any('Only these', { optional: true }),
  extmod_blacklist: arg.any('Not these', { optional: true }),
}

interface Given {
  saltenv: Value
  extmod_whitelist: Value
  extmod_blacklist: Value
}

async function sync(
  ctx: MasterContext,
  family: string,
  given: Given,
  offered = listedOnce(ctx.files),
): Promise<Value[]> {
  const { saltenv } = given
  const envs = isList(saltenv) ? saltenv.map(str) : str(saltenv).split(',')
  const lists = { whitelist: given.extmod_whitelist, blacklist: given.extmod_blacklist }
  return (await syncModules(ctx, { family, envs, offered, ...lists })).names
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
      doc: 'Sync all custom modules from the file server.',
      args,
      examples: ['salt-run saltutil.sync_all'],
      run: async (ctx, given) => {
        const synced: Dict = new Map()
        const offered = listedOnce(ctx.files)
        for (const [word, folder = word] of FAMILIES) synced.set(folder, await sync(ctx, folder, given, offered))
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
