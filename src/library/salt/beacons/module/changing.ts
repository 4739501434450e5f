// Adds, changes and removes beacons.
import {
  contains,
  type Dict,
  equals,
  iterate,
  PyError,
  str,
  truthy,
  unifiedDiff,
  type Value,
} from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { askBeacons, beaconsIn, currentBeacons, type Given, notDone, report } from './asking.ts'

const isTest = (given: Given): boolean => truthy(given.get('test') ?? false)

/** Return the module of a beacon: `beacon_module` in its data, or its name. */
function kindOf(name: string, data: Value): Value {
  for (const item of iterate(data)) {
    if (contains(item, 'beacon_module')) return item instanceof Map ? item.get('beacon_module')! : item
  }
  return name
}

/** Return the reason why the minion refuses the data, or undefined. */
async function invalid(
  ctx: FunctionContext,
  name: string,
  data: Value,
  given: Given,
  verb: string,
): Promise<Dict | undefined> {
  const request = { name, beacon_data: data, func: 'validate_beacon' }
  const answer = await askBeacons(ctx, request, 'beacon_validation_complete', given)
  if (!answer) {
    const message = "cannot access local variable 'valid' where it is not associated with a value"
    throw new PyError('UnboundLocalError', message, { hint: 'No minion is running here' })
  }
  if (truthy(answer.get('valid') ?? false)) return undefined
  const why = str(answer.get('vcomment') ?? null)
  return report(false, `Beacon ${name} configuration invalid, not ${verb}.\n${why}`)
}

export async function addBeacon(ctx: FunctionContext, name: string, data: Value, given: Given): Promise<Dict> {
  if (contains(await currentBeacons(ctx, given), name)) {
    return report(true, `Beacon ${name} is already configured.`)
  }
  const kind = kindOf(name, data)
  const available = await ctx.call('beacons.list_available', [], { return_yaml: false })
  if (!contains(available, kind)) return report(false, `Beacon "${str(kind)}" is not available.`)
  if (isTest(given)) return report(true, `Beacon: ${name} would be added.`)
  const refused = await invalid(ctx, name, data, given, 'adding')
  if (refused !== undefined) return refused
  const answer = await askBeacons(ctx, { name, beacon_data: data, func: 'add' }, 'beacon_add_complete', given)
  const failed = report(false, `Failed to add beacon ${name}.`)
  if (answer === undefined) return failed
  const beacons = beaconsIn(answer)
  if (beacons === undefined) return notDone(answer, 'add complete', given)
  const held = beacons instanceof Map ? beacons.get(name) : undefined
  const taken = held !== undefined && [...iterate(data)].every((item) => contains(held, item))
  return taken ? report(true, `Added beacon: ${name}.`) : failed
}

const linesOf = (items: Value): string[] =>
  [...iterate(items)].flatMap((item) => [...(item as Dict)].map(([key, value]) => `${str(key)}:${str(value)}\n`))

export async function modifyBeacon(ctx: FunctionContext, name: string, data: Value, given: Given): Promise<Dict> {
  const current = await currentBeacons(ctx, given)
  if (!contains(current, name)) return report(true, `Beacon ${name} is not configured.`)
  if (isTest(given)) return report(true, `Beacon: ${name} would be modified.`)
  const refused = await invalid(ctx, name, data, given, 'modifying')
  if (refused !== undefined) return refused
  const held = current instanceof Map ? current.get(name)! : null
  if (equals(held, data)) return report(true, `Job ${name} in correct state`)
  const diff = unifiedDiff(linesOf(held), linesOf(data)).join('')
  const changes = new Map<Value, Value>([['diff', diff]])
  const answer = await askBeacons(ctx, { name, beacon_data: data, func: 'modify' }, 'beacon_modify_complete', given)
  if (answer === undefined) return report(true, '').set('changes', changes)
  const beacons = beaconsIn(answer)
  if (beacons === undefined) return notDone(answer, 'modify complete ', given).set('changes', changes)
  const now = beacons instanceof Map ? beacons.get(name) : undefined
  const taken = now !== undefined && equals(now, data)
  return report(true, taken ? `Modified beacon: ${name}.` : '').set('changes', changes)
}

export async function deleteBeacon(ctx: FunctionContext, name: string, given: Given): Promise<Dict> {
  if (isTest(given)) return report(true, `Beacon: ${name} would be deleted.`)
  const answer = await askBeacons(ctx, { name, func: 'delete' }, 'beacon_delete_complete', given)
  const failed = report(false, `Failed to delete beacon ${name}.`)
  if (answer === undefined) return failed
  const beacons = beaconsIn(answer)
  if (beacons === undefined) return notDone(answer, 'delete complete', given)
  return contains(beacons, name) ? failed : report(true, `Deleted beacon: ${name}.`)
}
