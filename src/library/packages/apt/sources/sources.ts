// The package sources of a machine: entries of sources.list and of the files beside it, in both forms, read and written
// like Salt; and the conversion of a state's definition to an entry.
import { isList, iterate, PyError, str, textOf, truthy, typeName, type Value } from '../../../../data/mod.ts'
import { Deb822Section, Deb822Source } from './deb822.ts'
import { SOURCES_LIST, SourceLine } from './source-line.ts'

export type AptSource = SourceLine | Deb822Source

/** Return the entries of one file. An invalid line ends them, and `onFailure` receives the error. */
export function parseSources(file: string, text: string, onFailure: (error: unknown) => void): AptSource[] {
  const entries: AptSource[] = []
  try {
    if (file.endsWith('.sources')) {
      for (const section of text.split(/\n(?:[ \t]*\n)+/)) {
        if (section.trim() !== '') entries.push(new Deb822Source(new Deb822Section(section), file))
      }
    } else for (const line of text.split(/(?<=\n)/)) if (line !== '') entries.push(new SourceLine(line, file))
  } catch (error) {
    onFailure(error)
  }
  return entries
}

/** The texts of all files that have entries. */
export function sourceTexts(sources: readonly AptSource[]): Map<string, string> {
  const files = new Map<string, string>()
  for (const source of sources) {
    const before = files.get(source.file)
    const gap = before !== undefined && source instanceof Deb822Source ? '\n' : ''
    files.set(source.file, `${before ?? ''}${gap}${source.text()}\n`)
  }
  return files
}

const withoutSlash = (uri: string): string => uri.replace(/\/+$/, '')

/** Return whether two entries mean the same source. */
export function sameSource(a: AptSource, b: AptSource): boolean {
  const uris = (source: AptSource): string => [...new Set(source.uris.map(withoutSlash))].sort().join(' ')
  return (
    a === b ||
    (a.disabled === b.disabled &&
      a.type === b.type &&
      uris(a) === uris(b) &&
      a.dist === b.dist &&
      a.comps.join(' ') === b.comps.join(' '))
  )
}

export const sameUri = (a: string, b: string): boolean => withoutSlash(a) === withoutSlash(b)

/** The definition without the slash at the end of its address. */
export function stripUri(definition: string): string {
  const words = definition.split(/\s+/).filter(Boolean)
  return words.map((word) => (/^(https?|ftp):\/\//.test(word) ? withoutSlash(word) : word)).join(' ')
}

/** Comments in one line. */
export function combineComments(comments: Value): string {
  const list = isList(comments) ? [...iterate(comments)] : [comments]
  return list.map(str).join(' ').trim()
}

const PPA_SYSTEMS = ['Ubuntu', 'Mint', 'neon']

export interface Ppa {
  owner: string
  name: string
}

/** `ppa:owner/name` where the system knows personal archives. */
export function ppaOf(repo: string, os: string): Ppa | undefined {
  if (!repo.startsWith('ppa:') || !PPA_SYSTEMS.includes(os)) return undefined
  const [owner = '', name, ...more] = repo.slice(4).split('/')
  if (name === undefined) throw new PyError('ValueError', 'not enough values to unpack (expected 2, got 1)')
  return { owner, name: [name, ...more].join('/') }
}

export function ppaLine({ owner, name }: Ppa, codename: string, auth: Value): string {
  return truthy(auth)
    ? `deb https://${str(auth)}@private-ppa.launchpad.net/${owner}/${name}/ubuntu ${codename} main`
    : `deb http://ppa.launchpad.net/${owner}/${name}/ubuntu ${codename} main`
}

export const ppaFile = ({ owner, name }: Ppa, codename: string): string =>
  `/etc/apt/sources.list.d/${owner}-${name}-${codename}.list`

/** Options that may be given as a text with commas. */
export function commaList(value: Value): string[] {
  const text = textOf(value)
  if (text === undefined) throw new PyError('AttributeError', `'${typeName(value)}' object has no attribute 'split'`)
  return text.split(',').map((part) => part.trim())
}

export type RepoOptions = ReadonlyMap<string, Value>

export interface System {
  os: string
  codename: string
}

/** Return a definition with its options from a state, in the form of `pkg.get_repo`. */
export function expandRepoDefinition(definition: string, options: RepoOptions, system: System): Map<string, Value> {
  const ppa = ppaOf(definition, system.os)
  const entry = new SourceLine(ppa ? ppaLine(ppa, system.codename, options.get('ppa_auth') ?? null) : definition)
  for (const name of ['architectures', 'comps'] as const) {
    if (options.has(name)) entry[name] = commaList(options.get(name)!)
  }
  for (const name of ['uri', 'dist', 'signedby'] as const) {
    if (options.has(name)) entry[name] = str(options.get(name)!)
  }
  if (options.has('disabled')) entry.disabled = truthy(options.get('disabled')!)
  const file = options.get('file') ?? (ppa ? ppaFile(ppa, system.codename) : SOURCES_LIST)
  const source = newSource(entry, str(file), options)
  source.disabled = entry.disabled
  return new Map<string, Value>(
    Object.entries({
      file: source.file,
      comps: source.comps,
      disabled: source.disabled,
      dist: source.dist,
      suites: source.suites,
      type: source.type,
      types: source.types,
      uri: source.uri,
      uris: source.uris,
      line: source.text(),
      architectures: source.architectures,
      signedby: entry.signedby,
    }),
  )
}

/** An entry for a file, in the form that the file's name asks for. */
function newSource(entry: SourceLine, file: string, options: RepoOptions): AptSource {
  const trusted = options.get('trusted') ?? false
  if (!file.endsWith('.sources')) {
    const marks = [
      ...(entry.architectures.length > 0 ? [`arch=${entry.architectures.join(',')}`] : []),
      ...(entry.signedby === '' ? [] : [`signed-by=${entry.signedby}`]),
      ...(truthy(trusted) ? ['trusted=yes'] : []),
    ]
    const words = [entry.type, marks.length > 0 ? `[${marks.join(' ')}]` : '', entry.uri, entry.dist, ...entry.comps]
    const source = new SourceLine(`${words.filter(Boolean).join(' ')}\n`)
    source.file = file
    return source
  }
  const listOr = (name: string, single: string): Value => {
    const value = options.get(name) ?? null
    return isList(value) && truthy(value) ? value : [single]
  }
  const source = new Deb822Source(new Deb822Section(), file)
  source.types = listOr('types', entry.type)
  source.uris = listOr('uris', entry.uri)
  source.suites = listOr('suites', entry.dist)
  source.comps = entry.comps
  if (entry.architectures.length > 0) source.architectures = entry.architectures
  if (entry.signedby !== '') source.signedby = entry.signedby
  if (trusted !== false) source.trusted = trusted
  return source
}
