import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StorageError } from '../base/mod.ts'
import { StorageWatch, type WatchOptions } from './storage-watch.ts'

let folder: string
let watch: StorageWatch
let lines: string[]
let events: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-watch-'))
  lines = []
  events = []
})
afterEach(() => {
  watch.close()
  rmSync(folder, { recursive: true })
})

function open(more: Partial<WatchOptions> = {}): void {
  watch = new StorageWatch({
    log: (level, text) => void lines.push(`${level}: ${text}`),
    fire: (moment, data) => void events.push(`${moment} ${data.get('code')} ${data.get('failures')}`),
    lookMs: 20,
    ...more,
  })
}

const refused = (code: string): Error => Object.assign(new Error(code), { code })

const fail = (code: string, file: string): void => {
  const work = (): never => {
    throw refused(code)
  }
  expect(() => watch.storing(join(folder, file), work)).toThrow(StorageError)
}

describe('the watch over storage', () => {
  it('reports a failing disk once, however many errors there are, and its recovery once', async () => {
    open()
    fail('ENOSPC', 'jobs.db')
    fail('SQLITE_FULL', 'jobs.db')
    fail('ENOSPC', 'not/there/grains.p')
    expect(lines).toEqual([
      `error: Cannot write ${join(folder, 'jobs.db')}: no space left on the disk. Free space on that disk`,
    ])
    expect(events).toEqual(['failed StorageFull 1'])
    await expect.poll(() => events).toEqual(['failed StorageFull 1', 'recovered StorageFull 3'])
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain(`warning: ${folder} can be written again: 3 operations failed`)
    expect(watch.current).toEqual([])
    expect(readdirSync(folder)).toEqual([])
  })

  it('repeats the report while the failure lasts', async () => {
    open({ againMs: 30 })
    mkdirSync(join(folder, 'gone'))
    fail('EIO', 'gone/jobs.db')
    rmSync(join(folder, 'gone'), { recursive: true })
    await expect
      .poll(() => lines.filter((line) => line.includes('operations have failed since')).length)
      .toBeGreaterThan(1)
    expect(events).toEqual(['failed StorageFailed 1'])
    mkdirSync(join(folder, 'gone'))
    await expect.poll(() => events).toHaveLength(2)
  })

  it('counts a damaged database as damaged, whatever its disk takes', async () => {
    open({ againMs: 30 })
    fail('SQLITE_CORRUPT', 'jobs.db')
    await expect.poll(() => lines.length).toBeGreaterThan(1)
    expect(watch.current.map(({ code }) => code)).toEqual(['StorageDamaged'])
  })

  it('names errors of promises too, and lets others pass', async () => {
    open()
    await expect(watch.storing(folder, () => Promise.reject(refused('EMFILE')))).rejects.toThrow(StorageError)
    await expect(watch.storing(folder, () => Promise.reject(new TypeError('x')))).rejects.toThrow(TypeError)
    expect(watch.storing(folder, () => existsSync(folder))).toBe(true)
    expect(watch.current.map(({ code }) => code)).toEqual(['TooManyFiles'])
  })
})
