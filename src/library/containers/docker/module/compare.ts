// Configuration differences between two containers or networks.
import { type Dict, dictFrom, equals, isDict, isList, sorted, str, truthy, type Value } from '../../../../data/mod.ts'

const change = (old: Value, now: Value): Dict => dictFrom({ old, new: now })

const inOrder = (value: Value): Value =>
  isList(value) && (value as Value[]).every((item) => typeof item === 'string') ? sorted(value) : value

/** Return links without the name of their own container, which always differs. */
const withoutOwner = (links: Value): Value =>
  isList(links) ? (links as Value[]).map((link) => str(link).replace(/:\/[^/]*\//, ':/')) : links

const COMPARED_AS_SETS = ['Env', 'Links', 'Ulimits']

export function configDifference(
  one: Dict,
  other: Dict,
  ignored: readonly string[],
  imageId: (image: Value) => Value,
): Dict {
  const differences: Dict = new Map()
  for (const part of ['Config', 'HostConfig']) {
    const [first, second] = [one.get(part), other.get(part)].map((value) =>
      isDict(value ?? null) ? (value as Dict) : new Map(),
    )
    const found: Dict = new Map()
    for (const key of new Set([...first!.keys(), ...second!.keys()])) {
      if (ignored.includes(str(key))) continue
      const difference = valueDifference(str(key), first!.get(key) ?? null, second!.get(key) ?? null, imageId)
      if (difference) found.set(key, difference)
    }
    if (found.size > 0) differences.set(part, found)
  }
  return differences
}

function valueDifference(key: string, old: Value, now: Value, imageId: (image: Value) => Value): Dict | undefined {
  if (key === 'OomKillDisable' || old === null || now === null) {
    return truthy(old) === truthy(now) ? undefined : change(old, now)
  }
  if (key === 'Image') {
    const [first, second] = [imageId(old), imageId(now)]
    return equals(first, second) ? undefined : change(first, second)
  }
  const prepared = (value: Value): Value =>
    COMPARED_AS_SETS.includes(key) ? inOrder(key === 'Links' ? withoutOwner(value) : value) : value
  const [first, second] = [prepared(old), prepared(now)]
  return equals(first, second) ? undefined : change(first, second)
}

const BRIDGE_NAME = 'com.docker.network.bridge.name'

/** Return the values below one key, without the generated name of a bridge. */
function below(old: Value, now: Value): Dict {
  const found: Dict = new Map()
  const [first, second] = [old, now].map((value) => (isDict(value) ? value : new Map<Value, Value>()))
  for (const [key, value] of first!) {
    const other = second!.get(key) ?? null
    if (key === BRIDGE_NAME || (!truthy(value) && !truthy(other)) || equals(value, other)) continue
    found.set(key, change(value, other))
  }
  return found
}

export function networkDifference(one: Dict, other: Dict, ignored: readonly string[]): Dict {
  const differences: Dict = new Map()
  for (const key of new Set([...one.keys(), ...other.keys()])) {
    if (ignored.includes(str(key))) continue
    const [old, now] = [one.get(key) ?? null, other.get(key) ?? null]
    if (!truthy(old) && !truthy(now)) continue
    if (key === 'IPAM' || key === 'Options') {
      const found = below(old, now)
      if (found.size > 0) differences.set(key, found)
    } else if (!equals(old, now)) differences.set(key, change(old, now))
  }
  return differences
}

const IP_SETTINGS = ['IPAddress', 'Gateway', 'GlobalIPv6Address', 'IPv6Gateway']

/** Networks that only one of two containers is in, or in another way. */
export function connectionDifference(one: Dict, other: Dict): Dict {
  const differences: Dict = new Map()
  const [first, second] = [one, other].map((container) => {
    const settings = container.get('NetworkSettings')
    const nets = isDict(settings ?? null) ? (settings as Dict).get('Networks') : null
    return isDict(nets ?? null) ? (nets as Dict) : new Map<Value, Value>()
  })
  for (const name of new Set([...first!.keys(), ...second!.keys()])) {
    const found = endpointDifference(first!.get(name) ?? null, second!.get(name) ?? null, one, other)
    if (found.size > 0) differences.set(name, found)
  }
  return differences
}

function own(value: Value, container: Dict): Value {
  if (!isList(value)) return value
  const hostname = (container.get('Config') as Dict | undefined)?.get('Hostname') ?? null
  const id = str(container.get('Id') ?? '').slice(0, 12)
  const rest = (value as Value[]).filter((alias) => alias !== hostname && alias !== id)
  return rest.length > 0 ? sorted(rest) : null
}

function endpointDifference(old: Value, now: Value, one: Dict, other: Dict): Dict {
  const found: Dict = new Map()
  const get = (endpoint: Value, key: string): Value => (isDict(endpoint) ? (endpoint.get(key) ?? null) : null)
  for (const key of ['Aliases', 'Links']) {
    const [first, second] = [own(get(old, key), one), own(get(now, key), other)]
    if ((truthy(first) || truthy(second)) && !equals(first, second)) found.set(key, change(first, second))
  }
  const [fixed, wanted] = [get(old, 'IPAMConfig'), get(now, 'IPAMConfig')]
  const mode = (endpoint: Value, config: Value): string =>
    !isDict(endpoint) ? 'not connected' : truthy(config) ? 'static' : 'automatic'
  const [before, after] = [mode(old, fixed), mode(now, wanted)]
  if (before === after) {
    if (before === 'static' && !equals(fixed, wanted)) found.set('IPAMConfig', change(fixed, wanted))
    return found
  }
  if (truthy(fixed) || truthy(wanted))
    found.set('IPAMConfig', change(truthy(fixed) ? fixed : null, truthy(wanted) ? wanted : null))
  for (const key of IP_SETTINGS) {
    const [first, second] = [
      before === 'automatic' ? get(old, key) : null,
      after === 'automatic' ? get(now, key) : null,
    ]
    if (truthy(first) || truthy(second))
      found.set(key, change(truthy(first) ? first : null, truthy(second) ? second : null))
  }
  if (!IP_SETTINGS.some((key) => found.has(key))) found.set('IPConfiguration', change(before, after))
  return found
}
