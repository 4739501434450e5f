// Making and changing package sources, with their keys.
import { basename, dirname } from 'node:path/posix'
import { dictFrom, failure, isInt, misuse, PyError, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isTrue, runAll } from '../../../../sdk/mod.ts'
import { Deb822Section, Deb822Source } from '../sources/deb822.ts'
import { SOURCES_LIST, SourceLine, switchOf } from '../sources/source-line.ts'
import { type AptSource, combineComments, commaList, ppaFile, ppaLine, ppaOf, sameUri } from '../sources/sources.ts'
import { callApt } from './call.ts'
import { addRepoKey, getRepoKeys, launchpadInfo } from './keys.ts'
import { refreshDb } from './refresh.ts'
import { getRepo } from './repos.ts'
import { type Repo, readSources, writeSources } from './source-files.ts'

type Options = Map<string, Value>

const grain = (ctx: FunctionContext, name: string): string => str(ctx.grains.get(name) ?? '')

async function proxyUrl(ctx: FunctionContext): Promise<string> {
  const option = async (name: string): Promise<Value> => ctx.call('config.option', [`proxy_${name}`])
  const [host, port, user, password] = await Promise.all(['host', 'port', 'username', 'password'].map(option))
  if (!truthy(host!) || !truthy(port!)) return ''
  const login = truthy(user!) && truthy(password!) ? `${str(user!)}:${str(password!)}@` : ''
  return `http://${login}${str(host!)}:${str(port!)}`
}

/** Return the definition of a personal archive; or a result if apt-add-repository has done all. */
async function fromPpa(
  ctx: FunctionContext,
  repo: string,
  options: Options,
  refresh: boolean,
): Promise<string | Map<string, Value>> {
  const isKnown = ['Ubuntu', 'Mint', 'neon'].includes(grain(ctx, 'os'))
  if (!isKnown) throw failure(`cannot parse "ppa:" style repo definitions: ${repo}`)
  if (!options.has('ppa_auth') && (await ctx.host.which('apt-add-repository')) !== undefined) {
    return addByProgram(ctx, repo, refresh)
  }
  if (!repo.slice(4).includes('/')) {
    throw failure(
      `Unable to get PPA info from argument. Expected format "<PPA_OWNER>/<PPA_NAME>" (e.g. saltstack/salt) not found.  Received '${repo.slice(4)}' instead.`,
    )
  }
  const ppa = ppaOf(repo, grain(ctx, 'os'))!
  const codename = grain(ctx, 'oscodename')
  const auth = options.get('ppa_auth') ?? null
  options.set('dist', codename)
  if (!options.has('file')) options.set('file', ppaFile(ppa, codename))
  const info = await launchpadInfo(ctx, ppa)
  if (auth === null) options.set('keyid', info.get('signing_key_fingerprint') ?? null)
  else if (!options.has('keyid'))
    throw failure(`Private PPAs require a keyid to be specified: ${ppa.owner}/${ppa.name}`)
  if (!options.has('keyserver')) options.set('keyserver', 'keyserver.ubuntu.com')
  if (auth !== null && !truthy(info.get('private') ?? null)) {
    throw failure(`PPA is not private but auth credentials passed: ${repo}`)
  }
  return ppaLine(ppa, codename, auth)
}

async function addByProgram(ctx: FunctionContext, repo: string, refresh: boolean): Promise<Map<string, Value>> {
  const known = await getRepo(ctx, repo)
  if (known.size > 0) return new Map([[repo, known as Value]])
  const proxy = await proxyUrl(ctx)
  const env = new Map<Value, Value>(
    proxy === ''
      ? []
      : [
          ['http_proxy', proxy],
          ['https_proxy', proxy],
        ],
  )
  const words = ['apt-add-repository', '-y', repo]
  const out = await callApt(ctx, words, { scope: false, env })
  if (out.retcode !== 0) {
    const said = `exited with status ${out.retcode}: '${out.stderr}'`
    throw failure(`Unable to add PPA '${repo.slice(4)}'. '${str(words)}' ${said}`)
  }
  if (refresh) await refreshDb(ctx)
  return new Map([[repo, dictFrom(out)]])
}

/** All entries of all files in one, each source once. */
async function consolidate(ctx: FunctionContext, sources: readonly AptSource[]): Promise<AptSource[]> {
  const merged = new Map<string, SourceLine>()
  const files = new Set<string>()
  for (const source of sources.filter(({ invalid }) => !invalid)) {
    const key = JSON.stringify([source.architectures, source.disabled, source.type, source.uri, source.dist])
    const first = merged.get(key)
    if (first) first.comps = [...new Set([...source.comps, ...first.comps])]
    else merged.set(key, new SourceLine(source instanceof SourceLine ? source.line : source.text()))
    if (source.file !== SOURCES_LIST) files.add(source.file)
  }
  const list = [...merged.values()]
  await writeSources(ctx, list)
  for (const file of files) await ctx.host.remove(file)
  return list
}

async function importKeys(ctx: FunctionContext, options: Options, aptKey: boolean, signer: string): Promise<void> {
  const keyid = options.get('keyid') ?? null
  const keyserver = options.get('keyserver') ?? null
  options.delete('keyid')
  options.delete('keyserver')
  if (!truthy(keyid) || !truthy(keyserver)) throw new PyError('NameError', 'both keyserver and keyid options required.')
  const keys = Array.isArray(keyid) ? (keyid as Value[]) : [keyid]
  for (const given of keys) {
    const key = isInt(given) ? `0x${given.toString(16)}` : str(given)
    if (aptKey) await receiveByAptKey(ctx, key, str(keyserver))
    else {
      if (signer === '') throw new PyError('AttributeError', "'str' object has no attribute 'parent'")
      const place = { keydir: dirname(signer), aptKey: false }
      const known = await getRepoKeys(ctx, place)
      if (known !== false && known.has(key)) continue
      const added = await addRepoKey(ctx, { ...place, keyid: key, keyserver: str(keyserver), keyfile: signer })
      if (!added) throw failure(`Error: Could not add key: ${key}`)
    }
  }
}

async function receiveByAptKey(ctx: FunctionContext, key: string, keyserver: string): Promise<void> {
  const { stdout } = await runAll(ctx, ['apt-key', 'export', key])
  if (stdout.startsWith('-----BEGIN PGP')) return
  const proxy = await proxyUrl(ctx)
  const direct = await ctx.call('config.option', ['no_proxy'])
  const excepted = Array.isArray(direct) ? (direct as Value[]).includes(keyserver) : str(direct).includes(keyserver)
  const through = proxy !== '' && !excepted ? ['--keyserver-options', `http-proxy=${proxy}`] : []
  const words = ['adv', '--batch', ...through, '--keyserver', keyserver, '--logger-fd', '1', '--recv-keys', key]
  const received = await callApt(ctx, ['apt-key', ...words], { scope: false })
  if (received.retcode !== 0) throw failure(`Error: key retrieval failed: ${received.stdout}`)
}

interface KeyPlace {
  aptKey: boolean
  signer: string
  saltenv: Value
}

async function importFromUrl(ctx: FunctionContext, url: Value, { aptKey, signer, saltenv }: KeyPlace): Promise<void> {
  const cached = await ctx.call('cp.cache_file', [url, saltenv])
  if (!truthy(cached)) throw failure(`Error: file not found: ${str(url)}`)
  let path = str(cached)
  if (signer !== '' && basename(path) !== basename(signer)) {
    const renamed = `${dirname(path)}/${basename(signer)}`
    await ctx.host.rename(path, renamed)
    path = renamed
  }
  if (aptKey) {
    const said = await addByAptKey(ctx, path)
    if (!said) throw failure(`Error: failed to add key from ${str(url)}`)
    return
  }
  const added = await addRepoKey(ctx, { path, aptKey: false, ...(signer !== '' && { keydir: dirname(signer) }) })
  if (!added) throw failure(`Error: Could not add key: ${path}`)
}

async function addByAptKey(ctx: FunctionContext, source: string, stdin?: Value): Promise<boolean> {
  const { stdout } = await runAll(ctx, ['apt-key', 'add', source], stdin === undefined ? {} : { stdin })
  return stdout.toUpperCase().startsWith('OK')
}

async function bringKeys(ctx: FunctionContext, options: Options, place: KeyPlace): Promise<void> {
  if (options.has('keyid')) await importKeys(ctx, options, place.aptKey, place.signer)
  else if (options.has('key_url')) await importFromUrl(ctx, options.get('key_url')!, place)
  else if (options.has('key_text')) {
    const text = options.get('key_text')!
    if (!(await addByAptKey(ctx, '-', text))) throw failure(`Error: failed to add key:\n${str(text)}`)
  }
}

/** Return the matching entry, by the definition or by type and suite of the options. */
function findSource(sources: readonly AptSource[], wanted: SourceLine, options: Options): AptSource | undefined {
  const comps = [...new Set([...wanted.comps.map((comp) => comp.trim()), ...(options.get('comps') as string[])])]
  const architectures = (options.get('architectures') as string[]).join(',')
  const type = options.get('type') ?? null
  const dist = options.get('dist') ?? null
  return sources.find((source) => {
    const types = (source.type ?? '').split(/\s+/)
    const isSame =
      types.includes(wanted.type) &&
      source.uris.some((uri) => sameUri(uri, wanted.uri)) &&
      source.suites.includes(wanted.dist)
    const isOptions = source.suites.includes(dist as string) && types.includes(type as string)
    if (!isSame && !isOptions) return false
    const shares = comps.some((comp) => source.comps.includes(comp))
    return shares || source.comps.length === 0 || architectures !== source.architectures.join(',')
  })
}

function newEntry(repo: string, wanted: SourceLine, options: Options): AptSource {
  const file = options.get('file') ?? null
  if (file === null || !str(file).endsWith('.sources'))
    return new SourceLine(repo, file === null ? SOURCES_LIST : str(file))
  const section = new Deb822Section()
  section.set('Types', wanted.type)
  section.set('URIs', wanted.uri)
  section.set('Suites', wanted.dist)
  section.set('Components', wanted.comps.join(' '))
  const told = options.get('trusted') === true || options.get('Trusted') === true
  if (told || (!options.has('trusted') && wanted.trusted === true)) section.set('Trusted', 'yes')
  return new Deb822Source(section, str(file))
}

const FIELDS = ['uri', 'comps', 'architectures', 'disabled', 'file', 'dist', 'signedby', 'trusted']
const DEB822_FIELDS = [...FIELDS, 'uris', 'suites', 'types']

function applyOptions(source: AptSource, options: Options): void {
  const fields = source instanceof Deb822Source ? DEB822_FIELDS : FIELDS
  for (const [name, value] of options) if (fields.includes(name)) Object.assign(source, { [name]: value })
}

function prepare(options: Options, wanted: SourceLine): void {
  options.set(
    'comps',
    options.has('comps') ? commaList(options.get('comps')!) : wanted.comps.map((comp) => comp.trim()),
  )
  const architectures = options.get('architectures')
  options.set('architectures', architectures === undefined ? wanted.architectures : str(architectures).split(','))
  if (options.has('disabled')) options.set('disabled', isTrue(options.get('disabled')!))
  else if (options.has('enabled')) options.set('disabled', !isTrue(options.get('enabled')!))
}

export interface RepoChange {
  repo: string
  saltenv: Value
  aptkey: Value
  kwargs: Options
}

export async function modRepo(
  ctx: FunctionContext,
  { repo: given, saltenv, aptkey, kwargs }: RepoChange,
): Promise<Map<string, Value>> {
  const options: Options = new Map(kwargs)
  const refresh = truthy(options.get('refresh_db') ?? options.get('refresh') ?? true)
  const aptKey = truthy(aptkey) && (await ctx.host.which('apt-key')) !== undefined
  const answer = given.startsWith('ppa:') ? await fromPpa(ctx, given, options, refresh) : given
  if (typeof answer !== 'string') return answer
  const repo = answer
  let sources = await readSources(ctx)
  if (truthy(options.get('consolidate') ?? false)) sources = await consolidate(ctx, sources)
  const wanted = new SourceLine(repo)
  if (wanted.invalid) {
    throw misuse(`Name ${repo} is not valid. This must be the complete repo entry as seen in the sources file`)
  }
  options.set('signedby', wanted.signedby)
  await bringKeys(ctx, options, { aptKey, signer: wanted.signedby, saltenv })
  prepare(options, wanted)
  if (options.has('comments')) options.set('comments', combineComments(options.get('comments')!))
  let source = findSource(
    sources.filter((one) => !one.invalid && truthy(one.type)),
    wanted,
    options,
  )
  if (source === undefined) {
    if (!aptKey && wanted.signedby === '' && !switchOf(options.get('trusted') ?? 'no')) {
      throw misuse("missing 'signedby' or 'trusted' option when apt-key is missing")
    }
    source = newEntry(repo, wanted, options)
    sources.push(source)
  }
  if (options.has('comments')) source.comment = str(options.get('comments')!)
  if (source instanceof SourceLine) source.line = repo.endsWith('\n') ? repo : `${repo}\n`
  if (wanted.architectures.length === 0 && !kwargs.has('architectures') && source.architectures.length === 0) {
    options.delete('architectures')
  }
  applyOptions(source, options)
  if (source instanceof SourceLine && source.uri !== wanted.uri) {
    source.uri = wanted.uri
    source.line = source.text()
  }
  await writeSources(ctx, sources)
  if (refresh) await refreshDb(ctx)
  return new Map([[repo, (await getRepo(ctx, repo)) as Repo as Value]])
}
