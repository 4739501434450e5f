// The functions of src/library/ that no test and no recorded case calls, by reading: a function counts as called where its full name
// stands in a test or case, or where its own name is a whole text, a property or an entry of a
// list of names in a test that lies beside its plugin or imports it. `test/uncalled-functions.json` lists the others, and only
// shrinks: `node --import tsx tools/tested-functions.ts` writes it anew.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { calledName, type Declaration, type PluginKind, plugins } from './plugin-declarations.ts'
import { isTest, sourceFiles } from './source-files.ts'

const KINDS = ['module', 'state', 'runner', 'wheel'] as const satisfies readonly PluginKind[]

type Uncalled = Record<string, string[]>

/** The names that tests and cases mention. */
export class Mentions {
  /** `module.function`, wherever it stands. */
  private readonly full = new Set<string>()
  /** Texts and properties that are one word in tests, by the folder of their subject. */
  private readonly words = new Map<string, Set<string>>()

  add(path: string, text: string): void {
    // a name before a colon is a stand-in that a test brings
    const called = path.endsWith('.ts') ? text.replaceAll(/'\w+\.\w+':/g, '') : text
    for (const [name] of called.matchAll(/\b\w+\.\w+\b/g)) this.full.add(name)
    // the tag of a state in a return
    for (const [, module, fun] of text.matchAll(/\b(\w+?)_\|-[^"\n]*?_\|-(\w+)/g)) this.full.add(`${module}.${fun}`)
    for (const subject of testedSubjects(path, text)) this.addWords(subject, called)
  }

  private addWords(subject: string, text: string): void {
    const words = this.words.get(subject) ?? new Set()
    for (const [, , word] of text.matchAll(/(['"`])(\w+)\1/g)) words.add(word!)
    for (const [, word] of text.matchAll(/\.(\w+)\b/g)) words.add(word!)
    // a list of names, one after the other
    for (const [, list] of text.matchAll(/`\n([\w\s]+)`/g)) for (const word of list!.split(/\s+/)) words.add(word)
    this.words.set(subject, words)
  }

  has(file: string, names: readonly string[], fun: string): boolean {
    return (
      names.some((name) => this.full.has(`${name}.${fun}`)) || (this.words.get(subjectOf(file)!)?.has(fun) ?? false)
    )
  }
}

/** The subject of a test, and those whose plugins it imports. */
function testedSubjects(path: string, text: string): Set<string> {
  const imported = [...text.matchAll(/ from '(\.[^']+\/(?:\w+\.)?(?:module|state|runner|wheel)\.ts)'/g)]
  const paths = [path, ...imported.map(([, file]) => join(dirname(path), file!))]
  return new Set(paths.map(subjectOf).filter((subject) => subject !== undefined))
}

const subjectOf = (path: string): string | undefined => /^src\/library\/[^/]+\/[^/]+(?=\/)/.exec(path)?.[0]

function mentions(root: string): Mentions {
  const found = new Mentions()
  for (const { path, text } of sourceFiles(root, ['src', 'test', 'lab'])) {
    if (isTest(path) || !path.startsWith('src/')) found.add(path, text)
  }
  const cases = join(root, 'test', 'conformance', 'cases')
  for (const entry of readdirSync(cases, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const bytes = readFileSync(join(entry.parentPath, entry.name))
    found.add('', (entry.name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString())
  }
  return found
}

/** Return the functions that nothing calls, by kind of plug-in. */
export async function uncalledFunctions(root: string): Promise<Uncalled> {
  const found = mentions(root)
  const uncalled: Uncalled = {}
  for (const kind of KINDS) {
    const declared = await plugins<Declaration>(root, kind)
    uncalled[kind] = declared.flatMap(({ file, declaration }) =>
      Object.keys(declaration.functions)
        .filter((fun) => !found.has(`src/${file}`, [declaration.name, calledName(declaration)], fun))
        .map((fun) => `${declaration.name}.${fun}`),
    )
  }
  return uncalled
}

const listFile = (root: string): string => join(root, 'test', 'uncalled-functions.json')

/** Return the problems with the list, and its length. */
export async function run(root: string): Promise<{ problems: string[]; summary: string }> {
  const listed: Uncalled = JSON.parse(readFileSync(listFile(root), 'utf8'))
  const uncalled = await uncalledFunctions(root)
  const problems = KINDS.flatMap((kind) => {
    const [known, now] = [new Set(listed[kind]), new Set(uncalled[kind])]
    const further = [...now]
      .filter((name) => !known.has(name))
      .map((name) => `no test calls the ${kind} function ${name}`)
    const called = [...known].filter((name) => !now.has(name)).map((name) => `${name} is called: take it off the list`)
    return [...further, ...called]
  })
  return { problems, summary: `${Object.values(uncalled).flat().length} functions that no test calls` }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = dirname(import.meta.dirname)
  writeFileSync(listFile(root), `${JSON.stringify(await uncalledFunctions(root), null, 2)}\n`)
}
