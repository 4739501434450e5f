import { expect, test } from 'vitest'
import { heldWhileAnswered, Intake } from './intake.ts'

test('an intake closes only the connection that holds most when too much is held', () => {
  const cut: string[] = []
  const holder = (name: string) => ({ overflow: () => cut.push(name) })
  const intake = new Intake(1000)
  const [greedy, modest, late] = [holder('greedy'), holder('modest'), holder('late')]
  intake.change(greedy, 800)
  intake.change(modest, 100)
  intake.change(late, 150)
  expect(cut).toEqual(['greedy'])
  expect(intake.bytes).toBe(250)
  // the bytes are released when the connection ends
  intake.change(greedy, -800)
  intake.change(modest, -100)
  intake.forget(late)
  expect(intake.bytes).toBe(0)
})

test('strangers share a smaller part, and are cut off among themselves', () => {
  const cut: string[] = []
  const intake = new Intake(1000, 300)
  const holder = (name: string, isStranger: boolean) => ({
    overflow: () => cut.push(name),
    isStranger: () => isStranger,
  })
  const [minion, one, two] = [holder('minion', false), holder('one', true), holder('two', true)]
  intake.change(minion, 600)
  intake.change(one, 200)
  intake.change(two, 90)
  expect(cut).toEqual([])
  intake.change(two, 20)
  expect(cut).toEqual(['one'])
  intake.change(two, -110)
  intake.change(two, 250)
  expect([cut, intake.bytes]).toEqual([['one'], 850])
})

test('an intake closes a connection that alone exceeds the limit', () => {
  const intake = new Intake(1000)
  let isCut = false
  intake.change({ overflow: () => (isCut = true) }, 1001)
  expect(isCut).toBe(true)
  expect(intake.bytes).toBe(0)
})

test('a request holds its values and an answer of its length while it is answered, unless it is short', () => {
  expect(heldWhileAnswered(100, 20)).toBe(0)
  expect(heldWhileAnswered(10_000, 5000)).toBe(2 * 10_000 + 5000 * 64)
})
