import { expect, it } from 'vitest'
import type { Dict, Value } from '../../../../data/mod.ts'
import type { BusMessage, StateContext } from '../../../../sdk/mod.ts'
import { waitForEvent } from './wait.ts'

type Origin = BusMessage['origin']

const MASTER: Origin = { kind: 'master', name: 'm', proof: 'process' }
const minion = (name: string): Origin => ({ kind: 'minion', name, proof: 'session' })
const told = (origin: Origin, data: Record<string, Value>): BusMessage => {
  return { tag: 'ready', data: new Map(Object.entries(data)) as Dict, origin }
}

async function seen(event_id: string, id_list: string[], ...events: BusMessage[]): Promise<unknown> {
  const master = {
    events: async function* () {
      yield* events
    },
  }
  const ctx = { opts: new Map(), master } as unknown as StateContext
  const { result, changes } = await waitForEvent(ctx, { name: 'ready', id_list, event_id, timeout: 60 })
  return [result, (changes as { minions_seen?: Value }).minions_seen]
}

it('An event counts for the minion that fired it, whatever its data claim', async () => {
  const forged = told(minion('evil'), { id: 'db1', data: new Map([['id', 'db1']]) })
  expect(await seen('id', ['db1'], forged)).toEqual([false, undefined])
  expect(await seen('id', ['db1'], forged, told(minion('db1'), {}))).toEqual([true, ['db1']])
})

it('Events of the master, and values that a minion sends along, count by their data', async () => {
  expect(await seen('id', ['a'], told(MASTER, { id: 'a' }))).toEqual([true, ['a']])
  expect(await seen('name', ['x'], told(minion('db1'), { data: new Map([['name', 'x']]) }))).toEqual([true, ['x']])
})
