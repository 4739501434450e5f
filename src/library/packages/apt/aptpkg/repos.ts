// Package sources in Salt's form: by address, an entry for each type and suite; lookup and deletion.
import { failure, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { Deb822Source } from '../sources/deb822.ts'
import { SourceLine } from '../sources/source-line.ts'
import { type AptSource, ppaLine, ppaOf, sameSource, sameUri } from '../sources/sources.ts'
import { refreshDb } from './refresh.ts'
import { type Repo, readSources, sameWords, writeSources } from './source-files.ts'

/** An entry of a deb822 file as the line it would be. */
function lineOf(source: Deb822Source, type: string, uri: string, suite: string): string {
  const entry = new SourceLine(`${type} ${uri} ${suite} ${source.comps.join(' ')}`)
  entry.disabled = source.disabled
  entry.architectures = source.architectures
  entry.signedby = source.signedby ?? 'None'
  entry.trusted = source.trusted
  return entry.text()
}

function reposOf(source: AptSource): Repo[] {
  return source.uris.flatMap((uri) =>
    source.suites.flatMap((suite) =>
      source.types.map(
        (type) =>
          new Map<string, Value>(
            Object.entries({
              file: source.file,
              comps: source.comps,
              disabled: source.disabled,
              enabled: !source.disabled,
              dist: suite,
              suites: source.suites,
              type,
              types: source.types,
              uri,
              uris: source.uris,
              line: source instanceof Deb822Source ? lineOf(source, type, uri, suite) : source.line.trim(),
              architectures: source.architectures,
              signedby: source.signedby,
            }),
          ),
      ),
    ),
  )
}

export async function listRepos(ctx: FunctionContext): Promise<Map<string, Repo[]>> {
  const repos = new Map<string, Repo[]>()
  for (const source of await readSources(ctx)) {
    if (source.invalid) continue
    for (const repo of reposOf(source)) {
      const uri = str(repo.get('uri')!)
      repos.set(uri, [...(repos.get(uri) ?? []), repo])
    }
  }
  return repos
}

const grain = (ctx: FunctionContext, name: string): string => str(ctx.grains.get(name) ?? '')

/** The definition, a personal archive written out. */
function definitionOf(ctx: FunctionContext, repo: string, auth: Value): string {
  const ppa = ppaOf(repo, grain(ctx, 'os'))
  return ppa ? ppaLine(ppa, grain(ctx, 'oscodename'), auth) : repo
}

/** Return the entry of a definition; an empty dict if there is none. */
export async function getRepo(ctx: FunctionContext, repo: string, ppaAuth: Value = null): Promise<Repo> {
  const definition = definitionOf(ctx, repo, ppaAuth)
  const repos = await listRepos(ctx)
  if (repos.size === 0) return new Map()
  const wanted = new SourceLine(definition)
  if (truthy(ppaAuth)) {
    const [, scheme, rest] = /(https?:\/\/)(.+)/.exec(wanted.uri) ?? []
    if (rest !== undefined && !rest.startsWith(str(ppaAuth))) wanted.uri = `${scheme}${str(ppaAuth)}@${rest}`
  }
  const found = [...repos.values()].flat().find((entry) => {
    const isSame =
      entry.get('type') === wanted.type &&
      sameUri(str(entry.get('uri')!), wanted.uri) &&
      entry.get('dist') === wanted.dist
    const comps = entry.get('comps') as string[]
    return isSame && (wanted.comps.length === 0 || wanted.comps.some((comp) => comps.includes(comp)))
  })
  return found ?? new Map()
}

/** Remove an entry, or the wanted parts of it; return whether there was anything to remove. */
function take(sources: AptSource[], source: AptSource, wanted: SourceLine): boolean {
  const drop = (): void => {
    const at = sources.findIndex((other) => sameSource(other, source))
    if (at >= 0) sources.splice(at, 1)
  }
  if (sameWords(source.comps, wanted.comps)) {
    const rest = source.suites.filter((suite) => suite !== wanted.dist)
    source.suites = rest
    if (rest.length === 0) drop()
    return true
  }
  if (!source.comps.some((comp) => wanted.comps.includes(comp))) return false
  source.comps = source.comps.filter((comp) => !wanted.comps.includes(comp))
  if (source.comps.length === 0) drop()
  return true
}

function isMeant(source: AptSource, wanted: SourceLine, isPpa: boolean): boolean {
  const types = (source.type ?? '').split(/\s+/)
  const there = source.suites.includes(wanted.dist)
  const meant =
    types.includes(wanted.type) &&
    source.architectures.join(',') === wanted.architectures.join(',') &&
    source.uris.some((uri) => sameUri(uri, wanted.uri))
  const sourcePackages = isPpa && wanted.type === 'deb' && source.type === 'deb-src' && source.uri === wanted.uri
  return there && (meant || sourcePackages)
}

/** Deletes the entries that a definition means, and files that hold nothing else; the answer says from where. */
export async function delRepo(
  ctx: FunctionContext,
  repo: string,
  options: ReadonlyMap<string, Value>,
): Promise<string> {
  const definition = definitionOf(ctx, repo, options.get('ppa_auth') ?? null)
  const isPpa = definition !== repo
  const sources = await readSources(ctx)
  const valid = sources.filter((source) => !source.invalid)
  const touched = new Set<string>()
  if (valid.length > 0) {
    const wanted = new SourceLine(definition)
    for (const source of valid) {
      if (isMeant(source, wanted, isPpa) && take(sources, source, wanted)) touched.add(source.file)
    }
  }
  if (touched.size === 0) {
    throw failure(`Repo ${definition} doesn't exist in the sources.list(s)`)
  }
  await writeSources(ctx, sources)
  let report = ''
  for (const file of touched) report += await tidy(ctx, file, definition, sources)
  await refreshDb(ctx)
  return report
}

async function tidy(
  ctx: FunctionContext,
  file: string,
  definition: string,
  sources: readonly AptSource[],
): Promise<string> {
  const here = sources.filter((source) => source.file === file)
  const isPart = file.includes('sources.list.d/')
  if (here.every((source) => source.invalid) && isPart && (await ctx.host.stat(file))?.type === 'file') {
    await ctx.host.remove(file)
    return `File ${file} containing repo '${definition}' has been removed.`
  }
  if (here.length === 0 && sources.length > 0) await ctx.host.write(file, '')
  return `Repo '${definition}' has been removed from ${file}.\n`
}
