import { describe, expect, test } from 'vitest'
import { checkSizes } from './check-sizes.ts'

const file = (path: string, lines: number) => ({ path, text: 'x\n'.repeat(lines) })

describe('the size checker', () => {
  test('refuses a file past the cap and nothing at it', () => {
    const report = checkSizes([file('src/a.ts', 600), file('src/b.ts', 601)], {})
    expect(report.problems).toEqual(['src/b.ts: 601 lines, the cap is 600'])
  })

  test('lets an exempt table grow, and refuses an exemption without a file', () => {
    const exempt = { 'src/table.ts': 'a table', 'src/gone.ts': 'a table' }
    expect(checkSizes([file('src/table.ts', 900)], exempt).problems).toEqual([
      'src/gone.ts: is exempt from the size cap but not there',
    ])
  })

  test('reports median and p90 of the code without its tests', () => {
    const files = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110].map((n) => file(`src/${n}.ts`, n))
    expect(checkSizes([...files, file('src/x.test.ts', 500)]).summary).toBe(
      '11 files, lines: median 60, p90 100, largest 110',
    )
  })
})
