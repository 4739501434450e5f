// Definitions of software for Windows minions: their repositories are checked out below the master's files, and what
// the SLS files there say is gathered in one file for old minions.
import { toError } from '../../../base/mod.ts'
import {
  type Dict,
  decodeBytes,
  encodeMsgpack,
  failure,
  getItem,
  isDict,
  isList,
  str,
  type Value,
} from '../../../data/mod.ts'
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

/** Versions are texts, whatever YAML takes them for. */
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

/** `REVISION URL`, or a URL alone. */
function remoteOf(given: Value): { url: string; revision: string; folder: string } {
  const text = str(isDict(given) ? ([...given.keys()][0] ?? '') : given)
  const words = text.trim().split(/\s+/)
  const [revision, url] = words.length === 2 ? (words as [string, string]) : ['HEAD', text]
  return { url, revision, folder: text.slice(text.lastIndexOf('/') + 1).replaceAll('.git', '') }
}

async function checkOut(ctx: MasterContext, given: Value, below: string): Promise<[Value, Value]> {
  const { url, revision, folder } = remoteOf(given)
  const answer = await ctx.function('state.single', ['git.latest'], {
    name: url,
    rev: revision,
    branch: 'winrepo',
    target: `${below}/${folder}/_`,
    force_checkout: true,
    force_reset: true,
  })
  if (isList(answer)) {
    throw failure(`Failed to update winrepo remotes: ${answer.map(str).join('\n')}`)
  }
  const result = (answer as Dict).has('name') ? answer : [...(answer as Dict).values()][0]!
  return [getItem(result, 'name'), getItem(result, 'result')]
}

/** Folders of repositories that are configured no more. */
async function clean(ctx: MasterContext, below: string, remotes: readonly Value[]): Promise<void> {
  if ((await ctx.host.stat(below)) === undefined) return
  const kept = new Set(remotes.map((remote) => remoteOf(remote).folder))
  for (const name of await ctx.host.list(below)) {
    const path = `${below}/${name}`
    if (kept.has(name) || (await ctx.host.lstat(path))?.type !== 'directory') continue
    await ctx.host.removeDirectory(path, { recursive: true })
  }
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
      doc: 'Check out the repositories of `winrepo_remotes` and `winrepo_remotes_ng`.',
      args: {
        opts,
        clean: arg.flag('Remove directories of repositories that are no longer configured', { default: false }),
        masterless: arg.flag('Ignored', { default: false }),
      },
      examples: ['salt-run winrepo.update_git_repos clean=True'],
      run: async (ctx, given) => {
        const options = optionsOf(ctx, given.opts)
        const updated: Dict = new Map()
        for (const ending of ['', '_ng']) {
          const below = str(options.get(`winrepo_dir${ending}`) ?? '')
          const configured = options.get(`winrepo_remotes${ending}`) ?? null
          const remotes = isList(configured) ? [...configured] : []
          for (const remote of remotes) updated.set(...(await checkOut(ctx, remote, below)))
          if (given.clean) await clean(ctx, below, remotes)
        }
        return updated
      },
    }),
  },
})
