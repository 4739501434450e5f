// External authentication against a real directory: users bind, and groups give them rights.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import type { Dict, Value } from '../../src/data/mod.ts'
import { backend } from '../../src/master/access/backends.ts'
import { canServe, type Server, startSlapd } from './servers.ts'

const ENTRIES = `dn: dc=example,dc=org
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: cn=joe,dc=example,dc=org
objectClass: person
objectClass: simpleSecurityObject
cn: joe
sn: Doe
userPassword: secret

dn: cn=ops,dc=example,dc=org
objectClass: posixGroup
cn: ops
gidNumber: 500
memberUid: joe
`

const CONFIG = (directory: string): string => `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile ${directory}/slapd.pid
database mdb
suffix "dc=example,dc=org"
rootdn "cn=admin,dc=example,dc=org"
rootpw admin
directory ${directory}/data
`

describe.runIf(canServe('OpenLDAP', '/usr/sbin/slapd'))('the ldap system', () => {
  let server: Server
  const ctx = (more: Record<string, Value> = {}) => {
    const options: Record<string, Value> = {
      server: '127.0.0.1',
      port: server.port,
      basedn: 'dc=example,dc=org',
      binddn: 'cn=admin,dc=example,dc=org',
      bindpw: 'admin',
      filter: '(cn={{ username }})',
      ...more,
    }
    const opts: Dict = new Map(Object.entries(options).map(([name, value]) => [`auth.ldap.${name}`, value]))
    return { opts, config: new Map(), log: () => {} }
  }
  const login = async (username: string, password: string, more?: Record<string, Value>) =>
    (await backend('ldap', new Map(), silentLog))!.check(
      new Map<Value, Value>(Object.entries({ username, password })),
      ctx(more),
    )

  beforeAll(async () => {
    server = await startSlapd((directory) => {
      mkdirSync(join(directory, 'data'))
      const config = join(directory, 'slapd.conf')
      writeFileSync(config, CONFIG(directory))
      execFileSync('/usr/sbin/slapadd', ['-f', config], { input: ENTRIES, stdio: ['pipe', 'ignore', 'ignore'] })
      return config
    })
  })
  afterAll(async () => server?.stop())

  test('lets in who can bind, by searching or by a pattern', async () => {
    expect(await login('joe', 'secret')).toBe(true)
    expect(await login('joe', 'secret', { binddn: 'cn={{ username }},dc=example,dc=org', bindpw: '' })).toBe(true)
  })

  test.each([
    ['joe', 'wrong'],
    ['joe', ''],
    ['nobody', 'secret'],
    ['*', 'secret'],
    ['joe)(cn=*', 'secret'],
  ])('keeps %s with password "%s" out', async (user, password) => {
    expect(await login(user, password)).toBe(false)
  })

  test('tells the groups of a user', async () => {
    expect(await (await backend('ldap', new Map(), silentLog))!.groups!('joe', ctx())).toEqual(['ops'])
  })
})
