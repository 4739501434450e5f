// External authentication against a real directory: users bind, and groups give them rights.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import type { Dict, Value } from '../../src/data/mod.ts'
import { backend } from '../../src/master/access/backends.ts'
import { freePort } from '../free-port.ts'
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

dn: ou=Groups,dc=example,dc=org
objectClass: organizationalUnit
ou: Groups

dn: ou=Playground,dc=example,dc=org
objectClass: organizationalUnit
ou: Playground

dn: cn=ops,ou=Groups,dc=example,dc=org
objectClass: posixGroup
cn: ops
gidNumber: 500
memberUid: joe

dn: cn=admins,ou=Groups,dc=example,dc=org
objectClass: posixGroup
cn: admins
gidNumber: 501
memberUid: alice

dn: cn=self-made,ou=Playground,dc=example,dc=org
objectClass: posixGroup
cn: self-made
gidNumber: 502
memberUid: joe
`

/** Create a self-signed certificate for 127.0.0.1. */
function certificate(directory: string): string {
  const [key, pem] = [join(directory, 'key'), join(directory, 'pem')]
  const words = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const names = ['-subj', '/CN=ldap', '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync('openssl', ['req', ...words, ...names, '-keyout', key, '-out', pem], { stdio: 'ignore' })
  return `TLSCertificateFile ${pem}\nTLSCertificateKeyFile ${key}\n`
}

const CONFIG = (directory: string): string => `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile ${directory}/slapd.pid
${certificate(directory)}database mdb
suffix "dc=example,dc=org"
rootdn "cn=admin,dc=example,dc=org"
rootpw admin
directory ${directory}/data
`

describe.runIf(canServe('OpenLDAP', '/usr/sbin/slapd'))('the ldap system', () => {
  let server: Server
  let tlsPort: number
  const logged: string[] = []
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
    return { opts, config: new Map(), log: (_: string, text: string) => void logged.push(text) }
  }
  const login = async (username: string, password: string, more?: Record<string, Value>) =>
    (await backend('ldap', new Map(), silentLog))!.check(
      new Map<Value, Value>(Object.entries({ username, password })),
      ctx(more),
    )

  beforeAll(async () => {
    tlsPort = await freePort()
    server = await startSlapd((directory) => {
      mkdirSync(join(directory, 'data'))
      const config = join(directory, 'slapd.conf')
      writeFileSync(config, CONFIG(directory))
      execFileSync('/usr/sbin/slapadd', ['-f', config], { input: ENTRIES, stdio: ['pipe', 'ignore', 'ignore'] })
      return config
    }, tlsPort)
  })
  afterAll(async () => server?.stop())

  test('admits users who can bind, by searching or by a pattern', async () => {
    expect(await login('joe', 'secret')).toBe(true)
    expect(await login('joe', 'secret', { binddn: 'cn={{ username }},dc=example,dc=org', bindpw: '' })).toBe(true)
  })

  test.each([
    ['joe', 'wrong'],
    ['joe', ''],
    ['nobody', 'secret'],
    ['*', 'secret'],
    ['joe)(cn=*', 'secret'],
    ['joe ', 'secret'],
    ['joe\0', 'secret'],
    ["joe$'", 'secret'],
    ['$&', 'secret'],
    ['', 'secret'],
  ])('keeps %s with password "%s" out', async (user, password) => {
    expect(await login(user, password)).toBe(false)
  })

  const PATTERN = { binddn: 'cn={{ username }},dc=example,dc=org', bindpw: '' }

  test.each([
    ['joe', '', PATTERN],
    ['', 'secret', PATTERN],
    ['joe,dc=example,dc=org', 'secret', { ...PATTERN, binddn: 'cn={{ username }}' }],
    ['admin,dc=example,dc=org#', 'admin', PATTERN],
    ['EXTERNAL', 'x', { binddn: '{{ username }}', bindpw: '' }],
    ['anybody', 'secret', { filter: '', basedn: 'cn=joe,dc=example,dc=org', scope: 0 }],
    ['joe', 'secret', { bindpw: 'canary-5c0ffee' }],
    ['joe', 'secret', { tls: true, starttls: true }],
  ])('keeps %j with password "%s" and the settings %j out', async (user, password, settings) => {
    expect(await login(user, password, settings)).toBe(false)
    expect(logged.join()).not.toContain('canary-5c0ffee')
  })

  test('renders binddn and filter as Jinja templates', async () => {
    expect(await login('joe@example.org', 'secret', { filter: "(cn={{ username.split('@')[0] }})" })).toBe(true)
  })

  test('trusts only a certificate that it can verify, with tls and with starttls', async () => {
    for (const settings of [
      { tls: true, port: tlsPort },
      { starttls: true },
      { uri: `ldaps://127.0.0.1:${tlsPort}` },
    ]) {
      logged.length = 0
      expect(await login('joe', 'secret', settings)).toBe(false)
      expect(logged.join()).toContain('self-signed certificate')
      expect(await login('joe', 'secret', { ...settings, no_verify: true })).toBe(true)
    }
  })

  const sockets = (): number =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith('socket:')
      } catch {
        return false
      }
    }).length

  test('leaves no connection open behind a failed login', async () => {
    await login('joe', 'wrong')
    const before = sockets()
    for (let at = 0; at < 20; at++) await login('joe', 'wrong')
    await expect.poll(sockets).toBeLessThan(before + 10)
  })

  test('gives up a directory that begins TLS and never goes on, and closes the connection', async () => {
    const open = new Set<Socket>()
    const started = Buffer.from('300c02010178070a010004000400', 'hex')
    const mute = createServer((socket) => {
      open.add(socket)
      socket.on('close', () => open.delete(socket)).on('error', () => undefined)
      socket.once('data', () => socket.write(started))
    })
    await new Promise<void>((done) => mute.listen(0, '127.0.0.1', done))
    const { port } = mute.address() as AddressInfo
    expect(await login('joe', 'secret', { port, starttls: true })).toBe(false)
    await expect.poll(() => open.size).toBe(0)
    mute.close()
  })

  const groupsOf = async (user: string, more?: Record<string, Value>) =>
    (await backend('ldap', new Map(), silentLog))!.groups!(user, ctx(more))

  test('returns the groups of a user', async () => {
    expect(await groupsOf('joe')).toEqual(['ops'])
    expect(await groupsOf('joe', { groupou: '' })).toEqual(['ops', 'self-made'])
  })

  test.each(['*', '', 'joe)(memberUid=*', 'JOE'])('returns no groups of %j', async (user) => {
    expect(await groupsOf(user)).toEqual([])
  })

  test('gives a user only the groups that name the user, whatever the filter finds', async () => {
    const settings = {
      freeipa: true,
      group_basedn: 'ou=Groups,dc=example,dc=org',
      group_filter: '(objectClass=posixGroup)',
    }
    expect(await groupsOf('joe', settings)).toEqual(['ops'])
    expect(await groupsOf('nobody', settings)).toEqual([])
  })
})
