// Documentation of runner functions: of all functions, of a module, of one function, or of functions that match a glob.
import { fnmatch } from '../../data/mod.ts'
import type { MasterRegistry } from '../../loader/mod.ts'

export async function runnerDocs(runners: MasterRegistry, wanted = ''): Promise<Map<string, string>> {
  const docs = await runners.docs()
  if (wanted === '') return docs
  const below = wanted.endsWith('.') ? wanted : `${wanted}.`
  const isWanted = wanted.includes('*')
    ? (name: string) => fnmatch(name, wanted)
    : (name: string) => name === wanted || name.startsWith(below)
  return new Map([...docs].filter(([name]) => isWanted(name)))
}
