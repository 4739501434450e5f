import { describe, expect, it } from 'vitest'
import { answerDifferences, countChanges, snapshotDifferences } from './difference.ts'
import type { Snapshot } from './snapshot.ts'

const state = (fields: object) => ({ name: 'ls', __run_num__: 0, result: true, comment: '', changes: {}, ...fields })
const key = 'cmd_|-list_|-ls_|-run'

const host = (files: Record<string, string>): Snapshot => ({
  files: new Map(Object.entries(files)),
  packages: new Map([['nginx', '1.22.1-9']]),
  services: new Map(),
})

describe('two answers', () => {
  it('are alike when they differ in durations, process ids and times of day only', () => {
    const ours = { [key]: state({ duration: 3, changes: { pid: 7 }, comment: 'took 2.5 s at 2026-01-02 03:04:05' }) }
    const theirs = { [key]: state({ duration: 9, changes: { pid: 8 }, comment: 'took 31 s at 2026-01-02 03:05:06.7' }) }
    expect(answerDifferences(ours, theirs)).toEqual([])
  })

  it('are alike when sets were walked in another order', () => {
    const ours = { [key]: state({ changes: { a: 1, b: 2 }, comment: 'x\ny' }) }
    const theirs = { [key]: state({ changes: { b: 2, a: 1 }, comment: 'y\nx' }) }
    expect(answerDifferences(ours, theirs)).toEqual([])
  })

  it('differ in each field of a state and in states that one lacks', () => {
    const ours = { [key]: state({ result: false }) }
    const theirs = { [key]: state({}), 'test_|-a_|-a_|-nop': state({}) }
    expect(answerDifferences(ours, theirs)).toEqual([
      "cmd list ls run: result\n    ours   false\n    Salt's true",
      "test a a nop: only in Salt's answer",
    ])
  })

  it('differ as a whole when one is an error', () => {
    expect(answerDifferences(['No matching sls'], {})).toEqual([
      'answer\n    ours   ["No matching sls"]\n    Salt\'s {}',
    ])
  })
})

describe('two hosts', () => {
  const before = host({ '/etc/a': 'file 1', '/etc/b': 'file 2' })
  const after = host({ '/etc/a': 'file 3', '/etc/c': 'file 4' })

  it('differ in what one has otherwise or not at all', () => {
    expect(snapshotDifferences(after, before)).toEqual([
      'files: /etc/a\n    ours   "file 3"\n    Salt\'s "file 1"',
      'files: /etc/b\n    ours   nothing\n    Salt\'s "file 2"',
      'files: /etc/c\n    ours   "file 4"\n    Salt\'s nothing',
    ])
  })

  it('tell how much a run changed', () => {
    expect(countChanges(before, after)).toEqual({ files: 3, packages: 0, services: 0 })
  })
})
