// A login to Keystone, and the services of its catalog. The token is kept until a service refuses it.
import { type Dict, isDict, markSecret, type Plain, str, truthy, type Value } from '../../../data/mod.ts'
import type { CloudContext } from '../../../sdk/mod.ts'
import { at, bodyOf, exit, RestCloud, rowsOf, withoutSlash } from '../common/rest.ts'
import { type CloudLogin, configError, loginOf } from './clouds-file.ts'
import type { ProviderSettings } from './settings.ts'

interface Token {
  id: string
  catalog: Dict[]
}

export type Service = 'compute' | 'network' | 'image' | 'volume'

/** Types of the catalog, and the version that addresses of some clouds leave out. */
const TYPES: Readonly<Record<Service, { types: readonly string[]; version?: string }>> = {
  compute: { types: ['compute'] },
  network: { types: ['network'], version: '/v2.0' },
  image: { types: ['image'], version: '/v2' },
  volume: { types: ['volumev3', 'block-storage', 'block-store', 'volume'] },
}

export class OpenStackSession {
  private readonly ctx: CloudContext
  private readonly settings: ProviderSettings
  private login: Promise<CloudLogin> | undefined
  private token: Promise<Token> | undefined
  private readonly services = new Map<Service, Promise<RestCloud>>()

  constructor(ctx: CloudContext, settings: ProviderSettings) {
    this.ctx = ctx
    this.settings = settings
  }

  /** Return the interface of a service. */
  service(name: Service): Promise<RestCloud> {
    let found = this.services.get(name)
    if (found === undefined) {
      found = this.serviceOf(name)
      this.services.set(name, found)
      found.catch(() => this.services.delete(name))
    }
    return found
  }

  private async serviceOf(name: Service): Promise<RestCloud> {
    const login = await this.loginNow()
    const { catalog } = await this.tokenNow()
    return this.interface(endpointOf(catalog, name, login), login, async () => ({
      'x-auth-token': (await this.tokenNow()).id,
    }))
  }

  private interface(
    base: string,
    { verify, ca }: CloudLogin,
    headers?: () => Promise<Record<string, string>>,
  ): RestCloud {
    return new RestCloud(this.ctx, {
      base,
      headers: headers ?? (() => ({})),
      login: "'auth'",
      // a login that is refused is not sent again
      ...(headers && { renew: () => this.forgetToken() }),
      verify,
      ca,
    })
  }

  private forgetToken(): boolean {
    const hadToken = this.token !== undefined
    this.token = undefined
    return hadToken
  }

  private loginNow(): Promise<CloudLogin> {
    this.login ??= loginOf(this.ctx, this.settings)
    return this.login
  }

  private async tokenNow(): Promise<Token> {
    this.token ??= this.logIn()
    try {
      return await this.token
    } catch (error) {
      this.token = undefined
      throw error
    }
  }

  private async logIn(): Promise<Token> {
    const login = await this.loginNow()
    const keystone = this.interface(identityOf(login.auth, this.ctx.alias), login)
    const answer = await keystone.reply('POST', '/auth/tokens', requestOf(login, this.ctx.alias))
    if (answer.status >= 300) throw keystone.refusal('The login', answer)
    const id = answer.headers.get('x-subject-token')
    if (id === undefined) throw exit(`The login at ${identityOf(login.auth, this.ctx.alias)} brought no token`)
    markSecret(id)
    const token = at(bodyOf(answer), 'token')
    return { id, catalog: isDict(token) ? rowsOf(token, 'catalog') : [] }
  }
}

/** Return the address of Keystone, version 3. */
function identityOf(auth: Dict, alias: string): string {
  const url = auth.get('auth_url')
  if (!url || !/^https?:\/\/[^/]/.test(str(url))) {
    throw configError(`The provider '${alias}' needs 'auth_url' in 'auth': the address of Keystone`)
  }
  const base = withoutSlash(str(url))
  if (/\/v2(\.0)?$/.test(base)) throw configError(`The provider '${alias}': auth_url ${base} is of version 2, not 3`)
  return base.endsWith('/v3') ? base : `${base}/v3`
}

/** Return the request of a login. */
function requestOf({ auth, authType }: CloudLogin, alias: string): Plain {
  const text = (...names: string[]): string | undefined => {
    const name = names.find((one) => truthy(auth.get(one) ?? null))
    return name === undefined ? undefined : str(auth.get(name)!)
  }
  const domain = (kind: string): Plain | undefined => {
    const id = text(`${kind}_domain_id`, 'default_domain_id')
    const name = text(`${kind}_domain_name`, 'default_domain_name', 'default_domain')
    return id !== undefined ? { id } : { name: name ?? 'Default' }
  }
  const user = text('user_id')
    ? { id: text('user_id')! }
    : { name: text('username', 'user_name') ?? '', domain: domain('user')! }
  const kind =
    authType ??
    (text('application_credential_secret')
      ? 'v3applicationcredential'
      : text('token') && !text('password')
        ? 'token'
        : 'password')
  if (kind === 'v3applicationcredential') {
    const [id, name, secret] = [
      text('application_credential_id'),
      text('application_credential_name'),
      text('application_credential_secret'),
    ]
    if (secret === undefined || (id ?? name) === undefined) {
      throw configError(
        `The provider '${alias}' needs 'application_credential_id' and 'application_credential_secret' in 'auth'`,
      )
    }
    const credential = id !== undefined ? { id, secret } : { name: name!, secret, user }
    return { auth: { identity: { methods: ['application_credential'], application_credential: credential } } }
  }
  const scope = scopeOf(text, domain)
  const scoped = scope && { scope }
  if (kind === 'token' || kind === 'v3token') {
    const id = text('token')
    if (id === undefined) throw configError(`The provider '${alias}' needs 'token' in 'auth'`)
    return { auth: { identity: { methods: ['token'], token: { id } }, ...scoped } }
  }
  if (kind !== 'password' && kind !== 'v3password') {
    throw configError(
      `The provider '${alias}' has the auth_type '${kind}', not password, v3applicationcredential or token`,
    )
  }
  const password = text('password')
  if (password === undefined || (!text('user_id') && user.name === '')) {
    throw configError(`The provider '${alias}' needs 'username' and 'password' in 'auth'`)
  }
  return { auth: { identity: { methods: ['password'], password: { user: { ...user, password } } }, ...scoped } }
}

function scopeOf(
  text: (...names: string[]) => string | undefined,
  domain: (kind: string) => Plain | undefined,
): Plain | undefined {
  const id = text('project_id', 'tenant_id')
  if (id !== undefined) return { project: { id } }
  const name = text('project_name', 'tenant_name')
  if (name !== undefined) return { project: { name, domain: domain('project')! } }
  const domainId = text('domain_id')
  if (domainId !== undefined) return { domain: { id: domainId } }
  const domainName = text('domain_name')
  return domainName === undefined ? undefined : { domain: { name: domainName } }
}

/** Return the address of a service in the catalog. */
function endpointOf(catalog: readonly Dict[], name: Service, { region, endpoints }: CloudLogin): string {
  const { types, version } = TYPES[name]
  for (const type of types) {
    const rows = catalog.filter((one) => one.get('type') === type).flatMap((one) => rowsOf(one, 'endpoints'))
    const found = rows.find((one) => one.get('interface') === endpoints && (region === null || isIn(one, region)))
    if (found === undefined) continue
    const url = withoutSlash(str(found.get('url') ?? ''))
    return version === undefined || /\/v\d[\d.]*$/.test(url) ? url : `${url}${version}`
  }
  const where = region === null ? '' : ` in the region '${region}'`
  throw exit(`The catalog of OpenStack has no service '${types[0]}' with the interface '${endpoints}'${where}`)
}

const isIn = (endpoint: Dict, region: Value): boolean =>
  endpoint.get('region_id') === region || endpoint.get('region') === region
