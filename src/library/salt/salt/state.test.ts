import { describe, expect, it } from 'vitest'
import { type Dict, dumpJson, loadJson, type Value } from '../../../data/mod.ts'
import { type MasterReach, type StateTrial, tryState } from '../../../sdk/mod.ts'
import saltmod from './state.ts'

const json = (text: string): Value => loadJson(text)

const OK = '{"out": "highstate", "jid": "7", "ret": {"t": {"result": true, "changes": {}}}}'
const CHANGED = '{"out": "highstate", "jid": "7", "ret": {"t": {"result": true, "changes": {"a": 1}}}}'
const BAD = '{"out": "highstate", "jid": "7", "ret": {"t": {"result": false, "changes": {}}}}'

interface Told {
  result: Value
  comment: Value
  [other: string]: Value
}

async function report(
  fun: string,
  kwargs: Record<string, Value>,
  answers: string,
  trial: StateTrial = {},
): Promise<Told> {
  const opts: Dict = new Map<Value, Value>([
    ['test', trial.test ?? false],
    ['__role', 'master'],
  ])
  const others = { 'saltutil.cmd': () => json(answers), 'is.fine': () => false }
  const ret = await tryState(saltmod, fun, { kwargs: { name: 'step', tgt: '*', ...kwargs }, opts, others, ...trial })
  return Object.fromEntries(ret as Map<string, Value>) as Told
}

describe('salt.state', () => {
  const sls = { sls: 'web' }
  it.each<[string, Record<string, Value>, string, Value, string]>([
    ['nothing changed', sls, `{"w1": ${OK}}`, true, 'States ran successfully. No changes made to w1.'],
    [
      'something changed',
      sls,
      `{"w1": ${OK}, "w2": ${CHANGED}}`,
      true,
      'States ran successfully. Updating w2. No changes made to w1.',
    ],
    ['one failed', sls, `{"w1": ${BAD}}`, false, 'Run failed on minions: w1'],
    [
      'one kept silent',
      sls,
      '{"w1": {"failed": true}}',
      false,
      'Run failed on minions: w1\nMinion w1 did not return a state result.',
    ],
    [
      'one could not compile',
      sls,
      '{"w1": {"out": "highstate", "ret": ["No sls", "none"]}}',
      false,
      'Run failed on minions: w1\nMinion w1 returned errors: No sls; none',
    ],
    [
      'a failure is allowed',
      { ...sls, allow_fail: 1 },
      `{"w1": ${BAD}}`,
      true,
      'States ran successfully. Updating w1.',
    ],
    [
      'a minion may fail',
      { ...sls, fail_minions: 'w1, w9' },
      `{"w1": ${BAD}}`,
      true,
      'States ran successfully. Updating w1.',
    ],
    [
      'half of them may fail',
      { ...sls, fail_minions: '50%' },
      `{"w1": ${BAD}, "w2": ${OK}}`,
      true,
      'States ran successfully. Updating w1. No changes made to w2.',
    ],
    [
      'too few may fail',
      { ...sls, fail_minions: '5%' },
      `{"w1": ${BAD}, "w2": ${OK}}`,
      false,
      'Run failed on minions: w1',
    ],
    ['nobody is there', sls, '{}', false, 'No minions returned'],
    ['nobody need be there', { ...sls, expect_minions: false }, '{}', true, 'States ran successfully.'],
    ['nothing is to be done', {}, '{}', false, 'No highstate or sls specified, no execution made'],
    [
      'allow_fail is no number',
      { ...sls, allow_fail: 'x' },
      '{}',
      false,
      "Passed invalid value for 'allow_fail', must be an int",
    ],
    [
      'concurrent is no boolean',
      { ...sls, concurrent: 'x' },
      '{}',
      false,
      "Must pass in boolean for value of 'concurrent'",
    ],
  ])('when %s', async (_name, kwargs, answers, result, comment) => {
    expect(await report('state', kwargs, answers)).toMatchObject({ result, comment })
  })

  it('predicts with None when something would change', async () => {
    expect(await report('state', { sls: 'web' }, `{"w1": ${CHANGED}}`, { test: true })).toMatchObject({ result: null })
  })
})

describe('salt.function', () => {
  const ping = { name: 'test.ping' }
  it.each<[string, Record<string, Value>, string, Value, string]>([
    [
      'a good answer',
      ping,
      '{"w1": {"ret": true, "retcode": 0}}',
      true,
      'Function ran successfully. Function test.ping ran on w1.',
    ],
    [
      'false',
      ping,
      '{"w1": {"ret": false}}',
      false,
      'Running function test.ping failed on minions: w1 Function test.ping ran on w1.',
    ],
    [
      'a return code',
      { ...ping, fail_minions: ['w1'] },
      '{"w1": {"ret": "x", "retcode": 2}}',
      false,
      'Running function test.ping failed on minions: w1 Function test.ping ran on w1.',
    ],
    [
      'a tolerated failure',
      { ...ping, fail_minions: ['w1'] },
      '{"w1": {"ret": false}}',
      true,
      'Function ran successfully. Function test.ping ran on w1.',
    ],
    [
      'another function says no',
      { ...ping, fail_function: 'is.fine' },
      '{"w1": {"ret": 1}}',
      false,
      'Running function test.ping failed on minions: w1 Function test.ping ran on w1.',
    ],
    ['nobody', ping, '{}', false, 'No minions responded'],
  ])('judges %s', async (_name, kwargs, answers, result, comment) => {
    expect(await report('function', kwargs, answers)).toMatchObject({ result, comment })
  })

  it('publishes nothing in a dry run', async () => {
    const told = await report('function', { name: 'test.ping', tgt: 'w*' }, '{}', { test: true })
    expect(told).toMatchObject({ result: null, comment: 'Function test.ping would be executed on target w*' })
  })
})

describe('salt.runner', () => {
  const run = (out: string) => ({ others: { 'saltutil.runner': () => json(out) } })
  it.each<[string, Value, string]>([
    ['{"return": false, "success": true, "jid": "3"}', true, "Runner function 'a.b' executed."],
    ['{"return": "x", "success": false}', false, "Runner function 'a.b' failed."],
    ['{"return": {"Error": "no"}, "success": true}', false, "Runner function 'a.b' failed."],
  ])('%s', async (out, result, comment) => {
    const ret = await tryState(saltmod, 'runner', { kwargs: { name: 'a.b' }, ...run(out) })
    expect(Object.fromEntries(ret as Map<string, Value>)).toMatchObject({ result, comment })
  })
})

describe('salt.parallel_runners', () => {
  it('calls all of them, and lists failed ones', async () => {
    const others = {
      'saltutil.runner': ([name]: readonly Value[]) => json(`{"return": 1, "success": ${name !== 'b.bad'}}`),
    }
    const runners = json('{"one": [{"name": "a.fine"}], "b.bad": null}')
    const ret = await tryState(saltmod, 'parallel_runners', { kwargs: { name: 'all', runners }, others })
    expect(ret.get('comment')).toBe('Runner b.bad failed.')
    expect(dumpJson(ret.get('changes'))).toBe('{"ret": {"one": 1, "b.bad": 1}}')
  })

  it('refuses values that are no dict', async () => {
    const ret = await tryState(saltmod, 'parallel_runners', { kwargs: { name: 'all', runners: 5 } })
    expect(ret.get('comment')).toBe('The runners parameter must be a string or dict.')
  })
})

describe('salt.wait_for_event', () => {
  const ORIGIN = { kind: 'master', name: 'm', proof: 'process' }
  const events = [
    ['app/1', '{"id": "w1"}'],
    ['app/2', '{"data": {"id": ["w2", "zz"]}}'],
  ] as const
  const master = {
    events: async function* (filter: (tag: string) => boolean) {
      for (const [tag, data] of events) if (filter(tag)) yield { tag, data: json(data) as Dict, origin: ORIGIN }
    },
  } as unknown as MasterReach
  it.each<[string, Value, string]>([
    ['["w1", "w2"]', true, 'All events seen in'],
    ['["w1", "w3"]', false, 'Timeout value reached.'],
  ])('for %s', async (ids, result, comment) => {
    const kwargs = { name: 'app/*', id_list: json(ids), timeout: 1 }
    const ret = await tryState(saltmod, 'wait_for_event', { kwargs, context: { master } })
    expect([ret.get('result'), String(ret.get('comment')).startsWith(comment)]).toEqual([result, true])
  })
})
