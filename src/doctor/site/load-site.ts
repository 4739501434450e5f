// Loads a site: configuration, trees, its own modules, minions.
import { resolve } from 'node:path'
import { option, rawOption } from '../../config/mod.ts'
import { type Dict, dictFrom, isDict, isList, str, type Value } from '../../data/mod.ts'
import { collectGrains } from '../../grains/mod.ts'
import { LocalHost } from '../../host/mod.ts'
import type { Report } from '../finding.ts'
import { staticKeys } from '../template/static-keys.ts'
import { readDaemons } from './configuration.ts'
import { exampleMinions } from './example-minions.ts'
import { gitRoots, withGitRoots } from './git-roots.ts'
import { type FoundMinions, findMinions } from './minions.ts'
import { askMinions } from './online.ts'
import { OwnModules } from './own-modules.ts'
import { textOfFile } from './read-bounded.ts'
import type { DoctorRequest, Site, SiteDaemon } from './site.ts'
import { SiteTree } from './site-tree.ts'

export async function loadSite(request: DoctorRequest, report: Report): Promise<Site> {
  const daemons = await readDaemons(request, report)
  const [master, minion] = daemons as [SiteDaemon, SiteDaemon]
  const isMasterless = !master.isConfigured && minion.isConfigured && option(minion.opts, 'file_client') === 'local'
  const serving = isMasterless ? minion : master
  const given = (folders: string[], name: 'file_roots' | 'pillar_roots'): Dict =>
    folders.length > 0 ? new Map([['base', folders.map((folder) => resolve(folder))]]) : rootsOf(serving, name)
  serving.opts.set('file_roots', given(request.fileRoots, 'file_roots'))
  // roots on the command line are a complete site, without those of this machine
  const isTree = request.fileRoots.length > 0 || request.pillarRoots.length > 0
  const pillarRoots =
    isTree && request.pillarRoots.length === 0 ? new Map() : given(request.pillarRoots, 'pillar_roots')
  serving.opts.set('pillar_roots', pillarRoots)
  const isPartial = !isTree && (await addGit(serving, request, report))
  const states = new SiteTree(option(serving.opts, 'file_roots'))
  const pillar = new SiteTree(pillarRoots)
  states.isPartial = isPartial
  const own = new OwnModules(
    [states],
    daemons.map(({ opts }) => opts),
  )
  const found = isMasterless ? await ownMinion(minion, request, report) : findMinions(master, request, report)
  if (request.isOnline && !isMasterless) await askMinions(found, master, request, report)
  if (found.minions.length === 0 && states.files.length + pillar.files.length > 0) {
    report('no-minions', { message: 'No minion with known grains was found' })
    found.minions.push(...exampleMinions(targetsOf(states, option(serving.opts, 'state_top'))))
  }
  return { request, daemons, serving, states, pillar, own, ...found }
}

/** Backends whose files can be read. */
const READ: ReadonlySet<string> = new Set(['roots', 'file', 'minionfs'])

/** Add files of local Git remotes to the roots. Return whether further files come from elsewhere. */
async function addGit({ opts, file }: SiteDaemon, { root, scratch }: DoctorRequest, report: Report): Promise<boolean> {
  const backends = option(opts, 'fileserver_backend')
  // paths of a copy of a file system lead to this machine's own repositories
  const git = root === '/' ? await gitRoots(opts, scratch) : undefined
  for (const message of git?.problems ?? []) report('git-unread', { message, at: { file } })
  if (git) opts.set('file_roots', withGitRoots(option(opts, 'file_roots'), backends, git))
  return backends.some((name) => !READ.has(str(name)) && !(git?.isWhole && /^git(?:fs)?$/.test(str(name))))
}

function rootsOf({ opts }: SiteDaemon, name: 'file_roots' | 'pillar_roots'): Dict {
  const roots = rawOption(opts, name)
  if (!isDict(roots)) return new Map()
  return new Map([...roots].map(([env, folders]): [Value, Value] => [env, isList(folders) ? folders : [folders]]))
}

/** Add the minion of a masterless site, which is its only minion; grains of another machine cannot be collected. */
async function ownMinion(daemon: SiteDaemon, request: DoctorRequest, report: Report): Promise<FoundMinions> {
  const found = findMinions(
    { ...daemon, opts: new Map(daemon.opts).set('pki_dir', '').set('cachedir', '') },
    request,
    report,
  )
  if (found.minions.length > 0 || request.root !== '/') return found
  const id = option(daemon.opts, 'id')
  const grains = await collectGrains({
    opts: dictFrom({ id, grains: option(daemon.opts, 'grains') }),
    host: new LocalHost(),
  })
  return { ...found, minions: [{ id, grains, pillar: undefined, from: 'own' }] }
}

/** Return the targets in top files, as far as they are visible without rendering. */
function targetsOf(tree: SiteTree, top: string): string[] {
  const path = top.replace(/^salt:\/\//, '')
  return [...tree.roots.keys()].flatMap((env) => {
    const file = tree.find(path, env)
    const text = file && textOfFile(file.file)
    return text === undefined ? [] : staticKeys(text, 2)
  })
}
