// Signing policies for OpenSSH certificates: fixed, permitted and default values, merged with the request.
import { type Dict, isList, PyError, str, truthy, type Value } from '../../../../data/mod.ts'
import type { Kind } from '../../common/authority.ts'
import { instantOf, secondsOf, timeText } from './times.ts'

export const SSH_PKI: Kind = { module: 'ssh_pki', option: 'ssh_signing_policies' }

type Options = ReadonlyMap<string, Value>

const dictOf = (value: Value | undefined, what: string): Dict => {
  if (value === undefined || !truthy(value)) return new Map()
  if (value instanceof Map) return value
  throw new PyError('TypeError', `${what} must be a mapping`)
}

export const textsOf = (value: Value | undefined): string[] => {
  if (value === undefined || !truthy(value)) return []
  return (isList(value) ? value : [value]).map((item) => str(item))
}

/** Merge names with values: the defaults, the permitted part of the request, and the fixed ones. */
function mergedNames(policy: Options, requested: Options, name: string): Dict {
  const allowed = policy.has(`allowed_${name}`) ? textsOf(policy.get(`allowed_${name}`)) : ['*']
  const merged: Dict = new Map(dictOf(policy.get(`default_${name}`), `default_${name}`))
  for (const [key, value] of dictOf(requested.get(name), name)) {
    if (allowed.includes('*') || allowed.includes(str(key))) merged.set(key, value)
  }
  for (const [key, value] of dictOf(policy.get(name), name)) merged.set(key, value)
  return merged
}

/** Set the principals: at most those of the policy, which a request for all principals gets. */
function limitPrincipals(policy: Options, requested: Options, merged: Map<string, Value>): void {
  const source = policy.get('allowed_valid_principals') ?? policy.get('valid_principals') ?? null
  if (source === null) return
  const allowed = textsOf(source)
  const defaults = policy.has('default_valid_principals') ? textsOf(policy.get('default_valid_principals')) : allowed
  const wanted = textsOf(requested.get('valid_principals'))
  const granted = [...new Set(wanted)].filter((principal) => allowed.includes(principal))
  const wantsAll = wanted.length === 0 && truthy(requested.get('all_principals') ?? null)
  merged.delete('all_principals')
  merged.set('valid_principals', wantsAll ? allowed : granted.length > 0 ? granted : defaults)
}

/** Set the validity: the time requested, at most that of the policy. */
function limitTime(policy: Options, requested: Options, merged: Map<string, Value>, now: number): void {
  const usual = secondsOf(policy.get('ttl') ?? null)
  const most = policy.has('max_ttl') ? secondsOf(policy.get('max_ttl')!) : usual
  const start = truthy(requested.get('not_before') ?? null) ? instantOf(requested.get('not_before')!) : now
  const end = requested.get('not_after') ?? null
  const wanted = truthy(end) ? instantOf(end) - start : secondsOf(requested.get('ttl') ?? null)
  const granted = wanted === null ? (usual ?? most) : most === null ? wanted : Math.min(wanted, most)
  for (const name of ['not_before', 'not_after']) merged.delete(name)
  if (granted !== null) {
    merged.set('not_before', timeText(start))
    merged.set('not_after', timeText(start + granted))
  }
  merged.set('ttl', granted)
}

/** Options that the functions above have merged. */
const MERGED = new Set(
  ['critical_options', 'extensions', 'valid_principals']
    .flatMap((name) => [name, `allowed_${name}`, `default_${name}`])
    .concat('ttl', 'max_ttl', 'minions'),
)

/** Return the options of a certificate under a policy. */
export function withPolicy(policy: Options, requested: Options, now: number): Map<string, Value> {
  const merged = new Map(requested)
  if (policy.size === 0) return merged
  for (const name of ['critical_options', 'extensions']) merged.set(name, mergedNames(policy, requested, name))
  limitPrincipals(policy, requested, merged)
  limitTime(policy, requested, merged, now)
  for (const [name, value] of policy) if (!MERGED.has(name)) merged.set(name, value)
  return merged
}
