import { expect, test } from 'vitest'
import { ProgressLine } from './progress.ts'

function terminal(columns = 80) {
  const screen = { at: 0, written: [] as string[], columns: () => columns, now: () => screen.at, write }
  function write(text: string): void {
    screen.written.push(text)
  }
  return screen
}

const step = (done: number, label = 'test.nop: a') => ({ done, total: 120, label })

test('ProgressLine is silent in a short run', () => {
  const screen = terminal()
  const line = new ProgressLine(screen)
  screen.at = 999
  line.update(step(1))
  line.clear()
  expect(screen.written).toEqual([])
})

test('ProgressLine draws over itself, but not all the time', () => {
  const screen = terminal()
  const line = new ProgressLine(screen)
  for (const at of [1000, 1050, 65_000]) {
    screen.at = at
    line.update(step(at / 1000))
  }
  expect(screen.written).toEqual([
    '\r  1/120    0 %  0:01  test.nop: a\x1b[K',
    '\r 65/120   54 %  1:05  test.nop: a\x1b[K',
  ])
})

test('ProgressLine goes away before other output, once', () => {
  const screen = terminal()
  const line = new ProgressLine(screen, { after: 0 })
  line.update(step(1))
  line.clear()
  line.clear()
  expect(screen.written.slice(1)).toEqual(['\r\x1b[K'])
})

test('ProgressLine stays one line of the terminal, and labels cannot steer it', () => {
  const screen = terminal(30)
  const line = new ProgressLine(screen, { after: 0 })
  line.update(step(5, '\x1b[2Ja\nb 日本語 and more'))
  expect(screen.written).toEqual(['\r  5/120    4 %  0:00  ?[2Ja b\x1b[K'])
})

test('ProgressLine is shown on a terminal that does not report its width', () => {
  const screen = terminal(0)
  const line = new ProgressLine(screen, { after: 0 })
  line.update(step(5))
  expect(screen.written).toEqual(['\r  5/120    4 %  0:00  test.nop: a\x1b[K'])
})
