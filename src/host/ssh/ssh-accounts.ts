// Users and groups of a target: from its directory service where it has getent, else from its files.
import { parseGroup, parsePasswd, type User, type UserGroup } from '../accounts.ts'
import { word } from './shell-text.ts'

type Database = 'passwd' | 'group'

/** Shell text that prints the entry of a name or id; without getent all entries. */
export function accountQuery(database: Database, key: string | number, hasDirectory: boolean): string {
  const isAsked = hasDirectory && (typeof key === 'number' || /^[A-Za-z_][^:\n\0]*$/.test(key))
  return isAsked ? `getent ${database} ${word(String(key))} || :` : accountFile(database)
}

export const accountFile = (database: Database): string => `if [ -e /etc/${database} ]; then cat /etc/${database}; fi`

export function findUser(text: string, key: string | number): User | undefined {
  return parsePasswd(text).find(({ name, uid }) => (typeof key === 'number' ? uid : name) === key)
}

export function findGroup(text: string, key: string | number): UserGroup | undefined {
  return parseGroup(text).find(({ name, gid }) => (typeof key === 'number' ? gid : name) === key)
}
