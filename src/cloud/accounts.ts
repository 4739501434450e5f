// Providers of the files as open accounts of their drivers. A driver is loaded when the first of its providers is needed.
import { didYouMean, type Log, namedLog, type Position, withHint } from '../base/mod.ts'
import { type CloudFiles, type CloudProvider, type FetchSdb, fetchedSdb, withFetched } from '../config/mod.ts'
import { type Dict, deepCopy, markSecret, quote, str, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { httpClient } from '../http/mod.ts'
import { driverTable } from '../loader/mod.ts'
import { ownDriver } from '../pybridge/mod.ts'
import { type Args, boundSettings, type CloudAccount, type CloudDriver, type MinionJobs } from '../sdk/mod.ts'
import { cloudNotFound, configError } from './errors.ts'
import { DEPLOY_SETTINGS, NAMING_SETTINGS, NEEDLESS } from './settings.ts'

export interface AccountParts {
  files: CloudFiles
  host: Host
  log: Log
  jobs: MinionJobs
  fetchSdb: FetchSdb
  signal: AbortSignal
  /** Drivers in addition to those of the library, for tests. */
  drivers?: Readonly<Record<string, () => Promise<{ default: CloudDriver }>>>
}

/** A provider with its opened driver. */
export interface OpenAccount {
  provider: CloudProvider
  driver: CloudDriver
  account: CloudAccount
  /** All settings of the provider, with `sdb://` values fetched. */
  settings: Dict
}

export class Accounts {
  private readonly parts: AccountParts
  private readonly opened = new Map<CloudProvider, Promise<OpenAccount>>()

  constructor(parts: AccountParts) {
    this.parts = parts
  }

  get providers(): readonly CloudProvider[] {
    return this.parts.files.providers
  }

  /** Return the providers that `alias`, `alias:driver`, a driver or `all` means. */
  named(name: string): CloudProvider[] {
    if (name === 'all') return [...this.providers]
    const [alias, driver] = name.split(':', 2)
    const byAlias = this.providers.filter(
      (one) => one.alias === alias && (driver === undefined || one.driver === driver),
    )
    const found = byAlias.length > 0 ? byAlias : this.providers.filter((one) => one.driver === name)
    if (found.length > 0) return found
    const names = this.providers.map((one) => one.alias)
    throw cloudNotFound(`The cloud provider alias ${quote(name)} was not found`, didYouMean(name, names))
  }

  /** Return the single provider of a name. */
  one(name: string, asker: string): CloudProvider {
    const found = this.named(name)
    if (found.length === 1) return found[0]!
    const choices = found.map(({ alias, driver }) => `${alias}:${driver}`).join(', ')
    throw configError(`${asker} names the provider ${quote(name)}, which has several drivers: write one of ${choices}`)
  }

  open(provider: CloudProvider): Promise<OpenAccount> {
    let opening = this.opened.get(provider)
    if (!opening) {
      opening = this.begin(provider)
      this.opened.set(provider, opening)
    }
    return opening
  }

  async close(): Promise<void> {
    for (const opening of this.opened.values()) {
      const opened = await opening.catch(() => undefined)
      await opened?.account.close?.()
    }
  }

  /** Return settings with `sdb://` URIs replaced by their values; a URI that cannot be fetched is an error. */
  async fetched(settings: Dict, where: string): Promise<Dict> {
    const { files, log, fetchSdb } = this.parts
    const copy = deepCopy(settings) as Dict
    await withFetched(copy, async (uri) => {
      const value = await fetchedSdb(uri, files.opts, log, fetchSdb)
      if (value === undefined) throw configError(`${where}: ${uri} cannot be fetched`)
      markSecret(value)
      return value
    })
    return copy
  }

  /** Warn of settings that nothing reads. */
  tellUnknown(settings: Dict, driver: CloudDriver, where: string): void {
    const { log } = this.parts
    const known = [...Object.keys(driver.provider), ...Object.keys(driver.machine), ...Object.keys(DEPLOY_SETTINGS)]
    const isOpen = [driver.provider, driver.machine].some((args) =>
      Object.values(args).some(({ kind }) => kind === 'open'),
    )
    for (const name of [...settings.keys()].map(str)) {
      if (isOpen || known.includes(name) || NAMING_SETTINGS.has(name)) continue
      if (Object.hasOwn(NEEDLESS, name)) log('info', `${where}: '${name}' has no effect: ${NEEDLESS[name]}`)
      else log('warning', withHint(`${where}: nothing reads the setting '${name}'`, didYouMean(name, known)))
    }
  }

  private async begin(provider: CloudProvider): Promise<OpenAccount> {
    const { files, host, log, jobs, signal } = this.parts
    const where = `The provider ${quote(provider.alias)} in ${placeText(provider.at)}`
    const driver = await this.driver(provider.driver, where)
    const settings = await this.fetched(provider.settings, where)
    markDeclared(settings, [driver.provider, driver.machine, DEPLOY_SETTINGS])
    this.tellUnknown(settings, driver, where)
    const ctx = {
      ...{ opts: files.opts, host, jobs, signal, alias: provider.alias },
      http: httpClient(host, files.opts),
      log: namedLog(log, `salt.cloud.clouds.${driver.name}`),
    }
    const account = await driver.open(ctx, boundSettings(driver.provider, settings, where))
    return { provider, driver, account, settings }
  }

  private async driver(name: string, where: string): Promise<CloudDriver> {
    const { files, log } = this.parts
    const own = await ownDriver({
      name,
      opts: files.opts,
      log,
      providers: providersDict(files),
      profiles: profilesDict(files),
    })
    if (own) return own
    const table = { ...driverTable, ...this.parts.drivers }
    if (Object.hasOwn(table, name)) return (await table[name]!()).default
    const names = Object.keys(table)
    throw configError(
      `${where} names the driver ${quote(name)}, which is not here`,
      didYouMean(name, names) ?? `Drivers are ${names.sort().join(', ')}`,
    )
  }
}

/** Return the providers in the form for drivers of Salt. */
function providersDict({ providers }: CloudFiles): Dict {
  const all: Dict = new Map()
  for (const { alias, driver, settings } of providers) {
    const drivers = (all.get(alias) ?? new Map<Value, Value>()) as Dict
    drivers.set(driver, new Map<Value, Value>([...settings, ['driver', driver], ['profiles', new Map()]]))
    all.set(alias, drivers)
  }
  return all
}

const profilesDict = ({ profiles }: CloudFiles): Dict =>
  new Map<Value, Value>([...profiles].map(([name, { settings }]) => [name, settings]))

export const placeText = ({ file, line }: Position): string => `${file}, line ${line}`

/** Mark the values of settings that are declared as secrets. */
export function markDeclared(settings: Dict, declared: readonly Args[]): void {
  for (const args of declared) {
    for (const [name, { secret }] of Object.entries(args)) {
      const value: Value | undefined = secret ? settings.get(name) : undefined
      if (value !== undefined) markSecret(value)
    }
  }
}
