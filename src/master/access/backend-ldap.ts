// `ldap`: users authenticate by binding to a directory. With a service user (`auth.ldap.binddn` and `bindpw`), the
// master first searches the user's entry; without `bindpw`, the user name is inserted into the template `binddn`. Group
// rules of `external_auth` hold for the user's groups in the directory.
import { shownText, toError } from '../../base/mod.ts'
import { briefStr, textOf } from '../../data/mod.ts'
import type { AuthBackend, AuthContext } from './auth-backend.ts'
import { Directory, type LdapConnection } from './ldap-directory.ts'

/** Escape the characters that mean something in a filter (RFC 4515). */
const escapedFilter = (text: string): string =>
  text.replaceAll(/[\\*()\0]/g, (character) => `\\${character.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** Escape the characters that mean something in a distinguished name (RFC 4514). */
const escapedName = (text: string): string => text.replaceAll(/[\\,+"<>;=]|^#/g, (character) => `\\${character}`)

/**
 * Directories ignore spaces around a name, and some stop at a null byte: such a name would be another spelling of a
 * user.
 */
const isPlainName = (user: string): boolean => user !== '' && user === user.trim() && !user.includes('\0')

/** Find the name that a user binds with. */
async function nameOf(directory: Directory, user: string, { log }: AuthContext): Promise<string | undefined> {
  const [binder, password] = [directory.text('binddn'), directory.text('bindpw')]
  if (binder !== '' && password === '') return directory.about('binddn', escapedName(user))
  if (binder === '') return undefined
  if (directory.text('filter') === '') throw new Error('auth.ldap.filter is not set, so no user can be searched')
  const filter = await directory.about('filter', escapedFilter(user))
  const { searchEntries } = await directory.bound(binder, password, (connection) =>
    connection.search(directory.base, { scope: directory.scope, filter }),
  )
  if (searchEntries.length === 1) return searchEntries[0]!.dn
  const isNone = searchEntries.length === 0
  log('warning', `${isNone ? 'Unable to find' : 'Several entries are of'} user ${shownText(user)}`)
  return undefined
}

async function check(user: string, password: string, ctx: AuthContext): Promise<boolean> {
  if (!isPlainName(user) || password === '') return false
  try {
    const directory = new Directory(ctx.opts)
    const dn = await nameOf(directory, user, ctx)
    return dn !== undefined && (await directory.bound(dn, password, async () => true))
  } catch (error) {
    ctx.log('error', `Failed to authenticate user ${shownText(user)} via LDAP: ${shownText(toError(error).message)}`)
    return false
  }
}

type Entry = Awaited<ReturnType<LdapConnection['search']>>['searchEntries'][number]

const wordsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(String)

/** Return `ops` for `cn=ops,ou=groups,…`. */
const shortName = (dn: string): string => dn.split(',')[0]!.split('=').at(-1)!

const namesOf = (entry: Entry): string[] => wordsOf(entry['cn']).slice(0, 1)

/** Active Directory: the groups that have the user's entry as a member. */
async function directoryGroups(connection: LdapConnection, directory: Directory, user: string): Promise<string[]> {
  const [attribute, type] = [directory.text('accountattributename'), directory.text('persontype')]
  const who = `(&(${attribute}=${escapedFilter(user)})(objectClass=${type}))`
  const found = await connection.search(directory.base, {
    scope: 'sub',
    filter: who,
    attributes: ['distinguishedName'],
  })
  const person = found.searchEntries[0]?.dn
  if (person === undefined) return []
  const filter = `(&(member=${escapedFilter(person)})(objectClass=${directory.text('groupclass')}))`
  return (await connection.search(directory.base, { scope: 'sub', filter })).searchEntries.flatMap(namesOf)
}

/** FreeIPA: the groups under `group_basedn` that `group_filter` finds and that name the user as a member. */
async function ipaGroups(connection: LdapConnection, directory: Directory, user: string): Promise<string[]> {
  const filter = await directory.about('group_filter', escapedFilter(user))
  if (filter === '') throw new Error('auth.ldap.group_filter is not set, which auth.ldap.freeipa needs')
  const { searchEntries } = await connection.search(directory.text('group_basedn'), { scope: 'sub', filter })
  const lists = [directory.text('accountattributename'), directory.text('groupattribute')]
  const hasMember = (entry: Entry): boolean =>
    lists.some((name) => wordsOf(entry[name]).some((member) => shortName(member) === user))
  return searchEntries.filter(hasMember).map(({ dn }) => shortName(dn))
}

/** Return the groups under `groupou` that contain the user, and the groups in an entry with the user's name. */
async function unitGroups(connection: LdapConnection, directory: Directory, user: string): Promise<string[]> {
  const [attribute, unit] = [directory.text('accountattributename'), directory.text('groupou')]
  const base = unit === '' ? directory.base : `ou=${unit},${directory.base}`
  const filter = `(&(${attribute}=${escapedFilter(user)})(objectClass=${directory.text('groupclass')}))`
  const { searchEntries } = await connection.search(base, { scope: 'sub', filter })
  const named = searchEntries.filter((entry) => wordsOf(entry[attribute]).includes(user)).flatMap(namesOf)
  const listed = searchEntries
    .filter(({ dn }) => shortName(dn) === user)
    .flatMap((entry) => wordsOf(entry[directory.text('groupattribute')]).map(shortName))
  return [...named, ...listed]
}

async function groups(user: string, { opts }: AuthContext): Promise<string[]> {
  const directory = new Directory(opts)
  const [binder, password] = [directory.text('binddn'), directory.text('bindpw')]
  if (binder === '' || password === '' || !isPlainName(user)) return []
  const found = directory.flag('activedirectory') ? directoryGroups : directory.flag('freeipa') ? ipaGroups : unitGroups
  return directory.bound(binder, password, (connection) => found(connection, directory, user))
}

const ldap: AuthBackend = {
  name: (credentials) => briefStr(credentials.get('username') ?? ''),
  check: (credentials, ctx) =>
    check(briefStr(credentials.get('username') ?? ''), textOf(credentials.get('password') ?? null) ?? '', ctx),
  groups,
}

export default ldap
