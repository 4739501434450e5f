// `npm run man [-- FOLDER]`: writes the manual pages below dist/man from the declarations of programs and options. The build
// writes them too.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ABSENT_PROGRAMS, PROGRAMS, SALT_PIP } from '../src/cli/mod.ts'
import { packageVersion } from './build/sdk.ts'
import { optionsPage } from './man/options.ts'
import { overviewPage } from './man/overview.ts'
import { absentPage, brinePage, programPage } from './man/programs.ts'
import type { Source } from './man/roff.ts'

/** The date of the release that the changelog describes last; before the first one, that of the sources. */
function releaseDate(root: string): string {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const released = /^## \[\d[^\]]*\] - (\d{4}-\d\d-\d\d)/m.exec(changelog)?.[1]
  if (released !== undefined) return released
  const epoch = Number(process.env['SOURCE_DATE_EPOCH'])
  return new Date(epoch > 0 ? epoch * 1000 : Date.now()).toISOString().slice(0, 10)
}

/** Return the pages by path below the folder of manual pages. */
export async function manPages(root: string): Promise<Map<string, string>> {
  const source: Source = { version: packageVersion(root), date: releaseDate(root) }
  const programs = [...PROGRAMS.values(), SALT_PIP]
  const present = programs.filter(({ name }) => !Object.hasOwn(ABSENT_PROGRAMS, name))
  const all = [...present.map(({ name }) => [name, 1] as const), ['brine', 1] as const]
  const pages = new Map<string, string>()
  for (const program of present) pages.set(`${program.name}.1`, programPage(program, source, all))
  for (const [name, text] of Object.entries(ABSENT_PROGRAMS)) pages.set(`${name}.1`, absentPage(name, text, source))
  pages.set('brine.1', await brinePage(source, all))
  for (const role of ['master', 'minion'] as const) pages.set(`salt-${role}.5`, optionsPage(role, source))
  pages.set('brine.7', overviewPage(present, source))
  return pages
}

export async function writeManPages(root: string, folder: string): Promise<void> {
  for (const [path, text] of await manPages(root)) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

if (import.meta.filename === process.argv[1]) {
  const root = join(import.meta.dirname, '..')
  await writeManPages(root, process.argv[2] ?? join(root, 'dist', 'man'))
}
