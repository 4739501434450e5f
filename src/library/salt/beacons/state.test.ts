import { expect, test } from 'vitest'
import { fromPlain, toPlain } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import beacon from './state.ts'

const others = {
  'beacons.list': () => fromPlain({ ps: [] }),
  'beacons.enable_beacon': () => fromPlain({ result: true, comment: 'Enabled beacon ps on minion.' }),
  'beacons.disable_beacon': () => fromPlain({ result: false, comment: 'Failed to disable beacon on minion.' }),
}

test.each<[fun: string, name: string, result: boolean, comment: string]>([
  ['enabled', 'ps', true, 'Enabled ps from beacons'],
  ['enabled', 'load', true, 'load not a configured beacon'],
  ['disabled', 'ps', false, 'Failed to disable beacon on minion.'],
  ['disabled', 'load', true, 'Job load is not configured.'],
])('beacon.%s %s', async (fun, name, result, comment) => {
  const report = toPlain(await tryState(beacon, fun, { kwargs: { name }, others }))
  expect(report).toEqual({ name, result, changes: {}, comment })
})
