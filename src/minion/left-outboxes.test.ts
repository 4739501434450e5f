import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { settleOutboxes } from './left-outboxes.ts'

let cachedir: string
let lines: string[]
beforeEach(() => {
  cachedir = mkdtempSync(join(tmpdir(), 'brine-outboxes-'))
  lines = []
})
afterEach(() => rmSync(cachedir, { recursive: true }))

function put(folder: string, name: string, days = 0): void {
  mkdirSync(join(cachedir, folder), { recursive: true })
  writeFileSync(join(cachedir, folder, name), '')
  const time = Date.now() / 1000 - days * 86_400
  utimesSync(join(cachedir, folder, name), time, time)
}

const settle = (used: string[], moved: Array<[string, string]> = []): void =>
  settleOutboxes({ cachedir, used: new Set(used), moved, log: (level, text) => void lines.push(`${level}: ${text}`) })

it('Returns for a former master are logged and stay a week; others are unchanged', () => {
  put('outbox-a', '1.p', 30)
  put('outbox-b', '1.p', 6)
  put('outbox-b', '2.p', 8)
  put('outbox-c', '1.p', 8)
  put('files', '1.p', 8)
  settle(['outbox-a'])
  const [b, c] = [join(cachedir, 'outbox-b'), join(cachedir, 'outbox-c')]
  expect(lines.sort()).toEqual([
    `warning: 1 returns in ${b} are not sent: their master is not in the configuration any more`,
    `warning: Removed 1 returns of a former master from ${b} after a week`,
    `warning: Removed 1 returns of a former master from ${c} after a week`,
  ])
  expect(readdirSync(cachedir).sort()).toEqual(['files', 'outbox-a', 'outbox-b'])
  expect(readdirSync(b)).toEqual(['1.p'])
})

it('A master that becomes the only one gets the returns that waited for it as one of several', () => {
  put('outbox-a', '1.p', 30)
  settle(['outbox'], [['outbox-a', 'outbox']])
  expect(readdirSync(join(cachedir, 'outbox'))).toEqual(['1.p'])
  expect(existsSync(join(cachedir, 'outbox-a'))).toBe(false)
  expect(lines).toEqual([])
})
