// Search and comparison of crontab entries. As Salt, find an entry by its identifier, or by its command if it has none.
import { type Dict, equals, str, truthy, type Value } from '../../../data/mod.ts'

/** Identifier of an entry that has none. */
export const NO_CRON_ID = 'NO ID SET'

export function cronMatches(entry: Dict, command: string, identifier: string | null): boolean {
  const held = entry.get('identifier') ?? null
  const id = truthy(held) ? str(held) : NO_CRON_ID
  if (id !== NO_CRON_ID) return id === (identifier || NO_CRON_ID)
  return entry.get('cmd') === command
}

/** Return whether a value differs. `random` differs only from `*`, and None never differs. */
export function cronDiffers(held: Value, wanted: Value): boolean {
  if (equals(held, wanted)) return false
  return wanted === 'random' ? held === '*' : wanted !== null
}
