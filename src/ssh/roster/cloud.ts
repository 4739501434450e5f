// The cloud roster: machines in the cache of salt-cloud (`<cachedir>/active/<driver>/<provider>/<id>.p`), with the login that the
// cloud configuration has for their provider and profile.
import { join } from 'node:path'
import { BrineError, isA, recover, toError } from '../../base/mod.ts'
import { type CloudFiles, type ConfigRenderer, option, readCloudFiles } from '../../config/mod.ts'
import { type Dict, decodeMsgpack, ipAddress, isDict, isList, str, type Value } from '../../data/mod.ts'
import { isHostError } from '../../host/mod.ts'
import type { Backend, RosterRequest } from './backend.ts'
import { RosterError } from './errors.ts'

/** Files that are templates are rare, and so their renderer is loaded when the first one is met. */
const render: ConfigRenderer = async (template, opts) =>
  (await import('../../minion/mod.ts')).renderConfig(template, opts)

const USUAL_ORDER = ['public', 'private', 'local']

/** Files of one machine are far smaller. */
const LARGEST = 16 * 1024 * 1024

export const cloud: Backend = {
  async read(request) {
    const { opts, log } = request
    const config = await readCloudFiles({ opts, log, render })
    const source = join(str(config.opts.get('cachedir')!), 'active')
    const entries = new Map<string, () => Promise<Value | undefined>>()
    for (const driver of await names(request, source)) {
      for (const provider of await names(request, join(source, driver))) {
        for (const file of await names(request, join(source, driver, provider))) {
          if (!file.endsWith('.p')) continue
          const path = join(source, driver, provider, file)
          entries.set(file.slice(0, -2), () => entryOf(request, path, config, provider))
        }
      }
    }
    return { source, entries }
  },
}

async function names({ host }: RosterRequest, folder: string): Promise<string[]> {
  try {
    return (await host.list(folder)).sort()
  } catch (error) {
    if (!isHostError(error)) throw error
    if (error.code === 'ENOTDIR') return []
    throw new RosterError(error.code === 'ENOENT' ? 'RosterMissing' : 'RosterUnreadable', error.message, {
      cause: error,
    })
  }
}

async function entryOf(
  { host, log, opts }: RosterRequest,
  file: string,
  config: CloudFiles,
  provider: string,
): Promise<Value | undefined> {
  const known = await machineIn(host, file)
  if (typeof known === 'string') {
    log('error', `${file} is left out: ${known}`)
    return undefined
  }
  const address = preferred([...texts(known.get('public_ips')), ...texts(known.get('private_ips'))], opts)
  if (address === undefined) {
    log('warning', `${file} is left out: it has no IPv4 address`)
    return undefined
  }
  const profile = known.get('profile') ?? null
  // as in Salt, a value of the provider counts before one of the profile
  const places = [providerOf(config, provider), config.profiles.get(str(profile))?.settings, config.own]
  const setting = (name: string): Value =>
    places.map((place) => valueAt(place, name)).find((value) => value !== null) ?? null
  const settings: Dict = new Map<Value, Value>([['host', address]])
  const users = setting('ssh_username')
  const user = isList(users) ? users[0] : users
  if (user && user !== 'root') settings.set('user', str(user))
  for (const [key, name] of [
    ['passwd', 'ssh_password'],
    ['priv', 'private_key'],
    ['sudo', 'sudo'],
  ] as const) {
    const value = setting(name)
    if (value) settings.set(key, value)
  }
  return settings
}

async function machineIn(host: RosterRequest['host'], file: string): Promise<Dict | string> {
  try {
    const size = (await host.stat(file))?.size ?? 0
    if (size > LARGEST) return `it has ${size} bytes`
    const value = decodeMsgpack(await host.read(file), { dialect: 'bus' })
    return isDict(value) ? value : 'it holds no map'
  } catch (error) {
    if (error instanceof BrineError) return toError(error).message
    throw error
  }
}

const providerOf = ({ providers }: CloudFiles, alias: string): Dict | undefined =>
  providers.find((one) => one.alias === alias)?.settings

const valueAt = (place: Value | undefined, name: string): Value =>
  place !== undefined && isDict(place) ? (place.get(name) ?? null) : null

function texts(value: Value | undefined): string[] {
  if (value === undefined || value === null) return []
  return isList(value) ? value.map(str) : [str(value)]
}

/** The first IPv4 address of the kinds in `roster_order`. */
function preferred(addresses: readonly string[], opts: Dict): string | undefined {
  const order = option(opts, 'roster_order') ?? null
  for (const kind of isList(order) ? order.map(str) : USUAL_ORDER) {
    const found = addresses.find((address) => kindOf(address) === kind)
    if (found !== undefined) return found
  }
  return undefined
}

function kindOf(text: string): string | undefined {
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(text)) return undefined
  return recover(isA(BrineError), undefined, () => {
    const address = ipAddress(text)
    return address.isLoopback ? 'local' : address.isPrivate ? 'private' : 'public'
  })
}
