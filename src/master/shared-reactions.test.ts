import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../../test/until.ts'
import { silentLog } from '../base/mod.ts'
import type { ClusterRecord } from '../cluster/mod.ts'
import { type Dict, decodeMsgpack, dictFrom, encodeMsgpack, fromPlain } from '../data/mod.ts'
import { ReactionStore } from '../store/mod.ts'
import { ReactionSharing } from './shared-reactions.ts'

const folder = mkdtempSync(join(tmpdir(), 'brine-shared-reactions-'))
const closings: Array<() => unknown> = []
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close()
  rmSync(folder, { recursive: true, force: true })
})

/** The log: records that wait for their place, and masters that read it. */
class Log {
  readonly masters: OneMaster[] = []
  readonly waiting: Dict[] = []
  readonly gone = new Set<string>()
  holder = ''

  /** Put the waiting records of a process into the log. */
  take(writer: string): void {
    for (const fields of this.waiting.filter((record) => record.get('by') === writer)) {
      this.waiting.splice(this.waiting.indexOf(fields), 1)
      for (const master of this.masters) master.read(fields)
    }
  }
}

class OneMaster {
  readonly store: ReactionStore
  readonly sharing: ReactionSharing
  readonly taken: string[] = []

  constructor(log: Log, member: string, process: string) {
    this.store = new ReactionStore(join(folder, `${member}.db`))
    closings.push(() => this.store.close())
    const cluster = {
      writer: process,
      isClosed: false,
      isCaughtUp: true,
      holds: () => log.holder === process,
      isGone: (writer: string) => log.gone.has(writer),
      append: async (record: Dict) => void log.waiting.push(record),
    }
    this.sharing = new ReactionSharing({ log: silentLog, stores: { reactions: () => this.store } as never, cluster })
    closings.push(() => this.sharing.close())
    this.sharing.onTaken(({ mark = '' }, shared) => {
      this.taken.push(mark)
      shared.changed(true)
    })
    log.masters.push(this)
  }

  read(fields: Dict): void {
    const own = decodeMsgpack(encodeMsgpack(fields, 'bus'), { dialect: 'bus' }) as Dict
    this.sharing.apply({ fields: own } as ClusterRecord)
  }

  begin(mark: string) {
    const content = fromPlain({ tag: 'a/b', data: { x: 1 }, calls: null, cause: null }) as Dict
    const id = this.store.begin('a/b', content, mark)
    return { id, content, shared: this.sharing.begin(mark, id, 'a/b', content) }
  }

  states(): Array<[mark: string | undefined, driver: unknown]> {
    return this.store.last(9).map(({ mark, record }) => [mark, record.get('driver')])
  }
}

describe('The records of reactions in a cluster', () => {
  it('belong to the first master whose record about an event is in the log', async () => {
    const log = new Log()
    const [one, other] = [new OneMaster(log, 'a', 'a.1'), new OneMaster(log, 'b', 'b.1')]
    const [late, first] = [one.begin('m1'), other.begin('m1')]
    log.take('b.1')
    log.take('a.1')
    expect([await late.shared.settled(), await first.shared.settled()]).toEqual([false, true])
    for (const master of [one, other]) expect(master.states()).toEqual([['m1', 'b.1']])
  })

  it('are not begun again by a late record when they are over', async () => {
    const log = new Log()
    const [one, other] = [new OneMaster(log, 'a', 'a.1'), new OneMaster(log, 'b', 'b.1')]
    const late = other.begin('m1')
    const { id, content, shared } = one.begin('m1')
    log.take('a.1')
    one.store.update(id, { tag: 'a/b', record: content.set('calls', []), isOpen: false, mark: 'm1' })
    shared.changed(false)
    await until('the change is sent', () => log.waiting.length > 1)
    log.take('a.1')
    log.take('b.1')
    expect([await shared.settled(), await late.shared.settled()]).toEqual([true, false])
    for (const { store, sharing } of [one, other]) expect([store.open(), sharing.has('m1')]).toEqual([[], true])
  })

  it('refuse changes of a master that hung while the holder of the lease took them over', async () => {
    const log = new Log()
    const [one, other] = [new OneMaster(log, 'a', 'a.1'), new OneMaster(log, 'b', 'b.1')]
    const { content, shared } = one.begin('m1')
    log.take('a.1')
    log.holder = 'b.1'
    log.gone.add('a.1')
    await until('the other one takes it', () => log.waiting.length > 0)
    content.set('calls', [fromPlain({ id: 'x', state: 'running' })])
    shared.changed(true)
    await until('the change is sent', () => log.waiting.length > 1)
    log.take('b.1')
    log.take('a.1')
    expect(await shared.settled()).toBe(false)
    await until('the reaction is taken over', () => other.taken.length > 0)
    await until('the new driver sends the record', () => log.waiting.length > 0)
    log.take('b.1')
    for (const master of [one, other]) {
      expect(master.states()).toEqual([['m1', 'b.1']])
      expect(master.store.open()[0]!.record.get('calls')).toBe(null)
    }
  })

  it('that were written and not sent before a crash belong to the master that reacts to the event then', async () => {
    const log = new Log()
    const [one, other] = [new OneMaster(log, 'a', 'a.1'), new OneMaster(log, 'b', 'b.1')]
    one.begin('m1')
    await one.sharing.close()
    await one.store.kept()
    log.masters.shift()
    log.waiting.splice(0)
    const back = new OneMaster(log, 'a', 'a.2')
    expect(back.states()).toEqual([['m1', undefined]])
    const { shared } = other.begin('m1')
    log.take('b.1')
    expect(await shared.settled()).toBe(true)
    for (const master of [back, other]) expect(master.states()).toEqual([['m1', 'b.1']])
  })

  it('go without what no message holds', async () => {
    const log = new Log()
    const [one, other] = [new OneMaster(log, 'a', 'a.1'), new OneMaster(log, 'b', 'b.1')]
    const { content, shared } = one.begin('m1')
    log.take('a.1')
    const push = log.waiting.push.bind(log.waiting)
    log.waiting.push = (record: Dict) => {
      if (encodeMsgpack(record, 'bus').length > 5000) throw Object.assign(new Error('too large'), { code: 'TooLarge' })
      return push(record)
    }
    const result = 'x'.repeat(9000)
    content.set('calls', [dictFrom({ id: 'x', type: 'runner', state: 'done', result })]).set('files', [])
    shared.changed(true)
    await until('the change is sent', () => log.waiting.length > 0)
    log.take('a.1')
    expect(await shared.settled()).toBe(true)
    const calls = (master: OneMaster): string => JSON.stringify(master.store.open()[0]!.record.get('calls'), mapped)
    one.store.update(1, { tag: 'a/b', record: content, isOpen: true, mark: 'm1' })
    expect([calls(one).includes(result), calls(other).includes(result)]).toEqual([true, false])
    expect(calls(other)).toContain('too large for the log')
  })
})

const mapped = (_key: string, value: unknown): unknown => (value instanceof Map ? Object.fromEntries(value) : value)
