import { expect, it } from 'vitest'
import { guarded } from './guarded.ts'

it('logs errors and rejections of the work, and continues', async () => {
  const lines: string[] = []
  const log = (level: string, text: string): void => void lines.push(`${level}: ${text.split('\n')[0]}`)
  guarded(log, 'Looking', () => {
    throw new Error('no eyes')
  })()
  guarded(log, 'Asking', async (name: string) => {
    throw new Error(`nobody called ${name}`)
  })('web1')
  guarded(log, 'Resting', () => 1)()
  await Promise.resolve()
  expect(lines).toEqual(['error: Looking failed: Error: no eyes', 'error: Asking failed: Error: nobody called web1'])
})
