// `tsx tools/reference.ts`: writes docs/reference/ from the declarations of src/: for modules, states, runners and wheel a page
// per module and an index, for each other kind one page. tools/plugin-table.ts writes them too. A test fails when they are out of date.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repr } from '../src/data/mod.ts'
import { builtinExtPillars } from '../src/pillar/mod.ts'
import type { Args, FunctionDeclaration } from '../src/sdk/mod.ts'
import {
  calledName,
  type Declaration,
  type NamedPlugin,
  type PluginFile,
  type PluginKind,
  plugins,
} from './plugin-declarations.ts'

type Documented = Pick<FunctionDeclaration, 'doc' | 'args' | 'examples' | 'returns'> & { effect?: string }

const MADE_BY = 'Made by `tools/reference.ts` from the declarations in `src/library`; do not edit by hand.'

const SEVERAL = 'Where several modules have one name, those that fit the minion serve it.'

const FAMILIES = {
  modules: [
    'module',
    'Execution modules',
    `What \`salt '*' module.function\` and \`salt['module.function'](…)\` in templates call. ${SEVERAL}`,
  ],
  states: ['state', 'State modules', `What SLS files declare. ${SEVERAL}`],
  thorium: [
    'thorium',
    'Thorium',
    'What files below `thorium_roots` declare: states over the events of the master, run by the engine `thorium`.',
  ],
  runners: ['runner', 'Runners', 'What `salt-run module.function` calls, on the master.'],
  wheel: ['wheel', 'Wheel modules', 'What manages the master itself: `salt-key`, reactors and orchestrations call it.'],
} as const

/** Plugins without callable functions: one page for each family lists them. */
const NAMED = {
  beacons: [
    'beacon',
    'Beacons',
    'What a minion can watch: a name under `beacons` in its options or pillar, with settings.',
  ],
  returners: [
    'returner',
    'Returners',
    'Where returns can be sent besides: `--return`, `return`, `ext_job_cache`, `event_return`.',
  ],
  engines: [
    'engine',
    'Engines',
    'What can work beside a master or a minion: a name under `engines` in its options, with settings.',
  ],
  pillars: [
    'pillar',
    'External pillars',
    'Where pillar data can come from besides SLS files: a name under `ext_pillar`, with arguments.',
  ],
  sdb: [
    'sdb',
    'SDB drivers',
    'Where values of `sdb://profile/key` can be kept: a profile is an option or an entry of pillar with `driver` and settings.',
  ],
  caches: [
    'cache',
    'Data caches',
    'Where masters can share the data about minions: the option `cache` names a driver.',
  ],
  tops: [
    'tops',
    'Master tops',
    'What can say which SLS files a minion gets, besides top files: a name under `master_tops`, with settings.',
  ],
  clouds: [
    'driver',
    'Drivers of salt-cloud',
    'Where salt-cloud can make machines: `driver` in a provider names one. Settings of a machine can be in a profile, in a map, or in the provider as a default.',
  ],
} as const

export type FamilyName = keyof typeof FAMILIES

export const REFERENCE_FAMILIES = Object.keys(FAMILIES) as FamilyName[]

/** Texts by file name below the family's folder. */
export async function referencePages(root: string, family: FamilyName): Promise<Map<string, string>> {
  const found = await plugins<Declaration>(root, FAMILIES[family][0])
  const pages = new Map<string, string>()
  for (const plugin of found) pages.set(`${plugin.declaration.name}.md`, pageText(plugin))
  pages.set('README.md', indexText(family, found))
  return pages
}

/** Return descriptions of a family's plug-ins, by page. */
export async function namedPages(root: string): Promise<Map<string, string>> {
  const pages = new Map<string, string>()
  for (const [family, [kind, title, meaning]] of Object.entries(NAMED)) {
    const found = kind === 'pillar' ? await allExtPillars() : await declared(root, kind)
    const rows = found.map((plugin) => `| \`${calledName(plugin)}\` | ${inCell(plugin.doc)} |`)
    const head = [`# ${title}`, MADE_BY, meaning]
    const settings = found.flatMap((plugin) => settingsText(plugin))
    pages.set(`${family}.md`, textOf([...head, ['| name | |', '|---|---|', ...rows].join('\n'), ...settings]))
  }
  return pages
}

async function declared(root: string, kind: PluginKind): Promise<NamedPlugin[]> {
  return (await plugins<NamedPlugin>(root, kind)).map(({ declaration }) => declaration)
}

/** Return the external pillars of the library, and those that are part of the compilation of pillar. */
async function allExtPillars(): Promise<NamedPlugin[]> {
  const found = await Promise.all([...builtinExtPillars.values()].map((load) => load()))
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

type Callable = Readonly<Record<string, Pick<FunctionDeclaration, 'doc'> & { args?: Args }>>

/** The actions and functions of a driver of salt-cloud. */
function callsText({ actions = {}, functions = {} }: { actions?: Callable; functions?: Callable }): string[] {
  const rows = (all: Callable, how: string): string[] =>
    Object.entries(all).map(([name, { doc, args = {} }]) => {
      const given = Object.entries(args).map(
        ([key, { default: fallback }]) => `\`${key}\`${fallback === undefined ? '' : ` (\`${repr(fallback)}\`)`}`,
      )
      return `| \`${how} ${name}\` | ${given.join(', ')} | ${inCell(doc)} |`
    })
  const all = [...rows(actions, '-a'), ...rows(functions, '-f')]
  if (all.length === 0) return []
  const [some, more] = [Object.keys(actions).length, Object.keys(functions).length]
  const count = `Actions: ${some}. Functions: ${more}. An argument with a value in brackets may be left out.`
  return [count, ['| call | arguments | |', '|---|---|---|', ...all].join('\n')]
}

/** For plugins that declare settings. */
type Settable = NamedPlugin & { args?: Args; provider?: Args; machine?: Args; actions?: Callable; functions?: Callable }

function settingsText(plugin: Settable): string[] {
  const rows = Object.entries(plugin.args ?? { ...plugin.provider, ...plugin.machine }).map(
    ([name, { kind, doc, default: fallback }]) => {
      const isGathering = kind === 'rest' || kind === 'open'
      const usual = fallback !== undefined ? `\`${repr(fallback)}\`` : isGathering ? 'none' : 'must be given'
      return `| \`${name}\` | ${usual} | ${inCell(doc)} |`
    },
  )
  if (rows.length === 0) return []
  const settings = ['| setting | default | |', '|---|---|---|', ...rows].join('\n')
  return [`## ${calledName(plugin)}`, settings, ...callsText(plugin)]
}

function indexText(family: FamilyName, found: readonly PluginFile<Declaration>[]): string {
  const [, title, meaning] = FAMILIES[family]
  const byCall = found.map(({ declaration }) => declaration).sort((a, b) => (calledName(a) < calledName(b) ? -1 : 1))
  const rows = byCall.map((declaration) => {
    const functions = Object.keys(declaration.functions)
    const page = `[${declaration.name}](${declaration.name}.md)`
    return `| \`${calledName(declaration)}\` | ${page} | ${functions.length} | ${inCell(firstSentence(declaration.doc))} |`
  })
  const count = byCall.reduce((sum, { functions }) => sum + Object.keys(functions).length, 0)
  return textOf([
    `# ${title}`,
    MADE_BY,
    `${meaning} There are ${count} functions.`,
    ['| called | module | functions | |', '|---|---|---:|---|', ...rows].join('\n'),
  ])
}

function pageText({ file, declaration }: PluginFile<Declaration>): string {
  const called = calledName(declaration)
  const madeBy = MADE_BY.replace('src/library', `src/${file}`)
  const parts = [`# ${declaration.name}`, madeBy, plain(declaration.doc)]
  if (called !== declaration.name) parts.push(`Called as \`${called}\`.`)
  const functions = Object.entries(declaration.functions as Readonly<Record<string, Documented>>)
  for (const [name, documented] of functions) parts.push(...functionText(`${called}.${name}`, documented))
  return textOf(parts)
}

function functionText(name: string, { doc, args, examples, returns, effect }: Documented): string[] {
  const parts = [`## ${name}`, `\`${name}(${signatureText(args)})\``]
  parts.push(plain(effect === 'change' ? `${doc} It may change the machine.` : doc))
  const rows = Object.entries(args).map(([arg, { doc: meaning }]) => `| \`${arg}\` | ${inCell(meaning)} |`)
  if (rows.length > 0) parts.push(['| argument | |', '|---|---|', ...rows].join('\n'))
  if (returns) parts.push(plain(`Returns: ${returns.doc}`))
  if (examples && examples.length > 0) parts.push(`\`\`\`\n${examples.join('\n')}\n\`\`\``)
  return parts
}

function signatureText(args: Args): string {
  const words = Object.entries(args).map(([name, { kind, default: fallback }]) => {
    if (kind === 'rest') return `*${name}`
    if (kind === 'open') return `**${name}`
    return fallback === undefined ? name : `${name}=${repr(fallback)}`
  })
  return words.join(', ').replaceAll('`', "'").replaceAll('\n', '\\n')
}

const firstSentence = (text: string): string => /^[\s\S]*?[.](?=\s|$)/.exec(text)?.[0] ?? text

const inProse = (text: string): string => text.replace(/[<*_\\[\]]/g, (sign) => (sign === '<' ? '&lt;' : `\\${sign}`))

/** Escape text for Markdown and HTML outside of code. */
function plain(text: string): string {
  const parts = text.split(/(`[^`]*`)/)
  return parts.map((part, index) => (index % 2 === 0 ? inProse(part) : part)).join('')
}

const inCell = (text: string): string =>
  plain(text)
    .replaceAll('|', '\\|')
    .replace(/\s*\n\s*/g, ' ')

const textOf = (parts: readonly string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`

/** Rewrite all pages. */
export async function writeReference(root: string): Promise<void> {
  for (const family of REFERENCE_FAMILIES) {
    const folder = join(root, 'docs', 'reference', family)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const [file, text] of await referencePages(root, family)) writeFileSync(join(folder, file), text)
  }
  for (const [file, text] of await namedPages(root)) writeFileSync(join(root, 'docs', 'reference', file), text)
}

if (import.meta.filename === process.argv[1]) await writeReference(join(import.meta.dirname, '..'))
