// Enables, disables and resets beacons.
import { contains, type Dict, isDict, isList, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { askBeacons, beaconsIn, currentBeacons, type Given, notDone, report } from './asking.ts'

const isTest = (given: Given): boolean => truthy(given.get('test') ?? false)
const saysEnabled = (config: Value, on: boolean): boolean =>
  config instanceof Map && config.has('enabled') && truthy(config.get('enabled')!) === on

export async function switchAll(ctx: FunctionContext, given: Given, on: boolean): Promise<Dict> {
  const word = on ? 'enable' : 'disable'
  if (isTest(given)) return report(true, `Beacons would be ${word}d.`)
  const beacons = beaconsIn(await askBeacons(ctx, { func: word }, `beacons_${word}d_complete`, given))
  if (beacons === undefined) return report(true, [])
  if (!saysEnabled(beacons, on)) return report(false, `Failed to ${word} beacons on minion.`)
  return report(true, `${on ? 'Enabled' : 'Disabled'} beacons on minion.`)
}

/** Merge the options of a beacon, a list of dicts, into one dict. */
const merged = (config: Value): Value =>
  isList(config) ? new Map(config.filter(isDict).flatMap((part) => [...part])) : config

export async function switchBeacon(ctx: FunctionContext, name: string, given: Given, on: boolean): Promise<Dict> {
  const word = on ? 'enable' : 'disable'
  if (!name) return report(false, 'Beacon name is required.')
  if (isTest(given)) return report(true, on ? `Beacon ${name} would be enabled.` : 'Beacons would be disabled.')
  if (!contains(await currentBeacons(ctx, given), name)) {
    return report(false, `Beacon ${name} is not currently configured.`)
  }
  const answer = await askBeacons(ctx, { func: `${word}_beacon`, name }, `beacon_${word}d_complete`, given)
  if (answer === undefined) return report(true, [])
  const beacons = beaconsIn(answer)
  if (beacons === undefined) return notDone(answer, `${word}d complete`, given)
  const config = beacons instanceof Map ? merged(beacons.get(name) ?? null) : null
  if (saysEnabled(config, on)) return report(true, `${on ? 'Enabled' : 'Disabled'} beacon ${name} on minion.`)
  return report(false, on ? `Failed to enable beacon ${name} on minion.` : 'Failed to disable beacon on minion.')
}

export async function resetBeacons(ctx: FunctionContext, given: Given): Promise<Dict> {
  if (isTest(given)) return report(true, 'Beacons would be reset.')
  const answer = await askBeacons(ctx, { func: 'reset' }, 'beacon_reset_complete', given)
  if (answer === undefined) return report(true, [])
  return answer && truthy(answer.get('complete') ?? false)
    ? report(true, 'Beacon configuration reset.')
    : notDone(answer, 'reset', given)
}
