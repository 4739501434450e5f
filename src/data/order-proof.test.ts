import { expect, test } from 'vitest'
import { isProven, orderProof } from './order-proof.ts'
import type { Dict } from './value.ts'

const TAG = 'salt/run/1/salt/reactors/manage/add'
const order = (key?: string): Dict =>
  new Map([['event', 'my/tag'], ...(key === undefined ? [] : [['key', key]])] as [string, string][])

test.each([
  ['its proof', 'secret', order(orderProof('secret', TAG, order())), true],
  ['the key itself, as in Salt', 'secret', order('secret'), true],
  ['another key', 'secret', order('other'), false],
  ['no key', 'secret', order(), false],
  ['an empty key, where the master has none', '', order(''), false],
  ['a proof with an empty key, where the master has none', '', order(orderProof('', TAG, order())), false],
])('an order with %s', (_what, key, data, isAllowed) => {
  expect(isProven(key, TAG, data)).toBe(isAllowed)
})
