import { expect, it } from 'vitest'
import { lookup } from './lookup.ts'

it('has the names that were given and no others', () => {
  const table = lookup({ web: 80 })
  expect(table['web']).toBe(80)
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    expect(table[name]).toBeUndefined()
    expect(name in table).toBe(false)
  }
})
