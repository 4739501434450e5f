import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { silentLog } from '../base/mod.ts'
import type { Value } from '../data/mod.ts'
import { MinionsBack } from './minions-back.ts'

function site(before: Value | undefined, patience: number) {
  const publications = { reached: 0 }
  const kept = new Map<string, Value>(before === undefined ? [] : [['connected', before]])
  const bank = {
    fetch: (key: string) => kept.get(key),
    store: (key: string, value: Value) => void kept.set(key, value),
  }
  const lines: string[] = []
  const log = (level: string, text: string): void => void lines.push(`${level}: ${text}`)
  return { publications, kept, lines, back: new MinionsBack({ publications, bank, patience, log }) }
}

it('Jobs wait until as many minions listen as before the last end', async () => {
  const { publications, kept, lines, back } = site(5, 60)
  let isOver = false
  void back.soon.then(() => {
    isOver = true
  })
  publications.reached = 4
  await sleep(100)
  expect(isOver).toBe(false)
  publications.reached = 5
  await Promise.all([back.soon, back.all])
  back.close()
  expect([kept.get('connected'), lines]).toEqual([5, []])
})

it('Jobs wait no longer than their limit, and the log reports the number of missing minions', async () => {
  const { publications, lines, back } = site(5, 0.05)
  publications.reached = 3
  await back.soon
  back.close()
  expect(lines).toEqual(["warning: 2 of 5 minions have not reconnected within 0.05 s of the master's start"])
})

it('A master that ends before all minions were back expects all of them at its next start, also when it waited for long', async () => {
  const { publications, kept, back } = site(5, 0.05)
  publications.reached = 3
  await back.soon
  // until the number was looked at
  await sleep(600)
  back.close()
  expect(kept.get('connected')).toBe(5)
})

it.each([[undefined], [0], ['five'], [-1]])('A master that knows %j minions does not wait', async (before) => {
  const { publications, kept, back } = site(before, 60)
  await back.soon
  publications.reached = 7
  back.close()
  expect(kept.get('connected')).toBe(7)
})

it('A master that ends while minions come back still expects all of them at its next start', async () => {
  const { publications, kept, back } = site(5, 60)
  publications.reached = 1
  back.close()
  await back.soon
  expect(kept.get('connected')).toBe(5)
})

it('A number that cannot be read or written keeps no master from starting', async () => {
  const fail = (): never => {
    throw new Error('no space left')
  }
  const back = new MinionsBack({
    publications: { reached: 1 },
    bank: { fetch: fail, store: fail },
    patience: 60,
    log: silentLog,
  })
  await back.soon
  back.close()
})
