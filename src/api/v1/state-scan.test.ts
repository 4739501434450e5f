import { describe, expect, it } from 'vitest'
import { type Dict, encodeMsgpack, type Value } from '../../data/mod.ts'
import { countStates, returnValue, type ScannedState, scanReturn } from './state-scan.ts'

const dict = (fields: Record<string, unknown>): Dict => new Map(Object.entries(fields)) as Dict

const packed = (value: unknown): Uint8Array =>
  encodeMsgpack(dict({ id: 'web1', fun: 'state.apply', return: value, retcode: 0 }), 'bus')

const state = (fields: Record<string, unknown> = {}): Dict =>
  dict({
    name: 'nginx',
    result: true,
    changes: new Map(),
    comment: 'fine',
    __sls__: 'web',
    __id__: 'nginx',
    __run_num__: 3,
    start_time: '12:00:00.123456',
    duration: 12.5,
    ...fields,
  })

const TAG = 'pkg_|-nginx_|-nginx_|-installed'

const digestOf = (value: unknown): string => scanReturn(packed(value), () => {}).digest

describe('a scan of a return', () => {
  it('gives each state with its fields', () => {
    const seen: Array<Partial<ScannedState> & { texts: Value[] }> = []
    const { isStates } = scanReturn(
      packed(
        dict({
          [TAG]: state({ changes: dict({ new: 1 }) }),
          [`${TAG}2`]: state({ result: null, __state_ran__: false }),
        }),
      ),
      ({ tag, result, hasChanges, hasRun, number, duration, sls, id, name, comment }) =>
        seen.push({ tag, result, hasChanges, hasRun, number, duration, texts: [sls, id, name, comment] }),
    )
    expect(isStates).toBe(true)
    const texts = ['web', 'nginx', 'nginx', 'fine']
    expect(seen).toEqual([
      { tag: TAG, result: true, hasChanges: true, hasRun: true, number: 3, duration: 12.5, texts },
      { tag: `${TAG}2`, result: null, hasChanges: false, hasRun: false, number: 3, duration: 12.5, texts },
    ])
  })

  it('has the same digest for the same results, ignoring times and ids of processes and jobs', () => {
    const changes = (more: Record<string, unknown>): Dict => dict({ ret: [dict({ stdout: 'done', ...more })] })
    const one = digestOf(dict({ [TAG]: state({ changes: changes({ pid: 7, jid: '1' }) }) }))
    const times = { start_time: '13:11:10', duration: '7 ms', __run_num__: 1000 }
    expect(digestOf(dict({ [TAG]: state({ ...times, changes: changes({ pid: 70_000, jid: '22' }) }) }))).toBe(one)
    expect(digestOf(dict({ [TAG]: state({ changes: changes({ pid: 7, stdout: 'other' }) }) }))).not.toBe(one)
    expect(digestOf(dict({ [TAG]: state({ changes: changes({}), comment: 'other' }) }))).not.toBe(one)
    expect(digestOf(dict({ [TAG]: state({ changes: changes({}), result: false }) }))).not.toBe(one)
  })

  it('takes other returns whole', () => {
    for (const value of [
      'text',
      ['error'],
      null,
      dict({}),
      dict({ a: 1 }),
      dict({ [TAG]: 1 }),
      dict({ [TAG]: dict({}) }),
    ]) {
      expect(scanReturn(packed(value), () => {})).toEqual({
        isStates: false,
        digest: expect.stringMatching(/^\w{40}$/),
      })
      expect(returnValue(packed(value))).toEqual(value)
    }
    expect(digestOf(dict({ pid: 1 }))).not.toBe(digestOf(dict({ pid: 2 })))
  })

  it('has no states where the return cannot be read', () => {
    const whole = packed(dict({ [TAG]: state() }))
    const states = packed(dict({ [TAG]: state() })).length - encodeMsgpack(dict({ retcode: 0 }), 'bus').length
    for (let end = 0; end < states; end++) expect(scanReturn(whole.subarray(0, end), () => {}).isStates).toBe(false)
  })

  it('counts states', () => {
    const results = dict({
      [`${TAG}1`]: state(),
      [`${TAG}2`]: state({ changes: dict({ a: 1 }) }),
      [`${TAG}3`]: state({ result: null }),
      [`${TAG}4`]: state({ result: false }),
    })
    expect(countStates(packed(results))).toEqual({ succeeded: 3, changed: 2, failed: 1, duration: 50 })
    expect(countStates(packed('The SLS file cannot be rendered'))).toMatchObject({ succeeded: 0, failed: 1 })
  })
})
