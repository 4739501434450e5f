import { expect, test } from 'vitest'
import { Intake } from './intake.ts'

test('an intake cuts off whoever holds most when too much is held, and nobody else', () => {
  const cut: string[] = []
  const holder = (name: string) => ({ overflow: () => cut.push(name) })
  const intake = new Intake(1000)
  const [greedy, modest, late] = [holder('greedy'), holder('modest'), holder('late')]
  intake.change(greedy, 800)
  intake.change(modest, 100)
  intake.change(late, 150)
  expect(cut).toEqual(['greedy'])
  expect(intake.bytes).toBe(250)
  // it lets go of what it held when its connection ends
  intake.change(greedy, -800)
  intake.change(modest, -100)
  intake.forget(late)
  expect(intake.bytes).toBe(0)
})

test('an intake cuts off one that alone wants more than there is', () => {
  const intake = new Intake(1000)
  let isCut = false
  intake.change({ overflow: () => (isCut = true) }, 1001)
  expect(isCut).toBe(true)
  expect(intake.bytes).toBe(0)
})
