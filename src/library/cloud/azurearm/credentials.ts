// The identity towards Azure, and the endpoints: a service principal, a user, or the managed identity of the machine on
// which salt-cloud runs.
import { type Dict, isDict, str } from '../../../data/mod.ts'
import { askWeb, type CloudContext } from '../../../sdk/mod.ts'
import { at, bodyOf, exit, RestCloud, withoutSlash } from '../common/rest.ts'
import { askMetadata, metadataToken, Tokens } from '../common/token.ts'
import { configError, type ProviderSettings } from './settings.ts'

export interface Environment {
  management: string
  login: string
  /** The service that tokens are valid for. */
  audience: string
}

const environment = (management: string, login: string): Environment => ({ management, login, audience: management })

const ENVIRONMENTS: Readonly<Record<string, Environment>> = {
  AZURE_PUBLIC_CLOUD: environment('https://management.azure.com', 'https://login.microsoftonline.com'),
  AZURE_CHINA_CLOUD: environment('https://management.chinacloudapi.cn', 'https://login.chinacloudapi.cn'),
  AZURE_US_GOV_CLOUD: environment('https://management.usgovcloudapi.net', 'https://login.microsoftonline.us'),
  AZURE_GERMAN_CLOUD: environment('https://management.microsoftazure.de', 'https://login.microsoftonline.de'),
}

/** The public client of Azure's own command line, for logins of users. */
const USERS_CLIENT = '04b07795-8ddb-461a-bbee-02f9e1bf7b46'

/** Return the addresses of an Azure environment; a private one publishes its own. */
export async function findEnvironment(ctx: CloudContext, name: string): Promise<Environment> {
  const known = Object.hasOwn(ENVIRONMENTS, name) ? ENVIRONMENTS[name] : undefined
  if (known) return known
  if (!/^https?:\/\//.test(name)) {
    throw configError(`The azure ${name} cloud environment is not available.`)
  }
  const management = withoutSlash(name)
  const url = `${management}/metadata/endpoints?api-version=2015-01-01`
  const answer = await askWeb(ctx, { url, headers: { accept: 'application/json' } })
  const body = bodyOf(answer)
  const [login, audience] = [at(body, 'authentication', 'loginEndpoint'), at(body, 'authentication', 'audiences', 0)]
  if (answer.status !== 200 || typeof login !== 'string' || typeof audience !== 'string') {
    throw exit(`${management} does not tell where to log in: ${url} answers with status ${answer.status}`)
  }
  return { management, login: withoutSlash(login), audience: withoutSlash(audience) }
}

/** Return how the settings log in, for errors. */
export function loginOf(settings: ProviderSettings): string {
  if (settings.secret !== null) return "'secret'"
  return settings.username !== null ? "'password'" : "'subscription_id'"
}

/** Return the tokens of a subscription. No request is sent yet. */
export function azureTokens(ctx: CloudContext, settings: ProviderSettings, place: Environment): Tokens {
  return new Tokens(async () => {
    const { tenant, client_id, secret, username, password } = settings
    const scope = `${place.audience}/.default`
    if (secret !== null) {
      if (tenant === null || client_id === null) {
        throw configError(`The provider '${ctx.alias}' needs the settings 'tenant' and 'client_id' with 'secret'`)
      }
      const form = { grant_type: 'client_credentials', client_id, client_secret: secret, scope }
      return exchange(ctx, `${place.login}/${encodeURIComponent(tenant)}`, form, `the service principal ${client_id}`)
    }
    if (username !== null) {
      if (password === null) throw configError(`The provider '${ctx.alias}' needs the setting 'password'`)
      const form = { grant_type: 'password', client_id: client_id ?? USERS_CLIENT, username, password, scope }
      const directory = encodeURIComponent(tenant ?? 'organizations')
      return exchange(ctx, `${place.login}/${directory}`, form, `the user ${username}`)
    }
    return fromMachine(ctx, settings, place)
  })
}

async function exchange(ctx: CloudContext, base: string, form: Record<string, string>, who: string): Promise<Dict> {
  const rest = new RestCloud(ctx, { base, headers: () => ({}), isForm: true, repeatsPosts: true })
  const answer = await rest.reply('POST', '/oauth2/v2.0/token', form)
  const body = bodyOf(answer)
  if (answer.status === 200 && isDict(body)) return body
  // further lines of the text are ids and times
  const [problem = ''] = str(at(body, 'error_description') ?? at(body, 'error') ?? `status ${answer.status}`).split(
    /\r?\n/,
  )
  throw exit(`The provider '${ctx.alias}' cannot log in: Azure refuses ${who}: ${problem}`)
}

async function fromMachine(ctx: CloudContext, settings: ProviderSettings, { audience }: Environment): Promise<Dict> {
  const base = withoutSlash(settings.metadata_url)
  const query = new URLSearchParams({ 'api-version': '2018-02-01', resource: `${audience}/` })
  if (settings.client_id !== null) query.set('client_id', settings.client_id)
  return metadataToken(
    await askMetadata(ctx, `${base}/metadata/identity/oauth2/token?${query}`, { Metadata: 'true' }),
    `The provider '${ctx.alias}' cannot log in: the metadata service ${base}`,
    "this is no machine of Azure, so the settings 'tenant', 'client_id' and 'secret' must be given",
  )
}
