// Searches in an LDAP directory, by the program ldapsearch. The password goes to it on stdin, never in its arguments.
import { decodeBytes, failure, type Value } from '../../../data/mod.ts'
import type { DataSourceContext } from '../../../sdk/mod.ts'

export interface LdapServer {
  server: string
  port: number
  tls: boolean
  binddn: string | null
  bindpw: string | null
}

export interface LdapQuery {
  base: string
  scope: number
  filter: string
  attributes: readonly string[]
}

/** An entry: its name and the values of its attributes. */
export interface LdapEntry {
  dn: string
  attributes: Map<string, Value[]>
}

const SCOPES = ['base', 'one', 'sub'] as const
const SECONDS = 60
/** Exit status of ldapsearch for a base that does not exist. */
const NO_SUCH_OBJECT = 32

export async function searchLdap(ctx: DataSourceContext, at: LdapServer, query: LdapQuery): Promise<LdapEntry[]> {
  if ((await ctx.host.which('ldapsearch')) === undefined) throw failure('The program ldapsearch was not found')
  const url = /^ldap(s|i)?:\/\//.test(at.server) ? at.server : `ldap://${at.server}:${at.port}`
  const login = at.binddn ? ['-D', at.binddn, ...(at.bindpw === null ? [] : ['-y', '/dev/stdin'])] : []
  const argv = [
    ...['ldapsearch', '-LLL', '-x', '-o', 'ldif-wrap=no', '-H', url],
    ...(at.tls && url.startsWith('ldap://') ? ['-ZZ'] : []),
    ...login,
    ...['-b', query.base, '-s', SCOPES[query.scope] ?? 'sub', '--', query.filter, ...query.attributes],
  ]
  const { retcode, stdout, stderr } = await ctx.host.run({ argv, stdin: at.bindpw ?? '', timeout: SECONDS })
  if (retcode === NO_SUCH_OBJECT) return []
  if (retcode !== 0) throw failure(`ldapsearch at ${url} ended with ${retcode}: ${decodeBytes(stderr).trim()}`)
  return entriesOf(decodeBytes(stdout))
}

/** Read LDIF without wrapped lines. */
function entriesOf(ldif: string): LdapEntry[] {
  return ldif
    .split(/\n{2,}/)
    .map((block) => block.split('\n').filter((line) => line !== '' && !line.startsWith('#')))
    .filter((lines) => lines.length > 0)
    .flatMap((lines) => {
      const pairs = lines.map(pairOf)
      const [first, ...rest] = pairs
      if (first?.[0] !== 'dn') return []
      const attributes = new Map<string, Value[]>()
      for (const [name, value] of rest) attributes.set(name, [...(attributes.get(name) ?? []), value])
      return [{ dn: first[1], attributes }]
    })
}

/** A value after `::` is Base64. */
function pairOf(line: string): [string, string] {
  const colon = line.indexOf(':')
  const name = line.slice(0, colon)
  if (line[colon + 1] !== ':') return [name, line.slice(colon + 1).trimStart()]
  return [name, decodeBytes(Buffer.from(line.slice(colon + 2).trim(), 'base64'))]
}
