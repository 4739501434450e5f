// Which entry of a crontab is meant, and whether it differs from what is wanted: Salt goes by an identifier, and by the
// command where there is none.
import { type Dict, equals, str, truthy, type Value } from '../../../data/mod.ts'

/** Stands for the identifier of an entry that has none. */
export const NO_CRON_ID = 'NO ID SET'

export function cronMatches(entry: Dict, command: Value, identifier: Value): boolean {
  const held = entry.get('identifier') ?? null
  const id = truthy(held) ? str(held) : NO_CRON_ID
  const wanted = truthy(identifier) ? str(identifier) : NO_CRON_ID
  const sameCommand = equals(entry.get('cmd') ?? null, command)
  if (id !== NO_CRON_ID) return id === wanted
  return sameCommand
}

/** `random` leaves all but `*` as it is, and None leaves everything. */
export function cronDiffers(held: Value, wanted: Value): boolean {
  if (equals(held, wanted)) return false
  return wanted === 'random' ? held === '*' : wanted !== null
}
