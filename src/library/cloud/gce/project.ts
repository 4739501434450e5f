// The interface of Google Compute Engine for one project: paths, lists over their pages, and operations, which are waited for.
import { randomUUID } from 'node:crypto'
import { type Dict, isDict, type Plain, str, type Value } from '../../../data/mod.ts'
import { awaitReady, type CloudContext, type WebAnswer } from '../../../sdk/mod.ts'
import { allPages, at, bodyOf, exit, RestCloud, rowsOf, withoutSlash } from '../common/rest.ts'
import { googleTokens } from './credentials.ts'
import { configError, type ProviderSettings } from './settings.ts'

const FORBIDDEN = 403
const RATE_LIMIT = /rateLimitExceeded/i
const PAGE = 500

/** A part of a path in settings: letters, digits and the characters of domains and families. */
const NAME = /^[\w.:-]+$/

/** Return a name as a part of a path. */
export function part(name: string, what: string): string {
  if (NAME.test(name) && !/^\.+$/.test(name)) return encodeURIComponent(name)
  throw configError(`'${name}' is no name of a ${what}`)
}

/** Return the last part of an address, which is the name of the resource. */
export const lastPart = (url: Value): string =>
  str(url ?? '')
    .split('/')
    .at(-1) ?? ''

/** Return the region of a zone: `us-central1` of `us-central1-a`. */
export const regionOf = (zone: string): string => zone.split('-').slice(0, -1).join('-')

export class GceProject {
  readonly ctx: CloudContext
  readonly settings: ProviderSettings
  /** Path of the project below the address of the interface. */
  readonly root: string
  private readonly rest: RestCloud

  constructor(ctx: CloudContext, settings: ProviderSettings) {
    this.ctx = ctx
    this.settings = settings
    this.root = `/projects/${part(settings.project, 'project')}`
    const tokens = googleTokens(ctx, settings)
    this.rest = new RestCloud(ctx, {
      base: withoutSlash(settings.api_url),
      headers: () => tokens.headers(),
      renew: () => tokens.renew(),
      login: "'service_account_private_key'",
      // each POST has an id, by which Google recognises a repetition
      repeatsPosts: true,
      isBusy: isThrottled,
    })
  }

  /** Return the path of a zone. */
  zone = (zone: string): string => `${this.root}/zones/${part(zone, 'zone')}`

  region = (region: string): string => `${this.root}/regions/${part(region, 'region')}`

  /** Return the resource at a path; undefined if it does not exist. */
  find(path: string): Promise<Dict | undefined> {
    return this.rest.find('GET', path)
  }

  /** Return the resource at a path; throw an error with its name if it does not exist. */
  async get(path: string, what: string): Promise<Dict> {
    const found = await this.find(path)
    if (found === undefined) throw exit(`The project '${this.settings.project}' has no ${what}`)
    return found
  }

  /** Return the rows of a list over its pages. */
  list(path: string, filter?: string): Promise<Dict[]> {
    return this.pages(path, filter, (answer) => rowsOf(answer, 'items'))
  }

  /** Return the rows of a kind in all zones and regions. */
  everywhere(kind: string, filter?: string): Promise<Dict[]> {
    return this.pages(`${this.root}/aggregated/${kind}`, filter, (answer) => {
      const scopes = answer.get('items') ?? null
      return isDict(scopes) ? [...scopes.values()].flatMap((scope) => (isDict(scope) ? rowsOf(scope, kind) : [])) : []
    })
  }

  private pages(path: string, filter: string | undefined, rows: (answer: Dict) => Dict[]): Promise<Dict[]> {
    const wanted = filter === undefined ? path : `${path}?filter=${encodeURIComponent(filter)}`
    return allPages(wanted, '', async (page, mark) => {
      const further = page === '' ? '' : `&pageToken=${encodeURIComponent(str(page))}`
      const answer = await this.rest.ask('GET', `${wanted}${mark}maxResults=${PAGE}${further}`)
      return [rows(answer), answer.get('nextPageToken') ?? null]
    })
  }

  /** Send a change and wait until its operation has ended. `what` names the change for errors. */
  async change(method: 'POST' | 'DELETE', path: string, what: string, body?: Plain): Promise<Dict> {
    const mark = path.includes('?') ? '&' : '?'
    return this.ended(await this.rest.ask(method, `${path}${mark}requestId=${randomUUID()}`, body), what)
  }

  /** Delete the resource at a path. Return whether it existed. */
  async remove(path: string, what: string): Promise<boolean> {
    const operation = await this.rest.find('DELETE', `${path}?requestId=${randomUUID()}`)
    if (operation === undefined) return false
    await this.ended(operation, what)
    return true
  }

  /** Wait until an operation has ended, and fail as it failed. */
  async ended(operation: Dict, what: string): Promise<Dict> {
    const path = this.operationPath(operation)
    const { operation_timeout: timeout, operation_interval: interval } = this.settings
    let latest = operation
    return awaitReady({ what: `the end of ${what}`, timeout, interval, signal: this.ctx.signal }, async () => {
      if (latest.get('status') !== 'DONE') latest = await this.rest.ask('GET', path)
      if (latest.get('status') !== 'DONE') return undefined
      const problems = rowsOf(asDict(latest.get('error') ?? null), 'errors')
      if (problems.length === 0) return latest
      throw exit(`${what} failed: ${problems.map((one) => `${text(one, 'code')}: ${text(one, 'message')}`).join('; ')}`)
    })
  }

  private operationPath(operation: Dict): string {
    const scope = (['zone', 'region'] as const).find((kind) => operation.get(kind) !== undefined)
    const place = scope ? `${scope}s/${part(lastPart(operation.get(scope) ?? null), scope)}` : 'global'
    return `${this.root}/${place}/operations/${part(text(operation, 'name'), 'operation')}`
  }

  /** Wait for unfinished operations of a zone on the wanted targets; their results do not matter. */
  async settle(zone: string, isWanted: (target: string) => boolean): Promise<void> {
    const open = await this.list(`${this.zone(zone)}/operations`, 'status != "DONE"')
    for (const operation of open) {
      const target = text(operation, 'targetLink')
      if (operation.get('status') === 'DONE' || !isWanted(target)) continue
      await this.ended(operation, `the operation on ${lastPart(target)}`).catch((error: unknown) => {
        this.ctx.log('debug', `An operation on ${target} did not end well: ${String(error)}`)
      })
    }
  }
}

export const text = (row: Dict, key: string): string => str(row.get(key) ?? '')

const asDict = (value: Value): Dict => (isDict(value) ? value : new Map())

/** Google answers some throttled requests with status 403. */
function isThrottled(answer: WebAnswer): boolean {
  if (answer.status !== FORBIDDEN) return false
  const errors = rowsOf(asDict(at(bodyOf(answer), 'error')), 'errors')
  return errors.some((one) => RATE_LIMIT.test(text(one, 'reason')))
}
