// The directory of the options `auth.ldap.*`: its settings and connections. A connection serves one task and is always
// closed, so that failed logins leave no open sockets.
import net from 'node:net'
import tls from 'node:tls'
import { type Dict, numberOf, str, truthy } from '../../data/mod.ts'
import { trustSystem } from '../../http/mod.ts'
import { builtinFilters, builtinTests, Environment } from '../../jinja/mod.ts'

/** The part of an LDAP client that logins use. */
export type LdapConnection = InstanceType<Awaited<ReturnType<typeof loaded>>['Client']>

const DEFAULTS: Readonly<Record<string, string>> = {
  server: 'localhost',
  port: '389',
  scope: '2',
  groupou: 'Groups',
  accountattributename: 'memberUid',
  groupattribute: 'memberOf',
  groupclass: 'posixGroup',
  persontype: 'person',
}

const SCOPES = ['base', 'one', 'sub'] as const

/** Time limit for one connection: connecting, TLS, binding and searching together. */
const MOST_MS = 15_000

/** The LDAP client takes these names for SASL mechanisms; EXTERNAL would authenticate the master, not the user. */
const MECHANISM = /^(?:EXTERNAL|PLAIN|[A-Z0-9]+-[A-Z0-9-]+)?$/

export class Directory {
  private readonly opts: Dict
  private readonly templates = new Environment({
    dialect: { filters: builtinFilters, tests: builtinTests, waiting: new Set() },
    strict: false,
  })

  constructor(opts: Dict) {
    this.opts = opts
  }

  text(name: string): string {
    const value = this.opts.get(`auth.ldap.${name}`)
    if (value === undefined) return DEFAULTS[name] ?? ''
    return value === null || value === false ? '' : str(value)
  }

  flag(name: string): boolean {
    return truthy(this.opts.get(`auth.ldap.${name}`) ?? false)
  }

  /** Render the setting, a Jinja template, for a user's name that is escaped already. */
  async about(name: string, user: string): Promise<string> {
    return (await this.templates.render(this.text(name), new Map([['username', user]]))).text
  }

  get base(): string {
    return this.text('basedn')
  }

  get scope(): (typeof SCOPES)[number] {
    return SCOPES[numberOf(Number(this.text('scope'))) ?? 2] ?? 'sub'
  }

  /** Connect, bind as that user, do the work, and close. */
  async bound<T>(dn: string, password: string, work: (connection: LdapConnection) => Promise<T>): Promise<T> {
    // RFC 4513: a bind without a name or a password succeeds anonymously
    if (password === '' || MECHANISM.test(dn)) throw new Error('The name or the password to bind with is not usable')
    const sockets: net.Socket[] = []
    const connection = await this.connection(sockets)
    const late = new Error(`The directory did not answer within ${MOST_MS / 1000} seconds`)
    const timer = setTimeout(() => {
      for (const socket of sockets) socket.destroy(late)
    }, MOST_MS)
    try {
      if (this.flag('starttls')) await connection.startTLS({ ...this.verification(), host: this.address().hostname })
      await connection.bind(dn, password)
      return await work(connection)
    } finally {
      clearTimeout(timer)
      for (const socket of sockets) socket.destroy()
    }
  }

  private async connection(sockets: net.Socket[]): Promise<LdapConnection> {
    const { Client } = await loaded()
    const url = this.address()
    if (url.protocol === 'ldaps:' || this.flag('starttls')) await trustSystem()
    const kept = <S extends net.Socket>(socket: S): S => {
      sockets.push(socket)
      return socket
    }
    return new Client({
      url: url.href,
      timeout: MOST_MS,
      connectTimeout: MOST_MS,
      ...(url.protocol === 'ldaps:' && { tlsOptions: this.verification() }),
      createConnection: ((...given: Parameters<typeof net.connect>) =>
        kept(net.connect(...given))) as typeof net.connect,
      createSecureConnection: ((...given: Parameters<typeof tls.connect>) =>
        kept(tls.connect(...given))) as typeof tls.connect,
    })
  }

  private address(): URL {
    const [isTls, isStarted] = [this.flag('tls'), this.flag('starttls')]
    if (isTls && isStarted) throw new Error('Both auth.ldap.tls and auth.ldap.starttls are set; only one can be')
    return new URL(this.text('uri') || `${isTls ? 'ldaps' : 'ldap'}://${this.text('server')}:${this.text('port')}`)
  }

  private verification(): { rejectUnauthorized: boolean } {
    return { rejectUnauthorized: !this.flag('no_verify') }
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
