import { expect, it } from 'vitest'
import { minionsBack } from './minions-back.ts'

it('Minions are back when all that come have come', async () => {
  const publications = { subscribers: 0 }
  const coming = setInterval(() => {
    if (++publications.subscribers === 5) clearInterval(coming)
  }, 100)
  await minionsBack(publications, { calmMs: 1000, mostMs: 60_000 })
  expect(publications.subscribers).toBe(5)
})

it('A master without minions does not wait for ever', async () => {
  await minionsBack({ subscribers: 0 }, { calmMs: 10, mostMs: 100 })
})
