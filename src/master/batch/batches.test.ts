import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BrineError, storageError } from '../../base/mod.ts'
import { EventBus } from '../../bus/mod.ts'
import { type Dict, str, type Value } from '../../data/mod.ts'
import type { MasterParts } from '../parts.ts'
import type { JobRequest } from '../publication.ts'
import type { Publishing } from '../publish.ts'
import { Batches } from './batches.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const JID = '20300101000000000001'
const refused = (code: string): unknown => storageError(Object.assign(new Error(code), { code }), '/cache/batch')

/** A master whose disk can refuse writes. */
class Site {
  readonly states = new Map<string, Value>()
  readonly returns = new Map<string, Dict>()
  readonly sent: string[][] = []
  readonly bus = new EventBus()
  lines: string[] = []
  refuses: 'nothing' | 'jobs' | 'states' | 'lists' | 'quorum' = 'nothing'
  readonly batches: Batches

  constructor() {
    const bank = {
      fetch: (key: string) => this.states.get(key),
      store: (key: string, value: Value) => {
        if (this.refuses === 'states') throw refused('ENOSPC')
        this.states.set(key, value)
      },
      flush: (key?: string) => void this.states.delete(key!),
      list: () => {
        if (this.refuses === 'lists') throw refused('EMFILE')
        return [...this.states.keys()]
      },
      updated: () => 0,
    }
    const parts = {
      opts: new Map(),
      log: (_level: string, text: string) => void this.lines.push(text),
      bus: this.bus,
      cache: { bank: () => bank },
      jobs: { returns: () => this.returns },
    }
    const publishing = {
      judged: async (load: Dict) => ({
        request: { fun: 'test.ping', arg: [], tgt: '*', tgtType: 'glob', jid: JID, fields: new Map() },
        user: 'root',
        targeted: { minions: load.get('minions'), missing: [] },
        isFrozen: false,
      }),
      send: async (request: JobRequest) => {
        if (this.refuses === 'jobs') throw refused('ENOSPC')
        if (this.refuses === 'quorum') throw new BrineError('NoQuorum', 'This master does not reach a majority')
        this.sent.push((request.tgt as Value[]).map(str))
        return JID
      },
    }
    this.batches = new Batches(parts as unknown as MasterParts, publishing as unknown as Publishing)
  }

  begin(): Promise<Dict> {
    const minions: Value = ['web1', 'web2']
    return this.batches.begin(new Map<Value, Value>([['minions', minions]]).set('batch', '1'))
  }

  returned(id: string): void {
    const ret: Dict = new Map<Value, Value>([['jid', JID]]).set('id', id).set('return', true).set('retcode', 0)
    this.returns.set(id, ret)
    this.bus.fire(`salt/job/${JID}/ret/${id}`, new Map(ret))
  }
}

test('A batch whose state the disk refuses is refused with the cause', async () => {
  const site = new Site()
  site.refuses = 'states'
  const error = (await site.begin()).get('error') as Dict
  expect([error.get('name'), error.get('message')]).toEqual([
    'StorageError',
    'Cannot write /cache/batch: no space left on the disk',
  ])
  site.batches.close()
})

test.each(['jobs', 'quorum'] as const)(
  'A batch whose next job is refused waits, and sends it to each minion once: %s',
  async (what) => {
    const site = new Site()
    await site.begin()
    expect(site.sent).toEqual([['web1']])
    site.refuses = what
    site.returned('web1')
    await vi.advanceTimersByTimeAsync(20_000)
    expect(site.sent).toEqual([['web1']])
    site.refuses = 'nothing'
    await vi.advanceTimersByTimeAsync(6000)
    expect(site.sent).toEqual([['web1'], ['web2']])
    site.batches.close()
  },
)

test('A master without free descriptors for its batches resumes them later, without minions that returned', async () => {
  const before = new Site()
  await before.begin()
  await vi.advanceTimersByTimeAsync(1000)
  before.batches.close()
  const site = new Site()
  for (const [jid, state] of before.states) site.states.set(jid, state)
  // a return that the state on disk does not contain
  site.returns.set('web1', new Map<Value, Value>([['return', true]]))
  site.refuses = 'lists'
  site.batches.resume()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(site.sent).toEqual([])
  site.refuses = 'nothing'
  await vi.advanceTimersByTimeAsync(6000)
  expect(site.sent).toEqual([['web2']])
  site.batches.close()
})
