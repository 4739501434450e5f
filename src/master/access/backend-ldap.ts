// `ldap`: users prove themselves by binding to a directory. With a user of its own (`auth.ldap.binddn` and `bindpw`) the
// master first looks up who is meant; without `bindpw` the name is put into the pattern `binddn`. Group rules of
// `external_auth` hold for the groups that the directory has for a user.
import { lookup, shownText, toError } from '../../base/mod.ts'
import { type Dict, numberOf, str, textOf, truthy } from '../../data/mod.ts'
import type { AuthBackend, AuthContext } from './backends.ts'

const DEFAULTS: Readonly<Record<string, string>> = lookup({
  server: 'localhost',
  port: '389',
  scope: '2',
  accountattributename: 'memberUid',
  groupattribute: 'memberOf',
  groupclass: 'posixGroup',
  persontype: 'person',
})

const SCOPES = ['base', 'one', 'sub'] as const

class Directory {
  private readonly opts: Dict

  constructor(opts: Dict) {
    this.opts = opts
  }

  text(name: string): string {
    const value = this.opts.get(`auth.ldap.${name}`)
    return value === undefined || value === null || value === false ? (DEFAULTS[name] ?? '') : str(value)
  }

  flag(name: string): boolean {
    return truthy(this.opts.get(`auth.ldap.${name}`) ?? false)
  }

  /** With the name where the setting has `{{ username }}`. */
  about(name: string, user: string): string {
    return this.text(name).replaceAll(/\{\{\s*username\s*\}\}/g, user)
  }

  get base(): string {
    return this.text('basedn')
  }

  get scope(): (typeof SCOPES)[number] {
    return SCOPES[numberOf(Number(this.text('scope'))) ?? 2] ?? 'sub'
  }

  /** A connection, bound as that user. */
  async bound(dn: string, password: string) {
    const { Client } = await loaded()
    const scheme = this.flag('tls') ? 'ldaps' : 'ldap'
    const url = this.text('uri') || `${scheme}://${this.text('server')}:${this.text('port')}`
    const tlsOptions = this.flag('no_verify') ? { rejectUnauthorized: false } : {}
    const client = new Client({ url, timeout: 15_000, connectTimeout: 15_000, ...(this.flag('tls') && { tlsOptions }) })
    if (this.flag('starttls')) await client.startTLS(tlsOptions)
    await client.bind(dn, password)
    return client
  }
}

async function loaded() {
  try {
    return await import('ldapts')
  } catch (error) {
    throw new Error('The ldap system of external_auth needs the package ldapts, which is not installed', {
      cause: error,
    })
  }
}

/** As RFC 4515 writes characters that mean something in a filter. */
const escapedFilter = (text: string): string =>
  text.replaceAll(/[\\*()\0]/g, (character) => `\\${character.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** As RFC 4514 writes characters that mean something in a name. */
const escapedName = (text: string): string => text.replaceAll(/[\\,+"<>;=#\0]/g, (character) => `\\${character}`)

/** The name in the directory that a user binds with. */
async function nameOf(directory: Directory, user: string, { log }: AuthContext): Promise<string | undefined> {
  const [binder, password] = [directory.text('binddn'), directory.text('bindpw')]
  if (binder !== '' && password === '') return directory.about('binddn', escapedName(user))
  if (binder === '') return undefined
  const client = await directory.bound(binder, password)
  try {
    const filter = directory.about('filter', escapedFilter(user))
    const { searchEntries } = await client.search(directory.base, { scope: directory.scope, filter })
    if (searchEntries.length === 1) return searchEntries[0]!.dn
    log(
      'warning',
      searchEntries.length === 0
        ? `Unable to find user ${shownText(user)}`
        : `Several entries are of user ${shownText(user)}`,
    )
    return undefined
  } finally {
    await client.unbind()
  }
}

async function check(user: string, password: string, ctx: AuthContext): Promise<boolean> {
  // a bind without a password succeeds as nobody
  if (user === '' || password === '') return false
  const directory = new Directory(ctx.opts)
  try {
    const dn = await nameOf(directory, user, ctx)
    if (dn === undefined) return false
    await (await directory.bound(dn, password)).unbind()
    return true
  } catch (error) {
    ctx.log('error', `Failed to authenticate user ${shownText(user)} via LDAP: ${toError(error).message}`)
    return false
  }
}

const wordsOf = (value: unknown): string[] => (Array.isArray(value) ? value : [value]).map(String)

/** `cn=ops,ou=groups,…` is the group ops. */
const shortName = (dn: string): string => dn.split(',')[0]!.split('=').at(-1)!

async function groups(user: string, ctx: AuthContext): Promise<string[]> {
  const directory = new Directory(ctx.opts)
  const [binder, password] = [directory.text('binddn'), directory.text('bindpw')]
  if (binder === '' || password === '') return []
  const client = await directory.bound(binder, password)
  try {
    const attribute = directory.text('accountattributename')
    const who = directory.flag('activedirectory')
      ? `member=${escapedFilter((await nameOf(directory, user, ctx)) ?? '')}`
      : `${attribute}=${escapedFilter(user)}`
    const unit = directory.text('groupou')
    const base = directory.text('group_basedn') || (unit === '' ? directory.base : `ou=${unit},${directory.base}`)
    const given = directory.about('group_filter', escapedFilter(user))
    const filter = given || `(&(${who})(objectClass=${directory.text('groupclass')}))`
    const { searchEntries } = await client.search(base, { scope: 'sub', filter })
    const named = searchEntries.flatMap(({ cn }) => (cn === undefined ? [] : wordsOf(cn).slice(0, 1)))
    const listed = searchEntries
      .filter(({ dn }) => shortName(dn) === user)
      .flatMap((entry) => wordsOf(entry[directory.text('groupattribute')] ?? []).map(shortName))
    return [...named, ...listed]
  } finally {
    await client.unbind()
  }
}

const ldap: AuthBackend = {
  name: (credentials) => str(credentials.get('username') ?? ''),
  check: (credentials, ctx) =>
    check(str(credentials.get('username') ?? ''), textOf(credentials.get('password') ?? null) ?? '', ctx),
  groups,
}

export default ldap
