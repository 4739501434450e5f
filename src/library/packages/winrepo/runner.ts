// Definitions of software for Windows minions: their repositories are checked out below the master's files, and the
// content of the SLS files is gathered in one file for old minions.
import { toError } from '../../../base/mod.ts'
import { type Dict, decodeBytes, encodeMsgpack, getItem, isDict, str, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn, option } from '../../../sdk/mod.ts'

async function* definitions(ctx: MasterContext, folder: string): AsyncGenerator<string> {
  for (const name of (await ctx.host.list(folder)).sort()) {
    const path = `${folder}/${name}`
    if ((await ctx.host.lstat(path))?.type === 'directory') yield* definitions(ctx, path)
    else if (name.endsWith('.sls')) yield path
  }
}

async function rendered(ctx: MasterContext, opts: Dict, path: string): Promise<Dict> {
  const text = decodeBytes(await ctx.host.read(path))
  try {
    const data = await ctx.render({ text, path, renderer: option(opts, 'renderer'), saltenv: '' })
    return isDict(data) ? data : new Map()
  } catch (error) {
    ctx.log('debug', `Failed to render ${path}. Error: ${toError(error).message}.`)
    return new Map()
  }
}

/** Convert versions to text, whatever type YAML gives them. */
function withTexts(versions: Value): Dict {
  return new Map([...(versions as Dict)].map(([version, data]) => [str(version), data]))
}

async function generate(ctx: MasterContext, opts: Dict, tells: boolean): Promise<Dict> {
  const folder = option(opts, 'winrepo_dir')
  await ctx.host.makeDirectory(folder, { parents: true })
  const repo: Dict = new Map()
  const names: Dict = new Map()
  let isEmpty = true
  for await (const path of definitions(ctx, folder)) {
    for (const [name, given] of await rendered(ctx, opts, path)) {
      isEmpty = false
      const versions = withTexts(given)
      repo.set(name, versions)
      for (const data of versions.values()) {
        if (isDict(data)) names.set(getItem(data, 'full_name'), name)
        else if (tells) await ctx.progress(new Map([['error', `Failed to compile ${path}.`]]))
      }
    }
  }
  const all: Dict = isEmpty ? new Map() : new Map<Value, Value>([['repo', repo]]).set('name_map', names)
  await ctx.host.write(`${folder}/${option(opts, 'winrepo_cachefile')}`, encodeMsgpack(all, 'bus'))
  return all
}

const opts = arg.any('Dict of options instead of the ones of the master; other values are ignored', { optional: true })
const optionsOf = (ctx: MasterContext, given: Value): Dict => (isDict(given) ? given : ctx.opts)

export default defineRunner({
  name: 'winrepo',
  doc: 'Manage the software definitions of Windows minions.',
  functions: {
    genrepo: masterFn({
      doc: 'Collect the definitions of `winrepo_dir` in one file, for minions before 2015.8.',
      args: { opts, fire_event: arg.flag('Fire an event about unusable definitions', { default: true }) },
      examples: ['salt-run winrepo.genrepo'],
      run: (ctx, { opts, fire_event }) => generate(ctx, optionsOf(ctx, opts), fire_event),
    }),
    update_git_repos: masterFn({
      doc: 'Check out the repositories of `winrepo_remotes` and `winrepo_remotes_ng`. Return the directory of each.',
      args: {
        opts,
        clean: arg.flag('Remove directories of repositories that are no longer configured', { default: false }),
        masterless: arg.flag('Ignored', { default: false }),
      },
      examples: ['salt-run winrepo.update_git_repos clean=True'],
      run: (ctx, given) => ctx.updateWinrepos(optionsOf(ctx, given.opts), given.clean),
    }),
  },
})
