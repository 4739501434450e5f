// Cached leases, such as the credentials of a database: they are used again while they last, renewed when they must
// last longer, and revoked when they are not needed any more. They belong to the token by which they were obtained.
import { type Dict, fnmatch, fromPlain, toPlain } from '../../../data/mod.ts'
import type { VaultAccess } from './access.ts'
import type { JsonObject } from './config.ts'
import { now, seconds } from './durations.ts'
import { VaultError } from './errors.ts'
import { type Lease, type LeaseOptions, lasts, readLease, renewed } from './records.ts'

/** Seconds that the users of a lease have to change to the next one. */
const REVOKE_DELAY = 60

export class Leases {
  private readonly access: VaultAccess

  constructor(access: VaultAccess) {
    this.access = access
  }

  private get kept(): Record<string, Lease> {
    return this.access.store.kept.leases ?? {}
  }

  private async save(key: string, lease: Lease | undefined): Promise<void> {
    const { [key]: _old, ...rest } = this.kept
    await this.access.store.save({ leases: lease ? { ...rest, [key]: lease } : rest })
  }

  /** Return a lease that lasts long enough, cached or renewed. One that cannot last is revoked. */
  async get(key: string, wishes: LeaseOptions, isChecked: boolean): Promise<Lease | undefined> {
    // a token that has ended took its leases with it
    await this.access.token()
    const lease = this.kept[key]
    if (!lease) return undefined
    const current = adjusted(lease, wishes)
    const spare = current.minTtl ?? 0
    if (lasts(current, spare) && (!isChecked || (await this.isActive(current)))) {
      if (JSON.stringify(current) !== JSON.stringify(lease)) await this.save(key, current)
      return current
    }
    const later =
      current.id === '' ? undefined : await this.renewedLease(current, Math.max(spare, current.renewIncrement ?? 0))
    if (later && lasts(later, spare)) {
      await this.save(key, later)
      return later
    }
    await this.revoke(key, current.revokeDelay ?? REVOKE_DELAY)
    return undefined
  }

  async store(key: string, body: Dict, wishes: LeaseOptions): Promise<Lease> {
    const lease = readLease(toPlain(body) as JsonObject, wishes)
    await this.save(key, lease)
    return lease
  }

  /** The keys of leases that fit a pattern. */
  keys(pattern: string): string[] {
    return Object.keys(this.kept).filter((key) => fnmatch(key, pattern))
  }

  info(key: string): JsonObject {
    const { id, duration, created, expires, renewable, minTtl, renewIncrement, revokeDelay, meta } = this.kept[key]!
    return {
      lease_id: id,
      lease_duration: duration,
      creation_time: shownTime(created),
      expire_time: shownTime(expires),
      expires_in: Math.max(Math.round(expires - now()), 0),
      expired: !lasts(this.kept[key]!),
      renewable,
      min_ttl: minTtl,
      renew_increment: renewIncrement,
      revoke_delay: revokeDelay,
      meta,
    }
  }

  /** Return the data of a lease. */
  data(key: string): JsonObject {
    return this.kept[key]!.data
  }

  /** Forget a lease, and leave its end to the server. */
  forget(key: string): Promise<void> {
    return this.save(key, undefined)
  }

  /** Renew a kept lease; false when the server does not. */
  async renew(key: string, increment?: unknown): Promise<boolean> {
    const lease = this.kept[key]!
    const wanted = increment === undefined || increment === null ? lease.renewIncrement : seconds(increment)
    const later = await this.renewedLease(lease, wanted ?? 0)
    if (later) await this.save(key, later)
    return later !== undefined
  }

  /** Forget a lease; the server ends it after some seconds. */
  async revoke(key: string, delay?: number): Promise<boolean> {
    const lease = this.kept[key]!
    const wait = delay ?? lease.revokeDelay ?? REVOKE_DELAY
    await this.save(key, undefined)
    if (lease.id === '' || !lasts(lease)) return true
    if (wait > 0 && lease.renewable && (await this.renewedLease(lease, wait))) return true
    return this.tried(() =>
      this.access.post('sys/leases/revoke', fromPlain({ lease_id: lease.id }), { isRepeatable: true }),
    )
  }

  private async isActive({ id }: Lease): Promise<boolean> {
    return (
      id === '' ||
      this.tried(() => this.access.post('sys/leases/lookup', fromPlain({ lease_id: id }), { isRepeatable: true }))
    )
  }

  private async renewedLease(lease: Lease, increment: number): Promise<Lease | undefined> {
    if (!lease.renewable || !lasts(lease)) return undefined
    const payload = fromPlain({ lease_id: lease.id, ...(increment > 0 && { increment }) })
    let later: Lease | undefined
    await this.tried(async () => {
      const body = await this.access.post('sys/leases/renew', payload, { isRepeatable: true })
      later = renewed(lease, toPlain(body) as JsonObject)
    })
    return later
  }

  private async tried(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      if (!(error instanceof VaultError)) throw error
      this.access.parts.log('debug', `Vault: ${error.message}`)
      return false
    }
  }
}

/** Return a lease with the present requirements. */
function adjusted(lease: Lease, wishes: LeaseOptions): Lease {
  const wished = (value: unknown, old: number | null): number | null =>
    value === undefined || value === null ? old : seconds(value)
  return {
    ...lease,
    minTtl: wished(wishes.minTtl, lease.minTtl),
    renewIncrement: wished(wishes.renewIncrement, lease.renewIncrement),
    revokeDelay: wished(wishes.revokeDelay, lease.revokeDelay),
    meta: wishes.meta === undefined ? lease.meta : wishes.meta,
  }
}

const shownTime = (time: number): string =>
  new Date(time * 1000).toISOString().replace('T', ' ').replace(/\..*/, ' UTC')
