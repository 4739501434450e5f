import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { encodeMsgpack, type Value } from '../../data/mod.ts'
import { decodeEvent, framePacked } from '../../wire/mod.ts'
import { BusEvent } from '../event-bus.ts'
import { minionOrigin, UNKNOWN } from '../origin.ts'
import { packGroup } from './format.ts'
import { EventJournal, type JournalSettings } from './journal.ts'
import { readBackward, readForward } from './segments.ts'

let folder: string
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'brine-journal-')), 'events')
})
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }))

const WEB1 = minionOrigin('web1')

const event = (number: number, data: Record<string, Value> = {}, isKept = false): BusEvent =>
  new BusEvent(WEB1, isKept ? 'salt/job/1/ret/web1' : `e/${number}`, new Map(Object.entries(data)), number, { isKept })

async function write(from: number, to: number, settings: Partial<JournalSettings> = {}): Promise<EventJournal> {
  const journal = new EventJournal({ folder, ...settings })
  for (let number = from; number <= to; number++) {
    journal.take(event(number, { text: 'x'.repeat(200) }))
    if (number % 5 === 0) await journal.flush()
  }
  return journal
}

/** Copy the files as they are now, as if the process had crashed here. */
async function crash(journal: EventJournal): Promise<void> {
  await journal.flush()
  const files = readdirSync(folder).map((name) => join(folder, name))
  const left = files.map((file) => readFileSync(file))
  await journal.close()
  for (const [index, file] of files.entries()) writeFileSync(file, left[index]!)
}

const numbers = (events: Iterable<{ number: number }>): number[] => [...events].map(({ number }) => number)
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('an event journal', () => {
  it('gives events from a number on, from a time on, and back from the end', async () => {
    const before = Date.now()
    await (await write(1, 23)).close()
    expect(numbers(readForward(folder, { number: 7 }))).toEqual(range(7, 23))
    expect(numbers(readForward(folder, { number: 7 }, { upTo: 12 }))).toEqual(range(7, 12))
    expect(numbers(readForward(folder, { time: before }))).toEqual(range(1, 23))
    expect(numbers(readForward(folder, { time: Date.now() + 1000 }))).toEqual([])
    expect(numbers(readBackward(folder)).slice(0, 3)).toEqual([23, 22, 21])
    expect(numbers(readBackward(folder, { containing: 'e/9' }))).toEqual([10, 9, 8, 7, 6])
    const [first] = readForward(folder, { number: 3 })
    expect(decodeEvent(first!.body)).toEqual({ tag: 'e/3', data: new Map([['text', 'x'.repeat(200)]]) })
  })

  it('writes events after the disk accepts them again, once and in order', async () => {
    const lines: string[] = []
    const journal = new EventJournal({ folder, log: (_level, text) => lines.push(text) })
    rmSync(folder, { recursive: true })
    writeFileSync(folder, '')
    for (const number of range(1, 3)) {
      journal.take(event(number))
      expect(await journal.flush()).toBe(false)
    }
    expect(journal.lag).toBe(3)
    rmSync(folder)
    mkdirSync(folder)
    journal.take(event(4))
    expect(await journal.flush()).toBe(true)
    expect(await journal.flush()).toBe(true)
    expect(journal.lag).toBe(0)
    await journal.close()
    expect(numbers(readForward(folder, { number: 1 }))).toEqual(range(1, 4))
    expect(journal.totalLost).toBe(0)
    expect(lines).toEqual([expect.stringMatching(/^Cannot write events to their journal: /)])
  })

  it('says how many events it lacks when it is closed without a disk', async () => {
    const lines: string[] = []
    const journal = new EventJournal({ folder, log: (_level, text) => lines.push(text) })
    rmSync(folder, { recursive: true })
    writeFileSync(folder, '')
    for (const number of range(1, 3)) journal.take(event(number))
    await journal.close()
    expect(journal.totalLost).toBe(3)
    expect(lines.at(-1)).toBe('The event journal lacks 3 events')
  })

  it('goes on with its numbers when it was closed in order, and leaves some out after a crash', async () => {
    await (await write(1, 8)).close()
    const journal = new EventJournal({ folder })
    expect(journal.last).toBe(8)
    journal.take(event(9))
    await crash(journal)
    const after = new EventJournal({ folder })
    expect(after.last).toBeGreaterThan(9)
    after.take(event(after.last + 1))
    await after.close()
    expect(numbers(readForward(folder, { number: 1 }))).toEqual([...range(1, 9), after.last + 1])
  })

  it('truncates half-written data, wherever the crash was', async () => {
    await crash(await write(1, 10))
    const file = join(folder, readdirSync(folder)[0]!)
    const whole = readFileSync(file)
    for (const cut of [1, 39, 45, 900]) {
      writeFileSync(file, whole.subarray(0, whole.length - cut))
      expect(new EventJournal({ folder }).last).toBeGreaterThan(10)
      expect(numbers(readForward(folder, { number: 1 }))).toEqual(range(1, 5))
    }
    writeFileSync(file, whole)
    appendFileSync(file, 'rubbish at the end that is longer than the head of a group would be')
    expect(new EventJournal({ folder }).last).toBeGreaterThan(10)
    expect(statSync(file).size).toBe(whole.length)
  })

  it('keeps no more than it may, in files of its own', async () => {
    await (await write(1, 400, { maxBytes: 40_000 })).close()
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)))
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(50_000)
    expect(sizes.map(({ mode }) => mode & 0o777)).toEqual(sizes.map(() => 0o600))
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(numbers(readForward(folder, { number: 1 })).at(-1)).toBe(400)
    const journal = new EventJournal({ folder, maxAgeSeconds: 60 })
    journal.prune(Date.now() + 61_000)
    expect(readdirSync(folder).length).toBe(1)
    await journal.close()
  })

  it('keeps the origin of each event, and reads journals that have none', async () => {
    await (await write(1, 2)).close()
    expect([...readForward(folder, { number: 1 })].map(({ origin }) => origin)).toEqual([WEB1, WEB1])
    const old = framePacked('e/3', encodeMsgpack(new Map(), 'bus'))
    appendFileSync(join(folder, readdirSync(folder)[0]!), packGroup([old], { first: 3, from: 1, to: 2 }))
    const [found] = readForward(folder, { number: 3 })
    expect(found).toMatchObject({ tag: 'e/3', origin: UNKNOWN })
  })

  it('refers to a large return that the job store has', async () => {
    const journal = new EventJournal({ folder })
    const data = { id: 'web1', jid: '1', return: 'x'.repeat(10_000) }
    for (const [index, isKept] of [true, false].entries()) journal.take(event(index + 1, data, isKept))
    journal.take(event(3, { ...data, return: 'little' }, true))
    await journal.close()
    const [referring, ...others] = readForward(folder, { number: 1 })
    expect(referring!.kept).toEqual({ jid: '1', id: 'web1' })
    expect(referring!.origin).toEqual(WEB1)
    expect([...decodeEvent(referring!.body).data.keys()]).toEqual(['id', 'jid'])
    expect(others.map(({ kept }) => kept)).toEqual([undefined, undefined])
  })
})
