// The interface of Azure Resource Manager for one subscription: resources by their ids, lists over their pages, and operations, which are waited
// for.
import { type Dict, isDict, type Plain, SaltError, str, type Value } from '../../../data/mod.ts'
import { awaitReady, type CloudContext, type WebAnswer } from '../../../sdk/mod.ts'
import { allPages, at, bodyOf, exit, RestCloud, rowsOf } from '../common/rest.ts'
import { azureTokens, findEnvironment, loginOf } from './credentials.ts'
import { configError, type ProviderSettings } from './settings.ts'

/** Versions of the interface, by the provider of the resources. */
const VERSIONS: Readonly<Record<string, string>> = {
  'Microsoft.Compute': '2023-09-01',
  'Microsoft.Compute/disks': '2023-04-02',
  'Microsoft.Network': '2023-09-01',
  'Microsoft.Storage': '2023-01-01',
}
const RESOURCES_VERSION = '2021-04-01'
const NOT_FOUND = 404
const ACCEPTED = 202
/** The longest pause that Azure may ask for, in seconds. */
const LONGEST_PAUSE = 60

/** Errors that go away when another operation has ended, or after some minutes. */
const PASSING = new Set(['AnotherOperationInProgress', 'Conflict', 'NicReservedForAnotherVm', 'RetryableError'])

/** Return a name as a part of an id. */
export function part(name: string, what: string): string {
  if (/^[\w.()-]+$/.test(name) && !/^\.+$/.test(name)) return encodeURIComponent(name)
  throw configError(`'${name}' is no name of a ${what}`)
}

/** Return the last part of an id, which is the name. */
export const lastPart = (id: Value): string =>
  str(id ?? '')
    .split('/')
    .at(-1) ?? ''

/** Return the resource group of an id. */
export const groupOf = (id: string): string => /\/resourceGroups\/([^/]+)/i.exec(id)?.[1] ?? ''

const failureOf = (status: string): boolean => /^(failed|canceled)$/i.test(status)

export class Subscription {
  readonly ctx: CloudContext
  readonly settings: ProviderSettings
  readonly root: string
  private connected: Promise<RestCloud> | undefined

  constructor(ctx: CloudContext, settings: ProviderSettings) {
    this.ctx = ctx
    this.settings = settings
    this.root = `/subscriptions/${part(settings.subscription_id, 'subscription')}`
  }

  /** Return the id of a resource: `id(group, 'Microsoft.Network/networkInterfaces', name)`. */
  id(group: string, type: string, name: string, ...further: string[]): string {
    const below = further.map((one) => `/${part(one, 'resource')}`).join('')
    return `${this.root}/resourceGroups/${part(group, 'resource group')}/providers/${type}/${part(name, lastPart(type))}${below}`
  }

  /** Return the resource with an id; undefined if it does not exist. */
  async find(id: string): Promise<Dict | undefined> {
    return (await this.rest()).find('GET', withVersion(id))
  }

  /** Return the resource with an id; throw an error with the id if it does not exist. */
  async get(id: string): Promise<Dict> {
    const found = await this.find(id)
    if (found === undefined) throw exit(`Azure has no ${shortId(id)}`)
    return found
  }

  /** Return the rows of a list over its pages. */
  async list(path: string): Promise<Dict[]> {
    const rest = await this.rest()
    return allPages(path, withVersion(path), async (page) => {
      const answer = await rest.ask('GET', str(page))
      const next = answer.get('nextLink') ?? null
      return [rowsOf(answer, 'value'), next === null || next === '' ? null : rest.pathOf(str(next))]
    })
  }

  /** Return a list without the key `value` around it, such as those of images. */
  async plainList(path: string): Promise<Dict[]> {
    const rest = await this.rest()
    const answer = await rest.reply('GET', withVersion(path))
    const body = bodyOf(answer)
    if (answer.status >= 300 && answer.status !== NOT_FOUND) throw rest.refusal(`GET ${path}`, answer)
    return Array.isArray(body) ? body.filter(isDict) : []
  }

  /** Create a resource and wait until it is ready. `what` names the change for errors. */
  async put(id: string, body: { [key: string]: Plain }, what: string): Promise<Dict> {
    const rest = await this.rest()
    const answer = await rest.reply('PUT', withVersion(id), body)
    if (answer.status >= 300) throw rest.refusal(what, answer)
    await this.ended(answer, what, id)
    return this.get(id)
  }

  /** Do something to a resource and wait until it is done. */
  async act(id: string, word: string, what: string): Promise<Dict> {
    const rest = await this.rest()
    const answer = await rest.reply('POST', withVersion(`${id}/${word}`))
    if (answer.status >= 300) throw rest.refusal(what, answer)
    return this.ended(answer, what)
  }

  /**
   * Delete a resource, and wait until it is gone. Return whether it existed. If the resource is in use, retry for some
   * minutes.
   */
  async remove(id: string, what: string): Promise<boolean> {
    const rest = await this.rest()
    const { operation_timeout: timeout, operation_interval: interval } = this.settings
    return awaitReady({ what, timeout, interval, signal: this.ctx.signal }, async () => {
      const answer = await rest.reply('DELETE', withVersion(id))
      if (answer.status === NOT_FOUND || answer.status === 204) return false
      if (answer.status >= 300) {
        if (isPassing(answer)) return undefined
        throw rest.refusal(what, answer)
      }
      await this.ended(answer, what)
      return true
    })
  }

  /** Wait until an operation has ended, and fail as it failed. Return the last answer about it. */
  private async ended(answer: WebAnswer, what: string, id?: string): Promise<Dict> {
    const rest = await this.rest()
    const status = answer.headers.get('azure-asyncoperation')
    const location = answer.headers.get('location')
    const { operation_timeout: timeout, operation_interval } = this.settings
    const asked = Number(answer.headers.get('retry-after') ?? operation_interval)
    const interval = Number.isNaN(asked) ? operation_interval : Math.min(asked, LONGEST_PAUSE)
    const patience = { what: `the end of ${what}`, timeout, interval, signal: this.ctx.signal }
    if (status !== undefined)
      return awaitReady(patience, async () => done(await rest.ask('GET', rest.pathOf(status)), what))
    if (location !== undefined && answer.status === ACCEPTED) {
      const path = rest.pathOf(location)
      return awaitReady(patience, async () => {
        const found = await rest.reply('GET', path)
        if (found.status === ACCEPTED) return undefined
        if (found.status >= 300 && found.status !== NOT_FOUND) throw rest.refusal(what, found)
        return asDict(bodyOf(found))
      })
    }
    if (id === undefined) return asDict(bodyOf(answer))
    return awaitReady(patience, async () => {
      const row = await this.get(id)
      return done(row, what, str(at(row, 'properties', 'provisioningState') ?? 'Succeeded'))
    })
  }

  private rest(): Promise<RestCloud> {
    this.connected ??= this.connect()
    this.connected.catch(() => {
      this.connected = undefined
    })
    return this.connected
  }

  private async connect(): Promise<RestCloud> {
    const place = await findEnvironment(this.ctx, this.settings.cloud_environment)
    const tokens = azureTokens(this.ctx, this.settings, place)
    return new RestCloud(this.ctx, {
      base: place.management,
      headers: () => tokens.headers(),
      renew: () => tokens.renew(),
      login: loginOf(this.settings),
    })
  }
}

/** Return the result of an operation that has ended; undefined before. */
function done(row: Dict, what: string, status = str(row.get('status') ?? 'Succeeded')): Dict | undefined {
  if (failureOf(status)) {
    const [code, message] = [at(row, 'error', 'code'), at(row, 'error', 'message')]
    const why =
      code === null && message === null
        ? status
        : [code, message]
            .filter((one) => one !== null)
            .map(str)
            .join(': ')
    throw new SaltError('SaltCloudSystemExit', `${what} failed: ${why}`)
  }
  return /^succeeded$/i.test(status) ? row : undefined
}

const asDict = (value: Value): Dict => (isDict(value) ? value : new Map())

function isPassing(answer: WebAnswer): boolean {
  return PASSING.has(str(at(bodyOf(answer), 'error', 'code') ?? ''))
}

/** Return a path with the version of the interface that serves it. */
function withVersion(path: string): string {
  // a path of another form could lead to another server
  if (!path.startsWith('/subscriptions/')) throw exit(`Azure cannot be asked for ${path}`)
  if (path.includes('api-version=')) return path
  const [, provider = '', type = ''] = /.*\/providers\/([^/?]+)\/([^/?]+)/.exec(path) ?? []
  const version = VERSIONS[`${provider}/${type}`] ?? VERSIONS[provider] ?? RESOURCES_VERSION
  return `${path}${path.includes('?') ? '&' : '?'}api-version=${version}`
}

/** Return an id without the common part of a subscription. */
const shortId = (id: string): string => id.replace(/^\/subscriptions\/[^/]+\//, '').replace(/\/providers\/[^/]+/, '')
