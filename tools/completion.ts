// `npm run completion [-- FOLDER]`: writes dist/completion: the completion of bash, zsh and fish, the script that all of them ask, and
// its index of options, functions, states and runners. The build writes it too.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  ABSENT_PROGRAMS,
  allOptions,
  BRINE_COMMANDS,
  type CliOption,
  destOf,
  PROGRAMS,
  type Program,
  takesValue,
} from '../src/cli/mod.ts'
import { moduleTable, returnerTable, runnerTable, stateTable } from '../src/loader/mod.ts'
import { outputters } from '../src/output/mod.ts'

type FunctionTable = Readonly<Record<string, readonly { functions: readonly string[] }[]>>

const STATE_OUTPUTS = ['full', 'terse', 'mixed', 'changes', 'filter', 'full_id', 'terse_id', 'mixed_id', 'changes_id']

/** The kind of an option's value, by the option's name, if its declaration does not say it. */
const VALUES: Readonly<Record<string, string>> = {
  config_dir: 'dirs',
  profiling_path: 'dirs',
  output: `one:${[...outputters.keys()].join(' ')}`,
  return: `one:${Object.keys(returnerTable).sort().join(' ')}`,
  state_output: `one:${STATE_OUTPUTS.join(' ')}`,
}

/** The values of salt-key's actions: keys in these folders. */
const KEY_VALUES: Readonly<Record<string, string>> = {
  accept: 'ids:minions_pre,minions_rejected,minions_denied',
  reject: 'ids:minions_pre',
  delete: 'ids:minions,minions_pre,minions_rejected,minions_denied',
  print: 'ids:minions,minions_pre,minions_rejected,minions_denied',
  finger: 'ids:minions,minions_pre,minions_rejected,minions_denied',
  list: 'one:accepted pre rejected denied all',
}

const FILE_METAVARS: ReadonlySet<string> = new Set(['FILE', 'DIR'])

/** The kind of value after an option: none (`flag`), names of files, one of some words, ids, or free text. */
function valueKind(program: string, option: CliOption): string {
  if (!takesValue(option)) return 'flag'
  if (option.choices) return `one:${option.choices.join(' ')}`
  const dest = destOf(option)
  const known = (program === 'salt-key' ? KEY_VALUES[dest] : undefined) ?? VALUES[dest]
  if (known !== undefined) return known
  const isFile =
    option.action === 'file' || FILE_METAVARS.has(option.metavar ?? '') || /(file|_path|_dir|^priv)$/.test(dest)
  return isFile ? 'files' : 'text'
}

/** A line for each spelling of each option. */
function optionLines(program: Program): string {
  const rows = allOptions(program).flatMap((option) =>
    option.flags.map((flag) => [flag, valueKind(program.name, option), option.help.replace(/\s+/g, ' ')].join('\t')),
  )
  return linesOf(rows)
}

/** `module.function` of all providers of each module. */
function functionLines(table: FunctionTable): string {
  const names = Object.entries(table).flatMap(([module, entries]) =>
    entries.flatMap(({ functions }) => functions.map((name) => `${module}.${name}`)),
  )
  return linesOf([...new Set(names)].sort())
}

const linesOf = (rows: readonly string[]): string => rows.map((row) => `${row}\n`).join('')

const BRINE: Program = {
  name: 'brine',
  usage: '',
  options: [
    { flags: ['-h', '--help'], action: 'help', help: 'print the help' },
    { flags: ['--version'], action: 'version', help: 'print the version' },
    {
      flags: ['-V', '--versions-report'],
      action: 'store_true',
      help: 'print the versions of Brine, Node, libraries and system',
    },
  ],
  groups: [],
}

/** Return the files of the index by path below its folder. */
async function indexFiles(programs: readonly Program[]): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const program of [...programs, BRINE]) files.set(`options/${program.name}`, optionLines(program))
  for (const { name, load } of BRINE_COMMANDS) {
    const { PROGRAM } = await load()
    if (PROGRAM) files.set(`options/brine-${name}`, optionLines(PROGRAM))
  }
  files.set('commands', linesOf(BRINE_COMMANDS.map(({ name, help }) => `${name}\t${help}`)))
  files.set('modules', functionLines(moduleTable))
  files.set('states', functionLines(stateTable))
  files.set('runners', functionLines(runnerTable))
  return files
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

export async function writeCompletion(root: string, folder: string): Promise<void> {
  const programs = [...PROGRAMS.values()].filter(({ name }) => !Object.hasOwn(ABSENT_PROGRAMS, name))
  const names = [...programs.map(({ name }) => name), 'brine']
  const sources = join(root, 'tools', 'completion')
  for (const [path, text] of await indexFiles(programs)) write(join(folder, 'index', path), text)
  for (const file of ['complete.sh', 'plan.awk']) copyFileSync(join(sources, file), join(folder, file))
  chmodSync(join(folder, 'complete.sh'), 0o755)
  const textOf = (file: string): string => readFileSync(join(sources, file), 'utf8')
  const all = names.join(' ')
  write(join(folder, 'zsh', '_brine'), textOf('zsh.zsh').replaceAll('PROGRAMS', all))
  // bash and fish look for a file with the name of the program
  for (const name of names) {
    write(join(folder, 'bash', name), textOf('bash.sh').replaceAll('PROGRAMS', all))
    write(join(folder, 'fish', `${name}.fish`), textOf('fish.fish').replaceAll('PROGRAM', name))
  }
}

if (import.meta.filename === process.argv[1]) {
  const root = join(import.meta.dirname, '..')
  await writeCompletion(root, process.argv[2] ?? join(root, 'dist', 'completion'))
}
