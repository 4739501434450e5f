// Tokens, secret ids and leases, which Vault issues for a time or for a number of uses.
import type { JsonObject } from './config.ts'
import { now, readTime, seconds } from './durations.ts'

/** A thing that ends by the clock. */
export interface Timed {
  /** Seconds from its beginning or its last renewal; 0 for no end. */
  duration: number
  created: number
  expires: number
  renewable: boolean
}

export interface Token extends Timed {
  id: string
  accessor: string | null
  /** 0 for any number. */
  numUses: number
  useCount: number
}

export interface SecretId extends Timed {
  id: string
  accessor: string | null
  numUses: number
  useCount: number
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const count = (value: unknown): number => (typeof value === 'number' && value > 0 ? Math.floor(value) : 0)

function timed(fields: JsonObject, duration: number): Timed {
  const created = readTime(fields.creation_time) ?? now()
  return {
    duration,
    created,
    expires: readTime(fields.expire_time) ?? now() + duration,
    renewable: fields.renewable === true,
  }
}

/** Read the `auth` of an answer, or the token of a configuration from a master. */
export function readToken(fields: JsonObject, numUses?: unknown): Token {
  return {
    id: text(fields.client_token) || text(fields.id),
    accessor: text(fields.accessor) || null,
    numUses: count(fields.num_uses ?? numUses),
    useCount: 0,
    ...timed(fields, count(fields.lease_duration ?? fields.ttl)),
  }
}

export function readSecretId(fields: JsonObject, numUses?: unknown): SecretId {
  return {
    id: text(fields.secret_id),
    accessor: text(fields.secret_id_accessor) || null,
    numUses: count(fields.secret_id_num_uses ?? numUses),
    useCount: 0,
    ...timed(fields, count(fields.secret_id_ttl)),
  }
}

/** Whether something will still be valid in so many seconds. */
export const lasts = ({ duration, expires }: Timed, spare = 0): boolean => duration === 0 || expires - now() >= spare

export const hasUses = ({ numUses, useCount }: { numUses: number; useCount: number }, uses = 1): boolean =>
  numUses === 0 || useCount + uses <= numUses

export const isUsable = (record: Token | SecretId, spare = 0): boolean =>
  record.id !== '' && lasts(record, spare) && hasUses(record)

/** Return a record after its renewal. */
export function renewed<T extends Timed>(record: T, fields: JsonObject): T {
  const duration = count(fields.lease_duration)
  return { ...record, duration, expires: now() + duration, renewable: fields.renewable === true }
}

/** A lease of a secrets engine, as it is kept. */
export interface Lease extends Timed {
  id: string
  data: JsonObject
  minTtl: number | null
  renewIncrement: number | null
  revokeDelay: number | null
  meta: JsonObject[string]
}

export interface LeaseOptions {
  minTtl?: unknown
  renewIncrement?: unknown
  revokeDelay?: unknown
  meta?: JsonObject[string]
}

const wished = (value: unknown): number | null => (value === undefined || value === null ? null : seconds(value))

export function readLease(body: JsonObject, wishes: LeaseOptions = {}): Lease {
  return {
    id: text(body.lease_id),
    data: (body.data ?? {}) as JsonObject,
    minTtl: wished(wishes.minTtl),
    renewIncrement: wished(wishes.renewIncrement),
    revokeDelay: wished(wishes.revokeDelay),
    meta: wishes.meta ?? null,
    ...timed(body, count(body.lease_duration)),
  }
}
