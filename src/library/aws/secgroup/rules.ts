// The rules of a security group in a state, compared with the present ones.
import { type Dict, isList, misuse, str, truthy, type Value } from '../../../data/mod.ts'

/** Return one rule for each range or group. */
export function singleRules(rules: readonly Dict[]): Dict[] {
  return rules.flatMap((rule) => {
    for (const field of ['cidr_ip', 'source_group_name', 'source_group_group_id']) {
      const value = rule.get(field) ?? null
      if (truthy(value) && isList(value)) return value.map((item): Dict => new Map(rule).set(field, item))
    }
    return [new Map(rule)]
  })
}

const PROTOCOLS = new Set(['tcp', 'udp', 'icmp', 'all', '-1'])
const MOST_PROTOCOL = 255

/** Check a rule of a state; `all` becomes `-1`. */
function checked(rule: Dict): Dict {
  const protocol = str(rule.get('ip_protocol') ?? null)
  if (!PROTOCOLS.has(protocol) && !(/^\d+$/.test(protocol) && Number(protocol) <= MOST_PROTOCOL)) {
    throw misuse(`Invalid ip_protocol ${protocol} specified in security group rule.`)
  }
  const has = (field: string): boolean => truthy(rule.get(field) ?? null)
  const [range, group, name] = [has('cidr_ip'), has('source_group_group_id'), has('source_group_name')]
  if (range && (group || name)) {
    throw misuse('cidr_ip and source groups can not both be specified in security group rules.')
  }
  if (group && name) {
    throw misuse(
      'Either source_group_group_id or source_group_name can be specified in security group rules, but not both.',
    )
  }
  if (!range && !group && !name) {
    throw misuse('cidr_ip, source_group_group_id, or source_group_name must be provided for security group rules.')
  }
  if (protocol === 'all') return new Map(rule).set('ip_protocol', '-1')
  return rule
}

const portOf = (rule: Dict, field: string): string => str(rule.get(field) ?? -1)

/** Return whether a wanted rule and one of the group mean the same. AWS names no ports where a rule has `-1`. */
function isSame(wanted: Dict, present: Dict): boolean {
  if (str(wanted.get('ip_protocol') ?? null) !== str(present.get('ip_protocol') ?? null)) return false
  if (portOf(wanted, 'from_port') !== portOf(present, 'from_port')) return false
  if (portOf(wanted, 'to_port') !== portOf(present, 'to_port')) return false
  return ['cidr_ip', 'source_group_group_id', 'source_group_name'].some((field) => {
    const [one, other] = [wanted.get(field) ?? null, present.get(field) ?? null]
    return truthy(one) && truthy(other) && str(one) === str(other)
  })
}

export interface RuleChanges {
  remove: Dict[]
  add: Dict[]
}

/** Return which rules are too many and which are missing. */
export function compareRules(wanted: readonly Dict[], present: readonly Dict[]): RuleChanges {
  const rules = wanted.map(checked)
  const add = rules.filter((rule) => !present.some((one) => isSame(rule, one)))
  const surplus = present.filter((one) => !rules.some((rule) => isSame(rule, one)))
  return { add, remove: surplus.map(forRemoval) }
}

/** A rule that is to be removed names a group by its id only, and its ports even where AWS has none. */
function forRemoval(rule: Dict): Dict {
  const kept = [...rule].filter(
    ([field]) => field !== 'source_group_name' || !truthy(rule.get('source_group_group_id') ?? null),
  )
  return new Map<Value, Value>(
    kept.map(([field, value]) => [field, str(field).endsWith('_port') ? (value ?? -1) : value]),
  )
}
