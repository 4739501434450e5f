// Patches and server-side apply in a simple form: the owners of fields, by paths of keys.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type Fields = { [key: string]: Json }

export const isObject = (value: Json | undefined): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** JSON merge patch. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch
  const merged: Fields = isObject(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else merged[key] = mergePatch(merged[key], value)
  }
  return merged
}

/** Keys that identify items of lists, by the name of the list. */
const LIST_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  env: 'name',
  volumes: 'name',
  ports: 'port',
  taints: 'key',
}

const keyOf = (name: string, list: readonly Json[]): string | undefined => {
  const key =
    name === 'ports' && list.some((item) => isObject(item) && 'containerPort' in item)
      ? 'containerPort'
      : LIST_KEYS[name]
  return key !== undefined && list.every((item) => isObject(item) && key in item) ? key : undefined
}

/** Strategic merge patch: as a merge patch, with lists of named items merged by their keys. */
export function strategicPatch(target: Json | undefined, patch: Json, name = ''): Json {
  if (Array.isArray(patch)) {
    const old = Array.isArray(target) ? target : []
    const key = keyOf(name, patch)
    // the real one replaces taints as a whole for merge patches only
    if (key === undefined || keyOf(name, old) === undefined) return patch
    const merged = [...old]
    for (const item of patch as Fields[]) {
      const at = merged.findIndex((other) => isObject(other) && other[key] === item[key])
      if (at === -1) merged.push(item)
      else merged[at] = strategicPatch(merged[at], item)
    }
    return merged
  }
  if (!isObject(patch)) return patch
  const merged: Fields = isObject(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else merged[key] = strategicPatch(merged[key], value, key)
  }
  return merged
}

interface Operation {
  op: string
  path: string
  value?: Json
}

/** JSON patch: add, replace and remove. */
export function jsonPatch(target: Fields, operations: readonly Operation[]): Fields {
  const whole = structuredClone(target)
  for (const { op, path, value } of operations) {
    const parts = path
      .slice(1)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    const last = parts.pop()!
    let place: Json = whole
    for (const part of parts) place = (Array.isArray(place) ? place[Number(part)] : (place as Fields)[part]) ?? {}
    if (Array.isArray(place))
      place.splice(
        last === '-' ? place.length : Number(last),
        op === 'add' ? 0 : 1,
        ...(op === 'remove' ? [] : [value!]),
      )
    else if (op === 'remove') delete (place as Fields)[last]
    else (place as Fields)[last] = value!
  }
  return whole
}

/** Paths of the leaves of an object; items of keyed lists are named by their key. */
export function leaves(value: Json, path: readonly string[] = [], name = ''): string[] {
  if (isObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, item]) => leaves(item, [...path, `f:${key}`], key))
  }
  const key = Array.isArray(value) && value.length > 0 ? keyOf(name, value) : undefined
  if (Array.isArray(value) && key !== undefined) {
    return value.flatMap((item) => leaves(item, [...path, `k:${JSON.stringify({ [key]: (item as Fields)[key]! })}`]))
  }
  return [JSON.stringify(path)]
}

const inList = (part: string): [string, Json] =>
  Object.entries(JSON.parse(part.slice(2)) as Fields)[0]! as [string, Json]

/** Return the value at a path; undefined where there is none. */
export function valueAt(target: Json | undefined, path: readonly string[]): Json | undefined {
  let place = target
  for (const part of path) {
    if (part.startsWith('f:')) place = isObject(place) ? place[part.slice(2)] : undefined
    else {
      const [key, wanted] = inList(part)
      place = Array.isArray(place) ? place.find((item) => isObject(item) && item[key] === wanted) : undefined
    }
    if (place === undefined) return undefined
  }
  return place
}

/** Remove the value at a path, and the parents that are then empty. */
export function removeAt(target: Json | undefined, [part, ...rest]: readonly string[]): void {
  if (part === undefined || target === undefined || target === null) return
  if (part.startsWith('f:') && isObject(target)) {
    const name = part.slice(2)
    if (rest.length === 0) delete target[name]
    else removeAt(target[name], rest)
    const left = target[name]
    if (
      rest.length > 0 &&
      ((isObject(left) && Object.keys(left).length === 0) || (Array.isArray(left) && left.length === 0))
    )
      delete target[name]
  } else if (part.startsWith('k:') && Array.isArray(target)) {
    const [key, wanted] = inList(part)
    const at = target.findIndex((item) => isObject(item) && item[key] === wanted)
    if (at === -1) return
    removeAt(target[at], rest)
    // an item of which only its key is left goes with it
    if (Object.keys(target[at] as Fields).length === 0) target.splice(at, 1)
  }
}

/** Return paths in the form of `fieldsV1`. */
export function fieldsV1(paths: Iterable<string>): Fields {
  const whole: Fields = {}
  for (const path of paths) {
    let place = whole
    for (const part of JSON.parse(path) as string[]) {
      place[part] ??= {}
      place = place[part] as Fields
    }
  }
  return whole
}

/** Return a path as messages about conflicts show it. */
export const shownPath = (path: string): string =>
  (JSON.parse(path) as string[])
    .map((part) => {
      if (part.startsWith('f:')) return `.${part.slice(2)}`
      const [key, value] = inList(part)
      return `[${key}=${JSON.stringify(value)}]`
    })
    .join('')
