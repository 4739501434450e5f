// Checks the options against their tables: the default of a declared option stands in its table only, and every option is either
// read by some code or marked as being without effect, never both.
import { FUNCTION_OPTIONS, type OptionTable, THEMES } from '../src/config/mod.ts'
import { isTest, type SourceFile, sourceFiles } from './source-files.ts'

const CONFIG = 'src/config/'
const TABLES = 'src/config/tables/'

/** Files whose `opts` are settings of something else: of a network interface. */
const FOREIGN = 'src/library/network/interfaces/'

const LITERAL = String.raw`'[^'\n]*'|\x60[^\x60]*\x60|-?\d[\d_.]*|true\b|false\b|null\b|\[|new Map\b`
const FALLBACK = new RegExp(
  String.raw`\bopts\)?\s*\??\.get\(\s*'([\w.-]+)'\s*\)\s*\)?\s*(?:\?\?|\|\|)\s*(${LITERAL})`,
  'g',
)
const READ = /\b(?:option|rawOption|setting)\(\s*[\w.!]+,\s*'([\w.-]+)'|\bopts\??\.(?:get|has)\(\s*'([\w.-]+)'/g
const QUOTED = /['"]([\w.-]+)['"]/g

/** Names that code puts together: of remotes of Git, of families of modules, of returners and so on. */
const COMPUTED =
  /^(?:git_pillar_|s3\.|auth\.ldap\.|out\.table\.|stateconf_|jinja_|(?:cache\.)?redis\.|mongo\.|etcd\.|consul\.|winrepo_(?:dir|remotes))|_dirs$/

const ALL: OptionTable = Object.assign({}, ...THEMES.values(), FUNCTION_OPTIONS)

/** One line per broken rule. */
export function checkOptions(files: readonly SourceFile[], options: OptionTable = ALL): string[] {
  const code = files.filter(({ path }) => !isTest(path) && !path.startsWith(TABLES) && !path.startsWith(FOREIGN))
  return [...code.flatMap((file) => fallbacks(file, options)), ...effects(code, options)]
}

/** Defaults outside the tables. An option without a default may be null while it is not set. */
function fallbacks({ path, text }: SourceFile, options: OptionTable): string[] {
  return [...text.matchAll(FALLBACK)].flatMap(({ index, 1: name = '', 2: literal }) => {
    const option = Object.hasOwn(options, name) ? options[name]! : undefined
    const hasDefault = ['both', 'minion', 'master', 'unset'].some((key) => key in (option ?? {}))
    if (!option || (literal === 'null' && !hasDefault)) return []
    const line = text.slice(0, index).split('\n').length
    return [`${path}:${line}: has a default of its own for '${name}'; read it by option(opts, '${name}')`]
  })
}

function effects(code: readonly SourceFile[], options: OptionTable): string[] {
  const named = new Set(code.flatMap(({ text }) => [...text.matchAll(QUOTED)].map(([, name]) => name)))
  const readers = new Map<string, string>()
  for (const { path, text } of code) {
    if (path.startsWith(CONFIG)) continue
    for (const [, viewed, got] of text.matchAll(READ)) readers.set((viewed ?? got)!, path)
  }
  return Object.entries(options).flatMap(([name, { later, needless }]) => {
    if (later || needless) {
      const reader = readers.get(name)
      return reader ? [`option '${name}' is marked as without effect, but ${reader} reads it`] : []
    }
    return named.has(name) || COMPUTED.test(name) ? [] : [`option '${name}' is read nowhere; mark it later or needless`]
  })
}

export function run(root: string): string[] {
  return checkOptions(sourceFiles(root, ['src']))
}
