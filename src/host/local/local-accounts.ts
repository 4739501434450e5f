// Users and groups of this machine: from the local files, else from the system's directory service.
import { readFileSync, type Stats, statSync } from 'node:fs'
import { parseGroup, parsePasswd, type User, type UserGroup } from '../accounts.ts'

/** The parsed content of a file, kept until the file changes. */
function kept<T>(path: string, parse: (text: string) => T[]): () => T[] {
  let seen: Stats | undefined
  let rows: T[] = []
  return () => {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat === undefined) return []
    if (seen?.ino !== stat.ino || seen.ctimeMs !== stat.ctimeMs || seen.size !== stat.size) {
      rows = parse(readFileSync(path, 'utf8'))
      seen = stat
    }
    return rows
  }
}

export const localUsers = kept('/etc/passwd', parsePasswd)
export const localGroups = kept('/etc/group', parseGroup)

export function localUser(nameOrId: string | number): User | undefined {
  const found = localUsers().find(({ name, uid }) => (typeof nameOrId === 'number' ? uid : name) === nameOrId)
  return found ?? parsePasswd(askDirectory('passwd', nameOrId))[0]
}

export function localGroup(nameOrId: string | number): UserGroup | undefined {
  const found = localGroups().find(({ name, gid }) => (typeof nameOrId === 'number' ? gid : name) === nameOrId)
  return found ?? parseGroup(askDirectory('group', nameOrId))[0]
}

/** Whether accounts can also come from a directory service; if not, no query is needed. */
const asksDirectory = kept('/etc/nsswitch.conf', (text) =>
  text
    .split('\n')
    .filter((line) => /^(passwd|group):/.test(line) && !/^\w+:\s*(files|compat)(\s+systemd)?\s*$/.test(line)),
)

function askDirectory(database: string, key: string | number): string {
  // a number is a name to getent only when it is no id, and options are no names
  const isName = typeof key === 'string'
  if (asksDirectory().length === 0 || (isName && !/^[A-Za-z_][^:\n]*$/.test(key))) return ''
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const answer = spawnSync('getent', [database, String(key)], { encoding: 'utf8' })
  return answer.status === 0 ? answer.stdout : ''
}
