// The page of missing plug-ins (docs/reference/absent.md) against Salt's plug-ins (test/salt-plugins.json: file and
// name of each) and the tables of the loader.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ABSENT_MODULES, ABSENT_STATES, namesOf } from '../src/loader/absent-plugins.ts'
import {
  beaconTable,
  engineTable,
  moduleTable,
  returnerTable,
  runnerTable,
  stateTable,
  thoriumTable,
  wheelTable,
} from '../src/loader/mod.ts'
import { absentPage } from './absent-page.ts'

const ROOT = join(import.meta.dirname, '..')
type Names = Readonly<Record<string, string>>
const salt = JSON.parse(readFileSync(join(ROOT, 'test/salt-plugins.json'), 'utf8')) as Readonly<Record<string, Names>>
const page = readFileSync(join(ROOT, 'docs/reference/absent.md'), 'utf8')

type Loading = () => Promise<{ default: { name?: string } }>
type Table = Readonly<Record<string, Loading | ReadonlyArray<{ load: Loading }>>>

/** The names of our own plugins: each one's own, and the name it is called by where no other has that. */
async function ownNames(table: Table): Promise<Set<string>> {
  const names = new Set<string>()
  for (const [called, entries] of Object.entries(table)) {
    const loading = typeof entries === 'function' ? [entries] : entries.map(({ load }) => load)
    if (loading.length === 1) names.add(called)
    for (const load of loading) names.add((await load()).default.name ?? called)
  }
  return names
}

async function absent(kind: string, table: Table): Promise<string[]> {
  const own = await ownNames(table)
  const all = Object.entries(salt[kind]!)
  const isAlone = (called: string): boolean => all.filter(([, other]) => other === called).length === 1
  return all.filter(([file, called]) => !own.has(file) && !(isAlone(called) && own.has(called))).map(([file]) => file)
}

/** The names in the first column of a section of the page. */
function listed(title: string): string[] {
  const section = new RegExp(`^## ${title}\\n([\\s\\S]*?)(?=^## |\\n*$(?![\\s\\S]))`, 'm').exec(page)?.[1] ?? ''
  const cells = section.split('\n').flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1] ?? [])
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!))
}

describe('The page of what is not here', () => {
  test.each<[string, string, Table]>([
    ['Execution modules', 'modules', moduleTable as Table],
    ['States', 'states', stateTable as Table],
    ['Runners', 'runners', runnerTable as unknown as Table],
    ['Wheel', 'wheel', wheelTable as unknown as Table],
    ['Beacons', 'beacons', beaconTable as Table],
    ['Returners', 'returners', returnerTable as Table],
    ['Engines', 'engines', engineTable as Table],
    ['Thorium', 'thorium', thoriumTable as unknown as Table],
  ])('names all absent %s', async (title, kind, table) => {
    expect(listed(title).sort()).toEqual((await absent(kind, table)).sort())
  })

  test('has the reasons that errors give', () => {
    expect(page).toBe(absentPage(ROOT))
  })

  test.each([
    ['modules', ABSENT_MODULES],
    ['states', ABSENT_STATES],
  ] as const)('knows the names of %s that calls use', (kind, groups) => {
    const names = groups.flatMap(namesOf)
    expect(names).toEqual(names.map(({ file }) => ({ file, called: salt[kind]![file] })))
  })

  test('names functions that are absent', async () => {
    const tables: Table[] = [moduleTable as Table, stateTable as Table, runnerTable as unknown as Table]
    const own = new Set<string>()
    for (const table of tables) {
      for (const [called, entries] of Object.entries(table)) {
        const all = entries as unknown as ReadonlyArray<{ functions: readonly string[] }>
        for (const { functions } of all) for (const fun of functions) own.add(`${called}.${fun}`)
      }
    }
    expect(listed('Functions of modules that are here').filter((name) => own.has(name))).toEqual([])
  })
})
