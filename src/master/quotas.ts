// Limits for what one minion may store on its master and send to it, and for what unknown hosts may store there. The
// limits are far above normal use; they stop attempts to fill the disk or the memory of the master. Data above a limit
// is refused as a whole.
import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, Rates } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, Packed, str, type Value } from '../data/mod.ts'

const MIB = 1 << 20

/** The options that limit a minion; 0 means the default. */
export type Limit =
  | 'minion_mine_max_size'
  | 'minion_grains_max_size'
  | 'minion_resources_max'
  | 'minion_return_max_size'
  | 'minion_events_per_second'
  | 'minion_request_max_values'
  | 'file_recv_max_total'
  | 'max_pending_minions'
  | 'failed_auth_per_second'

/** After a pause, the events of this many seconds may come at once. */
const BURST_SECONDS = 10
/** A syndic forwards the events and returns of many minions, so its limits are multiplied by this number. */
const SYNDIC_MINIONS = 20
/** Sign-ins of a whole site behind one address may come at once. */
const SIGN_IN_BURST_SECONDS = 20
/** A file takes some room however short it is, and so does a folder. */
const LEAST_FILE = 4096
const RECOUNT_MS = 1000

export class Quotas {
  private readonly opts: Dict
  private readonly log: Log
  /** Limit of minions on one connection. */
  private readonly senders: number
  private readonly events: Rates
  private readonly signIns: Rates
  /** Lines of the log: one a minute about each minion and limit. */
  private readonly lines = new Rates({ perSecond: 1 / 60, burst: 1 })
  /** Bytes of pushed files by minion, as counted so far. */
  private readonly files = new Map<string, number>()
  private pending = { count: 0, at: Number.NEGATIVE_INFINITY }

  constructor(opts: Dict, log: Log) {
    this.opts = opts
    this.log = log
    this.senders = option(opts, 'order_masters') ? SYNDIC_MINIONS : 1
    const events = this.senders * this.limit('minion_events_per_second')
    const signIns = this.limit('failed_auth_per_second')
    this.events = new Rates({ perSecond: events, burst: events * BURST_SECONDS, most: 100_000 })
    this.signIns = new Rates({ perSecond: signIns, burst: signIns * SIGN_IN_BURST_SECONDS })
  }

  limit(name: Limit): number {
    return option(this.opts, name) || option(new Map(), name)
  }

  /** How many values of one request are decoded, the returned value not counted. */
  get valuesOfRequest(): number {
    return this.senders * this.limit('minion_request_max_values')
  }

  /** Whether the mine of a minion may become this. */
  allowsMine(id: string, mine: Dict): boolean {
    return this.fits(id, 'minion_mine_max_size', 'The mine', sizeOf(mine))
  }

  /** Whether the grains of a minion may be kept. */
  allowsGrains(id: string, grains: Value): boolean {
    return this.fits(id, 'minion_grains_max_size', 'Its grains', sizeOf(grains))
  }

  /** Whether a minion may have these resources, with their grains. */
  allowsResources(id: string, load: Dict): boolean {
    const told = load.get('resources') ?? null
    const count = isDict(told) ? [...told.values()].reduce<number>((sum, ids) => sum + countOf(ids), 0) : 0
    const most = this.limit('minion_resources_max')
    if (count > most) return this.refuse(id, 'minion_resources_max', `it has ${count} resources, ${most} are allowed`)
    return this.allowsGrains(id, load.get('resource_grains') ?? null)
  }

  /** Return the load with its returned value, or with an error if the value exceeds the limit. */
  fitted(load: Dict): Dict {
    const returned = load.get('return') ?? null
    const bytes = returned instanceof Packed ? returned.bytes.length : sizeOf(returned)
    const most = this.limit('minion_return_max_size') * MIB
    if (bytes <= most) return load
    const why = `The return has ${bytes} bytes, ${most} are allowed (minion_return_max_size)`
    this.refuse(str(load.get('id')!), 'minion_return_max_size', `${why}; job ${str(load.get('jid') ?? '')}`)
    return load.set('return', why).set('success', false).set('retcode', 1) as Dict
  }

  /** Whether a minion may fire this many events now. */
  allowsEvents(id: string, count: number): boolean {
    if (this.events.take(id, count)) return true
    const most = this.limit('minion_events_per_second')
    return this.refuse(id, 'minion_events_per_second', `it tells more than ${most} events a second; they are dropped`)
  }

  /**
   * Whether a minion may write this many more bytes into its folder of pushed files, and create this many files and
   * folders there.
   */
  allowsFile(id: string, folder: string, bytes: number, made: number): boolean {
    const most = this.limit('file_recv_max_total') * MIB
    const more = Math.max(bytes, made * LEAST_FILE)
    let used = this.files.get(id)
    // files may have been removed, or written anew
    if (used === undefined || used + more > most) used = bytesBelow(folder)
    const isAllowed = used + more <= most
    this.files.set(id, isAllowed ? used + more : used)
    if (this.files.size > 10_000) this.files.delete(this.files.keys().next().value!)
    return isAllowed || this.refuse(id, 'file_recv_max_total', `its files have more than ${most} bytes`)
  }

  /** Whether one more key may be stored as pending or rejected; `count` returns the present number. */
  allowsPending(count: () => number): boolean {
    const now = performance.now()
    if (now - this.pending.at > RECOUNT_MS) this.pending = { count: count(), at: now }
    const most = this.limit('max_pending_minions')
    if (this.pending.count++ < most) return true
    this.pending.count--
    const text = `More than ${most} keys wait or were rejected: new ones are refused (max_pending_minions)`
    if (this.lines.take('keys')) this.log('warning', text)
    return false
  }

  /** Counts the sign-ins of a host; accepted sign-ins do not count. */
  readonly signIn = {
    begin: (host: string): boolean => {
      if (this.signIns.take(host)) return true
      const most = this.limit('failed_auth_per_second')
      if (this.lines.take(`host ${host}`)) {
        this.log(
          'warning',
          `Sign-ins from ${host} are refused: more than ${most} a second failed (failed_auth_per_second)`,
        )
      }
      return false
    },
    accepted: (host: string): void => this.signIns.spend(host, -1),
  }

  private fits(id: string, name: Limit, what: string, bytes: number): boolean {
    const most = this.limit(name) * MIB
    return bytes <= most || this.refuse(id, name, `${what} would have ${bytes} bytes, ${most} are allowed`)
  }

  private refuse(id: string, name: Limit, why: string): false {
    if (this.lines.take(`${name} ${id}`)) this.log('warning', `Refused what minion ${id} sent: ${why} (${name})`)
    return false
  }
}

/** Estimated memory of a container, and of any value besides its text, in bytes. */
const CONTAINER = 100
const SCALAR = 8

/**
 * Return the approximate size of a value in bytes. One byte of a message can stand for a whole mapping, so the message
 * size is no measure.
 */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return SCALAR + value.length
  if (value instanceof Uint8Array) return CONTAINER + value.length
  if (value instanceof Packed) return CONTAINER + value.bytes.length
  let size = CONTAINER
  if (isDict(value)) for (const [key, item] of value) size += sizeOf(key) + sizeOf(item)
  else if (isList(value)) for (const item of value) size += sizeOf(item)
  else return SCALAR
  return size
}

const countOf = (ids: Value): number => (isList(ids) ? ids.length : 0)

/** Returns how many bytes the files and folders below a folder have. */
function bytesBelow(folder: string): number {
  let entries: Dirent[]
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
  return entries.reduce((sum, entry) => {
    const path = join(folder, entry.name)
    // a link counts for itself, wherever it leads
    const size = entry.isFile() ? (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) : 0
    return sum + Math.max(size, LEAST_FILE) + (entry.isDirectory() ? bytesBelow(path) : 0)
  }, 0)
}
