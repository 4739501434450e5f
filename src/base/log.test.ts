import { describe, expect, test } from 'vitest'
import { calmLog, consoleLog, isLogLevel, logText, shownText } from './log.ts'

describe('a console log', () => {
  test('prints what reaches its level, with the level first', () => {
    const lines: string[] = []
    const log = consoleLog('warning', (line) => lines.push(line))
    log('debug', 'no')
    log('warning', 'yes')
    log('critical', 'also')
    expect(lines).toEqual(['[WARNING ] yes\n', '[CRITICAL] also\n'])
  })

  test.each([
    ['no such user: x\n[CRITICAL] forged', 'no such user: x\n    [CRITICAL] forged'],
    ['a\r[ERROR   ] b\x07\x1b[2J\x9b1m\u2028c', 'a\\x0d[ERROR   ] b\\x07\\x1b[2J\\x9b1m\\u2028c'],
    ['Traceback:\n  File "x"\n\n\tindented', 'Traceback:\n  File "x"\n\n\tindented'],
    ['größer 日本 …', 'größer 日本 …'],
  ])('shows in %j no line that could be another message', (text, shown) => {
    const lines: string[] = []
    consoleLog('info', (line) => lines.push(line))('info', text)
    expect(lines).toEqual([`[INFO    ] ${shown}\n`])
    expect(logText(text)).toBe(shown)
  })

  test('prints nothing when quiet', () => {
    const lines: string[] = []
    consoleLog('quiet', (line) => lines.push(line))('critical', 'no')
    expect(lines).toEqual([])
  })

  test('knows its level names, and no inherited ones', () => {
    expect(isLogLevel('trace')).toBe(true)
    expect(isLogLevel('constructor')).toBe(false)
  })
})

describe('a calm log', () => {
  test('drops lines above the limit per second, and reports their number', () => {
    const lines: string[] = []
    let time = 0
    const log = calmLog((level, text) => lines.push(`${level}: ${text}`), { perSecond: 2, now: () => time })
    for (let i = 0; i < 5; i++) log('warning', `no ${i}`)
    log('info', 'still heard')
    time = 1000
    log('error', 'next')
    expect(lines).toEqual([
      'warning: no 0',
      'warning: no 1',
      'info: still heard',
      'warning: 3 further messages were left out: more than 2 came in a second',
      'error: next',
    ])
  })

  test('cuts lines that have no end', () => {
    const lines: string[] = []
    calmLog((_level, text) => lines.push(text), { longest: 5 })('info', 'x'.repeat(100))
    expect(lines).toEqual(['xxxxx…'])
  })

  test('shows text of strangers on one line', () => {
    expect(shownText('a\nb\u0007')).toBe('a\\x0ab\\x07')
  })
})
