// Users' own modules over the built-in ones. A file replaces the built-in module with the same file name; a file with
// the same virtual name comes after the built-in file with that name, and before any other.
import type { UserEntry } from './function-modules.ts'

interface Loadable {
  load: () => Promise<{ default: { name: string } }>
}

type Table<Entry> = Readonly<Record<string, readonly Entry[]>>

export async function overlaid<Entry extends Loadable>(
  table: Table<Entry>,
  own: readonly UserEntry<Entry>[],
): Promise<Table<Entry>> {
  const merged: Record<string, readonly Entry[]> = { ...table }
  for (const { file, name, entry } of own) {
    const present = merged[name] ?? []
    const named = await Promise.all(present.map(async (other) => ({ other, file: (await other.load()).default.name })))
    const kept = named.filter((other) => other.file !== file)
    const first = file === name ? [] : kept.filter((other) => other.file === name)
    const rest = kept.filter((other) => !first.includes(other))
    merged[name] = [...first.map(({ other }) => other), entry, ...rest.map(({ other }) => other)]
  }
  return merged
}
