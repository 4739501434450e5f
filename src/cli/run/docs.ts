// Documentation of runner functions: all, those of a module, one, or those that a glob names.
import { runners } from '../../client/mod.ts'
import { fnmatch } from '../../data/mod.ts'

export async function runnerDocs(wanted = ''): Promise<Map<string, string>> {
  const docs = await runners.docs()
  if (wanted === '') return docs
  const below = wanted.endsWith('.') ? wanted : `${wanted}.`
  const isWanted = wanted.includes('*')
    ? (name: string) => fnmatch(name, wanted)
    : (name: string) => name === wanted || name.startsWith(below)
  return new Map([...docs].filter(([name]) => isWanted(name)))
}
