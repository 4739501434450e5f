import { describe, expect, it } from 'vitest'
import { minionOrigin } from '../bus/mod.ts'
import type { JobLedger } from '../store/mod.ts'
import { ToldEvents } from './told-events.ts'

const ret = (id: string, isKept = true): Parameters<ToldEvents['isUntold']>[1] => ({
  ...{ jid: '1', id, isKept, tag: `salt/job/1/ret/${id}` },
  ...{ data: new Map(), sender: minionOrigin(id) },
})

describe('Events of an earlier life', () => {
  const numbers: Record<string, number> = { old: 3, lost: 8 }
  const ledger = { returnNumber: (_jid: string, id: string) => numbers[id] } as unknown as JobLedger
  const from: number[] = []
  const journal = {
    *marks(number: number) {
      from.push(number)
      yield { mark: 'w.1', tag: 'salt/job/1/ret/told' }
      yield { mark: 'w.2', tag: 'shop/opened' }
    },
  }
  const told = new ToldEvents(journal, { ledger }, { event: 60_000, returned: 5 })

  it('are those of the journal from before the place that is sure', () => {
    expect(from).toEqual([10_000])
    expect([told.has('w.2'), told.has('w.3')]).toEqual([true, false])
  })

  it('count for a return under each of its records', () => {
    expect(told.isUntold('w.1', ret('told'), true)).toBe(false)
    expect(told.isUntold('w.9', ret('told'), true)).toBe(false)
  })

  it('leave a return to this life once', () => {
    expect([told.isUntold('w.4', ret('new'), true), told.isUntold('w.5', ret('new'), false)]).toEqual([true, false])
  })

  it('leave a return to this life whose event did not come to the journal', () => {
    expect([told.isUntold('w.6', ret('lost'), false), told.isUntold('w.7', ret('old'), false)]).toEqual([true, false])
  })

  it('let the event of a return that no store has be fired again', () => {
    expect(told.isUntold('w.8', ret('told', false), true)).toBe(true)
    expect(told.isUntold('w.1', ret('told', false), true)).toBe(false)
  })
})
