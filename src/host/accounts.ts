// The lines of /etc/passwd and /etc/group.

export interface User {
  readonly name: string
  /** The password field: `x` if the password is in the shadow file. */
  readonly passwd?: string
  readonly uid: number
  readonly gid: number
  readonly gecos: string
  readonly home: string
  readonly shell: string
}

export interface UserGroup {
  readonly name: string
  readonly passwd?: string
  readonly gid: number
  readonly members: readonly string[]
}

const rows = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !/^[#+-]/.test(line))
    .map((line) => line.split(':'))

export function parsePasswd(text: string): User[] {
  return rows(text)
    .filter((row) => row.length >= 7)
    .map(([name = '', passwd = '', uid, gid, gecos = '', home = '', shell = '']) => ({
      name,
      passwd,
      uid: Number(uid),
      gid: Number(gid),
      gecos,
      home,
      shell,
    }))
}

export function parseGroup(text: string): UserGroup[] {
  return rows(text)
    .filter((row) => row.length >= 4)
    .map(([name = '', passwd = '', gid, members = '']) => ({
      name,
      passwd,
      gid: Number(gid),
      members: members.split(',').filter((member) => member !== ''),
    }))
}

/** The ids of all groups a user is in, the primary one first. */
export function groupIdsOf(user: User, groups: readonly UserGroup[]): number[] {
  const further = groups.filter(({ members }) => members.includes(user.name)).map(({ gid }) => gid)
  return [...new Set([user.gid, ...further])]
}
