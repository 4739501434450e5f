import { expect, test } from 'vitest'
import { tellLimit } from './limits.ts'

function told(accepted: number, files: number): string[] {
  const lines: string[] = []
  tellLimit(accepted, true, (level, text) => void lines.push(`${level}: ${text}`), files)
  return lines
}

test('A master logs how many minions its limit of open files permits, and warns about a low limit', () => {
  const advice = 'Raise LimitNOFILE of the unit, or ulimit -n'
  expect(told(3, 1024)).toEqual([
    `warning: The limit of 1024 open files carries about 717 minions, 3 are accepted. ${advice}`,
  ])
  expect(told(3, 20_000)).toEqual(['info: The limit of 20000 open files carries about 15181 minions, 3 are accepted'])
  expect(told(14_000, 20_000)[0]).toMatch(/^warning: .*14000 are accepted\. Raise/)
  expect(told(3, Number.POSITIVE_INFINITY)).toEqual([])
})
