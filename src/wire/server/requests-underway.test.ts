import { expect, it } from 'vitest'
import { RequestsUnderway } from './requests-underway.ts'

it('a minion has so many values under way, and others have theirs', () => {
  const requests = new RequestsUnderway(1000)
  const first = requests.begin('web1')
  first.spend(700)
  expect([first.isCounted, requests.begin('web1').left, requests.begin('db1').left]).toEqual([true, 300, 1000])
  const second = requests.begin('web1')
  second.spend(300)
  expect(requests.begin('web1').left).toBe(0)
  first.end()
  expect(requests.begin('web1').left).toBe(700)
  // an answer ends once
  first.end()
  second.end()
  expect(requests.begin('web1').left).toBe(1000)
})

it('a small request does not count', () => {
  const requests = new RequestsUnderway(1000)
  const small = requests.begin('web1')
  small.spend(20)
  expect([small.isCounted, requests.begin('web1').left]).toEqual([false, 1000])
})
