// The users and groups of files, by number and name: another machine may have other numbers for the same names.
import type { Stats } from 'node:fs'
import type { Host } from '../host/mod.ts'
import type { ArchiveHead } from './manifest.ts'

type Owner = ArchiveHead['owners'][number]

/** The names of users and groups of this machine by their numbers. */
export interface OwnerNames {
  users: ReadonlyMap<number, string>
  groups: ReadonlyMap<number, string>
}

export async function ownerNames(host: Host): Promise<OwnerNames> {
  const [users, groups] = await Promise.all([host.users(), host.groups()])
  return {
    users: new Map(users.map(({ uid, name }) => [uid, name])),
    groups: new Map(groups.map(({ gid, name }) => [gid, name])),
  }
}

/** The table of owners in an archive. */
export class OwnerTable {
  readonly list: Owner[] = []
  private readonly names: OwnerNames | undefined

  constructor(names: OwnerNames | undefined) {
    this.names = names
  }

  /** Return the place of the owner of a file; that of this process for a file that is gone. */
  of(stat: Pick<Stats, 'uid' | 'gid'> = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }): number {
    const { uid, gid } = stat
    const known = this.list.findIndex((owner) => owner.uid === uid && owner.gid === gid)
    if (known >= 0) return known
    const [user, group] = [this.names?.users.get(uid), this.names?.groups.get(gid)]
    return this.list.push({ uid, gid, ...(user !== undefined && { user }), ...(group !== undefined && { group }) }) - 1
  }
}

/** Return the numbers that an owner has on this machine: by name where the name is known here. */
export function ownerHere(
  { uid, gid, user, group }: Owner,
  { users, groups }: OwnerNames,
): { uid: number; gid: number } {
  return { uid: numberOf(users, user) ?? uid, gid: numberOf(groups, group) ?? gid }
}

function numberOf(names: ReadonlyMap<number, string>, wanted: string | undefined): number | undefined {
  for (const [number, name] of names) if (name === wanted) return number
  return undefined
}
