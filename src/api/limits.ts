// Rate limits for callers: each address and each user has a bucket of requests that refills every second, and each
// address another one for failed logins. The /64 network of an IPv6 address counts as one address. The amount of data
// from callers without a session is limited as well.
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import { limitedHost } from '../wire/mod.ts'
import { HttpError } from './errors.ts'

interface Bucket {
  left: number
  /** Seconds at which `left` was right. */
  at: number
}

/** How many buckets are remembered; the least recently used are forgotten first. */
const MOST_BUCKETS = 20_000

/** A set of buckets with one size and one rate. */
export class TokenBuckets {
  private readonly size: number
  private readonly perSecond: number
  private readonly now: () => number
  private readonly buckets = new Map<string, Bucket>()

  constructor(size: number, perSecond: number, now: () => number = () => performance.now() / 1000) {
    this.size = size
    this.perSecond = perSecond
    this.now = now
  }

  /** Return the seconds until a name may go on; 0 when it may now. */
  wait(name: string): number {
    const bucket = this.filled(name)
    return bucket.left >= 1 ? 0 : (1 - bucket.left) / this.perSecond
  }

  take(name: string): void {
    const bucket = this.filled(name)
    bucket.left--
    this.buckets.delete(name)
    this.buckets.set(name, bucket)
    if (this.buckets.size > MOST_BUCKETS) this.buckets.delete(this.buckets.keys().next().value!)
  }

  private filled(name: string): Bucket {
    const now = this.now()
    const { left, at } = this.buckets.get(name) ?? { left: this.size, at: now }
    return { left: Math.min(this.size, left + (now - at) * this.perSecond), at: now }
  }
}

/** Bytes of bodies that callers without a session may be sending at the same time. */
const STRANGERS_BYTES = 64 << 20

export class ApiLimits {
  private readonly requests: TokenBuckets | undefined
  private readonly logins: TokenBuckets | undefined
  /** Room for the bodies of callers without a session. */
  readonly strangers = new Room(STRANGERS_BYTES)

  constructor(opts: Dict) {
    const perSecond = option(opts, 'api_request_rate')
    const perMinute = option(opts, 'api_login_failures')
    if (perSecond > 0) this.requests = new TokenBuckets(2 * perSecond, perSecond)
    if (perMinute > 0) this.logins = new TokenBuckets(perMinute, perMinute / 60)
  }

  /** Count a request of an address; throw above the limit. */
  countAddress(address: string | undefined): void {
    this.count(`address ${limitedHost(address)}`)
  }

  /** Count a request of a user; throw above the limit. */
  countUser(user: string): void {
    this.count(`user ${user}`)
  }

  private count(name: string): void {
    if (!this.requests) return
    mind(this.requests.wait(name))
    this.requests.take(name)
  }

  /** Throw when too many logins of an address failed. */
  beforeLogin(address: string | undefined): void {
    mind(this.logins?.wait(limitedHost(address)) ?? 0)
  }

  loginFailed(address: string | undefined): void {
    this.logins?.take(limitedHost(address))
  }
}

/** Memory budget for bodies that are being read. */
export class Room {
  private left: number

  constructor(bytes: number) {
    this.left = bytes
  }

  /** Take bytes from the budget; throw if there are not enough. */
  take(bytes: number): void {
    if (bytes > this.left) throw new TooManyRequests(1)
    this.left -= bytes
  }

  giveBack(bytes: number): void {
    this.left += bytes
  }
}

/** A refusal because of too many requests, with the time after which the next one may come. */
export class TooManyRequests extends HttpError {
  readonly retryAfter: number

  constructor(seconds: number) {
    const retryAfter = Math.max(1, Math.ceil(seconds))
    super(429, `Too many requests. Try again in ${retryAfter} s.`)
    this.retryAfter = retryAfter
  }
}

function mind(seconds: number): void {
  if (seconds > 0) throw new TooManyRequests(seconds)
}
