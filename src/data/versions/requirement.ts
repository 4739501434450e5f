// One requirement as pip reads it from a command line: a name with extras, specifiers and markers, or a URL, an archive or a
// directory.
import { repr } from '../repr.ts'
import type { Specifier } from './pep440.ts'

export interface Requirement {
  /** Undefined for a URL or path that says no name. */
  name: string | undefined
  /** The directory it is built from. */
  directory?: string
  specifiers: Specifier[]
}

const ARCHIVE = /\.(?:zip|whl|tar|tar\.gz|tgz|tar\.bz2|tbz|tar\.xz|txz|tlz|tar\.lz|tar\.lzma)$/i
const NAME = /^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*/
const EXTRAS = /^\[\s*(?:[A-Za-z0-9][A-Za-z0-9._-]*(?:\s*,\s*[A-Za-z0-9][A-Za-z0-9._-]*)*)?\s*\]\s*/
const SPECIFIER = /^\s*(===|==|~=|!=|<=|>=|<|>)\s*([^\s,;)]+)\s*$/

/** The requirement, or why pip refuses it. */
export function parseRequirement(line: string): Requirement | string {
  const isUrl = /^(?:https?|file|ftp|(?:git|hg|svn|bzr)\+[a-z+]+):/i.test(line)
  const text = withoutMarker(line, isUrl)
  if (isUrl) return { name: eggOf(text), specifiers: [] }
  if (looksLikePath(text)) {
    const wheel = /(?:^|\/)([^/]+?)-([^/-]+)(?:-\d[^/-]*)?-[^/-]+-[^/-]+-[^/-]+\.whl$/.exec(text)
    if (wheel) return { name: wheel[1]!, specifiers: [['==', wheel[2]!.replaceAll('_', '-')]] }
    return { name: undefined, specifiers: [], ...(!ARCHIVE.test(text) && { directory: text }) }
  }
  return named(text) ?? refusal(text)
}

function withoutMarker(line: string, isUrl: boolean): string {
  const mark = line.indexOf(isUrl ? '; ' : ';')
  return (mark < 0 ? line : line.slice(0, mark)).trim()
}

const eggOf = (url: string): string | undefined => /[#&]egg=([^&[]*)/.exec(url)?.[1] || undefined

const looksLikePath = (text: string): boolean =>
  !/\s@\s/.test(text) && (text.includes('/') || text.startsWith('.') || ARCHIVE.test(text))

function named(text: string): Requirement | undefined {
  const name = NAME.exec(text)
  if (!name) return undefined
  let rest = text.slice(name[0].length)
  rest = rest.slice(EXTRAS.exec(rest)?.[0].length ?? 0)
  if (rest.startsWith('@')) return { name: name[1]!, specifiers: [] }
  const inner = rest.startsWith('(') && rest.trimEnd().endsWith(')') ? rest.trim().slice(1, -1) : rest
  if (inner.trim() === '') return { name: name[1]!, specifiers: [] }
  const specifiers: Specifier[] = []
  for (const part of inner.split(',')) {
    const match = SPECIFIER.exec(part)
    if (!match) return undefined
    specifiers.push([match[1]!, match[2]!])
  }
  return { name: name[1]!, specifiers }
}

function refusal(text: string): string {
  const single = text.includes('=') && !/===|==|~=|!=|<=|>=|<|>/.test(text)
  const hint = single ? '\nHint: = is not a valid operator. Did you mean == ?' : ''
  return `Invalid requirement: ${repr(text)}${hint}`
}
