// `tsx tools/options-manual.ts`: writes docs/reference/minion-options.md and master-options.md from the option tables of
// src/config/. A test fails when they are out of date.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  defaultOf,
  FUNCTION_OPTIONS,
  isFor,
  type Option,
  type OptionTable,
  type Role,
  THEMES,
  typesOf,
} from '../src/config/mod.ts'
import { dumpJson, fromPlain } from '../src/data/mod.ts'

const ROLES: readonly Role[] = ['minion', 'master']

export const manualPath = (role: Role): string => `docs/reference/${role}-options.md`

const TYPE_NAMES: Readonly<Record<string, string>> = {
  str: 'text',
  int: 'whole number',
  float: 'number',
  bool: 'true or false',
  dict: 'mapping',
  list: 'list',
  tuple: 'list',
  NoneType: 'nothing',
}

export function manualText(role: Role): string {
  const head = [
    `# Options of a ${role}`,
    '',
    'Made by `tools/options-manual.ts` from the tables in `src/config/tables`; do not edit by hand.',
    '',
    `They stand in \`/etc/salt/${role}\`, in \`/etc/salt/${role}.d/*.conf\` (read after it, in the order of their names) and in`,
    'files that `include` names; a later file wins. What the command line says wins over all of them. Relative paths are',
    'below `root_dir`.',
    '',
    'An option has an effect unless its row says otherwise. **Not yet** names the part of Salt that it belongs to and that is not',
    'here yet; a program that reads such an option from a file, with another value than the default, warns with file and line.',
    '**Needless** gives the reason why nothing is to be set; the option is accepted and has no effect.',
    '',
  ]
  const all = [...THEMES, ['Options that only functions look up', FUNCTION_OPTIONS] as const]
  const themes = all.flatMap(([title, table]) => themeText(title, table, role))
  return `${[...head, ...themes].join('\n').trimEnd()}\n`
}

function themeText(title: string, table: OptionTable, role: Role): string[] {
  const options = Object.entries(table).filter(([, option]) => isFor(option, role))
  if (options.length === 0) return []
  const rows = options.map(([name, option]) => rowText(name, option, role))
  return [`## ${title}`, '', '| option | holds | default | |', '|---|---|---|---|', ...rows, '']
}

function rowText(name: string, option: Option, role: Role): string {
  const usual = defaultText(option, role)
  const shown = usual === '' ? '' : `\`${usual}\``
  const old = option.old ? `; once called ${option.old.map((other) => `\`${other}\``).join(', ')}` : ''
  return `| \`${name}\` | ${typeText(option)} | ${inCell(shown)} | ${inCell(option.doc + old + effectText(option))} |`
}

/** The types of an option, or nothing where any goes. */
export function typeText(option: Option): string {
  return [...new Set(typesOf(option).map((type) => TYPE_NAMES[type] ?? type))].join(' or ')
}

/** The default of an option as JSON, or nothing where there is none. */
export function defaultText(option: Option, role: Role): string {
  const value = defaultOf(option, role) ?? (option.unset === undefined ? undefined : fromPlain(option.unset))
  return value === undefined ? '' : dumpJson(value, { ensureAscii: false })
}

/** Say that an option has no effect, and why. */
export function effectText({ later, needless }: Option): string {
  if (later) return `. **Not yet**: ${later}`
  return needless ? `. **Needless**: ${needless}` : ''
}

const inCell = (text: string): string => text.replaceAll('|', '\\|')

if (import.meta.filename === process.argv[1]) {
  const root = join(import.meta.dirname, '..')
  mkdirSync(join(root, 'docs', 'reference'), { recursive: true })
  for (const role of ROLES) writeFileSync(join(root, manualPath(role)), manualText(role))
}
