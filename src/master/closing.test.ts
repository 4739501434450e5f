import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { closeAll } from './closing.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('The parts of a master are closed in reverse order, although one fails and one never ends', async () => {
  const closed: string[] = []
  const lines: string[] = []
  const part = (name: string) => () => void closed.push(name)
  const failing = () => {
    throw new Error('the disk is full')
  }
  const endless = () => new Promise<void>(() => {})
  const done = closeAll(
    [part('store'), failing, endless, part('port')],
    (level, text) => void lines.push(`${level}: ${text}`),
  )
  await vi.advanceTimersByTimeAsync(20_000)
  await done
  expect(closed).toEqual(['port', 'store'])
  expect(lines).toEqual([
    expect.stringMatching(/^error: Closing a part of the master failed: .* takes longer than 20 seconds$/),
    'error: Closing a part of the master failed: the disk is full',
  ])
})
