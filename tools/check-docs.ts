// Checks the documents by machine: links and paths exist, named npm scripts exist, every room is described, decision
// records are numbered and listed, and every source file begins with a comment about its purpose.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { isTest, type SourceFile, sourceFiles } from './source-files.ts'

export interface Document {
  /** Path from the root. */
  path: string
  text: string
}

export interface Surroundings {
  exists(path: string): boolean
  scripts: ReadonlySet<string>
  rooms: readonly string[]
}

const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```|`[^`\n]*`/gm, '')

function checkLinks({ path, text }: Document, { exists }: Surroundings): string[] {
  const problems: string[] = []
  for (const [, target] of withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^(https?:|mailto:|#)/.test(target!)) continue
    const file = normalize(join(dirname(path), target!.replace(/#.*$/, '')))
    if (!exists(file)) problems.push(`${path}: link to ${target} leads nowhere`)
  }
  return problems
}

/** Paths in code spans that begin with a folder of this repository. */
function checkPaths({ path, text }: Document, { exists }: Surroundings): string[] {
  const problems: string[] = []
  for (const [, named] of text.matchAll(/`((?:src|test|tools|bench|lab|docs|examples)\/[\w./-]+)`/g)) {
    if (!exists(named!)) problems.push(`${path}: names ${named}, which is not there`)
  }
  return problems
}

function checkScripts({ path, text }: Document, { scripts }: Surroundings): string[] {
  const problems: string[] = []
  for (const [, name] of text.matchAll(/npm run (?:-s )?([\w:-]+)/g)) {
    if (!scripts.has(name!)) problems.push(`${path}: names the script ${name}, which package.json has not`)
  }
  return problems
}

function checkRooms(documents: Document[], { rooms }: Surroundings): string[] {
  const map = documents.find(({ path }) => path === 'docs/architecture.md')
  if (map === undefined) return ['docs/architecture.md: is missing']
  return rooms
    .filter((room) => !map.text.includes(`\`${room}/\``))
    .map((room) => `docs/architecture.md: does not describe \`${room}/\``)
}

function checkRecords(documents: Document[]): string[] {
  const records = documents.filter(({ path }) => /^docs\/adr\/\d/.test(path)).map(({ path }) => path)
  const index = documents.find(({ path }) => path === 'docs/adr/README.md')?.text ?? ''
  return records.flatMap((path, i) => {
    const file = path.slice('docs/adr/'.length)
    const numbered = file.startsWith(String(i + 1).padStart(4, '0')) ? [] : [`${path}: is out of number`]
    return index.includes(`(${file})`) ? numbered : [...numbered, `${path}: is not listed in docs/adr/README.md`]
  })
}

export function checkDocuments(documents: Document[], around: Surroundings): string[] {
  const perDocument = documents.flatMap((document) => [
    ...checkLinks(document, around),
    ...checkPaths(document, around),
    ...checkScripts(document, around),
  ])
  return [...perDocument, ...checkRooms(documents, around), ...checkRecords(documents)]
}

/** Faces only list their exports, and tests describe themselves by name; every other file begins with a comment. */
export function checkHeads(files: SourceFile[]): string[] {
  return files
    .filter(({ path }) => !isTest(path) && !path.endsWith('/mod.ts') && path.includes('/'))
    .filter(({ text }) => !/^(#!.*\n)?\/[/*]/.test(text))
    .map(({ path }) => `${path}: does not say at its head what it is`)
}

function documentsOf(root: string): Document[] {
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  const paths = [...readdirSync(root), ...inDocs.map((file) => `docs/${file}`), 'test/conformance/README.md']
  return paths
    .filter((path) => path.endsWith('.md'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

export function run(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const rooms = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const around: Surroundings = {
    exists: (path) => existsSync(join(root, path)),
    scripts: new Set(Object.keys(scripts)),
    rooms: rooms.map((entry) => entry.name),
  }
  const files = sourceFiles(root, ['src', 'test', 'bench', 'lab', 'tools'])
  return [...checkDocuments(documentsOf(root), around), ...checkHeads(files)]
}
