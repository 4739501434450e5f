// The login of a provider: its own settings merged over those of its cloud in clouds.yaml and secure.yaml.
import { type Dict, deepCopy, isDict, markSecret, SaltError, str, update, type Value } from '../../../data/mod.ts'
import { type CloudContext, loadYaml } from '../../../sdk/mod.ts'
import type { ProviderSettings } from './settings.ts'

export interface CloudLogin {
  auth: Dict
  authType: string | null
  region: string | null
  endpoints: string
  verify: boolean
  ca: string | null
}

const SECRETS = ['password', 'application_credential_secret', 'token', 'passcode']
const ENDINGS = ['yaml', 'yml', 'json']

export const configError = (message: string): SaltError => new SaltError('SaltCloudConfigError', message)

/** Return the login of a provider. */
export async function loginOf(ctx: CloudContext, settings: ProviderSettings): Promise<CloudLogin> {
  const all: Dict = settings.cloud === null ? new Map() : await cloudNamed(ctx, settings.cloud, settings.clouds_file)
  for (const [key, value] of Object.entries(settings)) {
    if (key !== 'auth' && value !== null) all.set(key, value as Value)
  }
  const auth: Dict = new Map()
  const known = all.get('auth')
  if (known !== undefined && isDict(known)) update(auth, known)
  update(auth, settings.auth)
  for (const key of SECRETS) if (auth.has(key)) markSecret(auth.get(key)!)
  const text = (key: string): string | null => (all.get(key) ? str(all.get(key)!) : null)
  const verify = all.get('verify') ?? true
  return {
    auth,
    authType: text('auth_type'),
    region: text('region_name'),
    endpoints: (text('interface') ?? text('endpoint_type') ?? 'public').replace(/URL$/, ''),
    verify: verify !== false && all.get('insecure') !== true,
    ca: text('cacert'),
  }
}

async function cloudNamed(ctx: CloudContext, name: string, file: string | null): Promise<Dict> {
  const env = await ctx.host.env()
  const home = env.get('XDG_CONFIG_HOME') ?? (env.get('HOME') ? `${env.get('HOME')}/.config` : '/root/.config')
  const given = file ?? env.get('OS_CLIENT_CONFIG_FILE')
  const folders = [`${home}/openstack`, '/etc/openstack']
  const places = given ? [given] : folders.flatMap((folder) => ENDINGS.map((ending) => `${folder}/clouds.${ending}`))
  const path = await firstOf(ctx, places)
  if (path === undefined)
    throw configError(`The provider '${ctx.alias}' names the cloud '${name}', and no file has it: ${places.join(', ')}`)
  const found = await cloudIn(ctx, path, name)
  if (found === undefined) throw configError(`${path} has no cloud '${name}', which the provider '${ctx.alias}' names`)
  if (found.has('profile')) {
    throw configError(
      `${path}: the cloud '${name}' has a 'profile' of a vendor: write 'auth_url' and 'region_name' in its place`,
    )
  }
  const secure = await firstOf(
    ctx,
    ENDINGS.map((ending) => path.replace(/clouds\.\w+$/, `secure.${ending}`)),
  )
  const secrets = secure === undefined || secure === path ? undefined : await cloudIn(ctx, secure, name)
  const cloud = deepCopy(found) as Dict
  if (secrets) update(cloud, secrets)
  return cloud
}

async function firstOf({ host }: CloudContext, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if ((await host.stat(path)) !== undefined) return path
  return undefined
}

async function cloudIn({ host }: CloudContext, path: string, name: string): Promise<Dict | undefined> {
  let data: Value
  try {
    data = await loadYaml(Buffer.from(await host.read(path)).toString())
  } catch (error) {
    throw configError(`${path} cannot be read: ${(error as Error).message}`)
  }
  const clouds = isDict(data) ? data.get('clouds') : undefined
  const found = clouds !== undefined && isDict(clouds) ? clouds.get(name) : undefined
  return found !== undefined && isDict(found) ? found : undefined
}
