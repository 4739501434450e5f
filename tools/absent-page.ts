// `tsx tools/absent-page.ts`: writes the tables of execution modules and states of docs/reference/absent.md from
// src/loader/absent-plugins.ts. tools/plugin-table.ts writes them as well.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ABSENT_MODULES, ABSENT_STATES, type AbsentPlugins, namesOf } from '../src/loader/absent-plugins.ts'

export const ABSENT_PAGE = 'docs/reference/absent.md'

/** Return the page with the tables as they are declared. */
export function absentPage(root: string): string {
  const page = readFileSync(join(root, ABSENT_PAGE), 'utf8')
  return withTable(withTable(page, 'Execution modules', 'modules', ABSENT_MODULES), 'States', 'states', ABSENT_STATES)
}

function withTable(page: string, title: string, kind: string, groups: readonly AbsentPlugins[]): string {
  const head = `## ${title}\n\n`
  const start = page.indexOf(head) + head.length
  const end = page.indexOf('\n## ', start)
  const table = [`| ${kind} | reason |`, '|---|---|', ...groups.map(rowOf), '']
  return `${page.slice(0, start)}${table.join('\n')}${page.slice(end)}`
}

function rowOf(group: AbsentPlugins): string {
  const names = namesOf(group).map(({ file }) => `\`${file}\``)
  const see = group.page === undefined ? '' : ` ([${group.page.replace(/\.md.*/, '')}](../${group.page}))`
  return `| ${names.join(', ')} | ${group.reason}${see} |`
}

if (import.meta.filename === process.argv[1]) {
  const root = join(import.meta.dirname, '..')
  writeFileSync(join(root, ABSENT_PAGE), absentPage(root))
}
