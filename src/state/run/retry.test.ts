import { expect, test } from 'vitest'
import { pauseOf } from './retry.ts'

test('a pause has no splay below nothing', () => {
  expect(pauseOf({ until: true, attempts: 2, interval: 3, splay: -1 })).toBe(3)
})
