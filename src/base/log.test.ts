import { describe, expect, test } from 'vitest'
import { consoleLog, isLogLevel } from './log.ts'

describe('a console log', () => {
  test('prints what reaches its level, with the level first', () => {
    const lines: string[] = []
    const log = consoleLog('warning', (line) => lines.push(line))
    log('debug', 'no')
    log('warning', 'yes')
    log('critical', 'also')
    expect(lines).toEqual(['[WARNING ] yes\n', '[CRITICAL] also\n'])
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
