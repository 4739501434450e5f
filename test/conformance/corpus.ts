// The recorded cases on disk: `cases/<area>/*.jsonl`, one case a line, and the declared known differences.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Case } from './area.ts'

const here = import.meta.dirname

/** The areas that have an adapter. */
export function areaNames(): string[] {
  return readdirSync(join(here, 'areas'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => file.slice(0, -'.ts'.length))
    .sort()
}

export function adapterPath(area: string): string {
  return join(here, 'areas', `${area}.ts`)
}

export function caseDirectory(area: string): string {
  return join(here, 'cases', area)
}

/** The case files of an area, from the project or from a directory that holds them itself or in a folder of that name. */
export function caseFiles(area: string, directory?: string): string[] {
  const given = directory ?? caseDirectory(area)
  const own = jsonLinesIn(given)
  return own.length > 0 || directory === undefined ? own : jsonLinesIn(join(directory, area))
}

function jsonLinesIn(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .filter((file) => file.endsWith('.jsonl'))
    .sort()
    .map((file) => join(directory, file))
}

export function readCases(files: string[], filter?: string): Case[] {
  return files.flatMap(readFile).filter((testCase) => filter === undefined || testCase.name.includes(filter))
}

function readFile(file: string): Case[] {
  const cases: Case[] = []
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (line.trim() === '') continue
    try {
      const recorded = JSON.parse(line)
      cases.push({ ...recorded, name: recorded.id ?? recorded.name ?? programName(recorded) })
    } catch (error) {
      throw new Error(`${file}:${index + 1}: not a JSON line`, { cause: error })
    }
  }
  return cases
}

/** Return the name of a case about programs, from its actions. */
function programName({ cli, situation, section, flags }: Record<string, unknown>): string {
  return flags === undefined ? `${cli}: ${situation}` : `${cli} ${section} ${String(flags)}`
}

/** Case name → why our answer differs on purpose. */
export function knownDifferences(area: string): Map<string, string> {
  return reasonsIn('known', area)
}

/** Case name → why only root can run it: recordings were made by root. */
export function rootCases(area: string): Map<string, string> {
  return reasonsIn('root', area)
}

/** Case name → the missing feature. These cases fail, but the gate does not wait for them. */
export function pendingCases(area: string): Map<string, string> {
  return reasonsIn('pending', area)
}

function reasonsIn(folder: string, area: string): Map<string, string> {
  const file = join(here, folder, `${area}.json`)
  return existsSync(file) ? new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')))) : new Map()
}
