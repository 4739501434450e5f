// Entries of tables for users' own modules in TypeScript and JavaScript, of any family.
import { type Log, toError } from '../base/mod.ts'
import type { ModuleFile } from '../python/mod.ts'
import type { UserEntry } from './function-modules.ts'

/** Return entries of files; one that cannot be loaded is logged and skipped. */
export async function nativeEntries<Module extends { name: string; virtual?: string }, Entry>(
  files: readonly ModuleFile[],
  log: Log,
  entryOf: (module: Module) => Entry,
): Promise<UserEntry<Entry>[]> {
  if (files.length === 0) return []
  const { nativeModule } = await import('./native-modules.ts')
  const entries: UserEntry<Entry>[] = []
  for (const file of files) {
    try {
      const module = (await nativeModule(file)) as unknown as Module
      entries.push({ file: file.name, name: module.virtual ?? module.name, entry: entryOf(module) })
    } catch (error) {
      log('error', toError(error).message)
    }
  }
  return entries
}
