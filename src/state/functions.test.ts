// The functions of `state`: their arguments, and their errors for invalid input.
import { expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../data/mod.ts'
import { testMinion } from './state-tree.test-support.ts'

const FILES = {
  'top.sls': "base:\n  '*': [one]\n",
  'other.sls': "base:\n  '*': [two]\n",
  'one.sls': 'a:\n  test.succeed_with_changes: []\n',
  'two.sls': 'b:\n  test.nop: []\n',
  'clash.sls': 'a: 1\n',
  'dicts.sls': '- a: 1\n',
  'numbers.sls': '[1]\n',
  'texts.sls': '[a, bc]\n',
}

async function call(fun: string, args: readonly Value[], kwargs: Record<string, Value> = {}): Promise<Value> {
  const { functions } = await testMinion(FILES)
  return functions.call(fun, args, kwargs)
}

test.each([
  ['state.show_top', { base: ['one'] }],
  ['state.show_states', ['one']],
])('%s does not look at a pillar that comes with it', async (fun, wanted) => {
  expect(toPlain(await call(fun, [], { pillar: 'no dict' }))).toEqual(wanted)
})

test.each(['state.show_highstate', 'state.show_state_usage'])('%s wants a pillar that is a dict', async (fun) => {
  await expect(call(fun, [], { pillar: 'no dict' })).rejects.toThrow('Pillar data must be formatted as a dictionary')
})

test('state.sls_id calls its states even when they are mocked elsewhere', async () => {
  const told = async (fun: string, args: Value[]): Promise<Value> => {
    const ret = (await call(fun, args, { mock: true })) as Map<string, Map<string, Value>>
    return [...ret.values()][0]!.get('comment')!
  }
  expect(await told('state.sls_id', ['a', 'one'])).toBe('Success!')
  expect(await told('state.sls', ['one'])).toBe('Not called, mocked')
})

test('state.sls_id names an ID of any type that it does not find', async () => {
  await expect(call('state.sls_id', [['a'], 'one'])).rejects.toThrow(
    "No matches for ID '['a']' found in SLS 'one' within saltenv 'base'",
  )
})

test('state.top takes the path of a top file, not an address', async () => {
  expect(Object.keys(toPlain(await call('state.top', ['other.sls'])) as object)).toEqual(['test_|-b_|-b_|-nop'])
  const none = toPlain(await call('state.top', ['salt://other.sls'])) as Record<string, unknown>
  expect(Object.keys(none)).toEqual(['no_|-states_|-states_|-None'])
})

test('state.low reports values that are no chunk', async () => {
  await expect(call('state.low', ['x'])).rejects.toThrow("string indices must be integers, not 'str'")
})

test('an ID that comes twice, once without a body, is an error and no crash', async () => {
  await expect(call('state.show_sls', [fromPlain(['clash', 'one'])])).rejects.toThrow(
    "'int' object is not subscriptable",
  )
})

test('an error of several lines is one line of the log', async () => {
  const { functions, log } = await testMinion({ ...FILES, 'again.sls': 'a:\n  test.nop: []\n' })
  await functions.call('state.show_sls', [fromPlain(['one', 'again'])])
  expect(log).toHaveLength(1)
  expect(log[0]).toContain('SLS IDs need to be globally unique. The conflicting ID is')
})

test('state.orchestrate answers as the runner of a master', async () => {
  expect(toPlain(await call('state.orchestrate', ['one']))).toMatchObject({
    data: { web1: { 'test_|-a_|-a_|-succeed_with_changes': { result: true } } },
    outputter: 'highstate',
    retcode: 0,
  })
  expect(toPlain(await call('state.orchestrate', ['nosuch']))).toMatchObject({ retcode: 1 })
})

test.each([
  ['dicts', "unhashable type: 'collections.OrderedDict'"],
  ['numbers', "'int' object is not iterable"],
])('state.show_sls raises for a file that is a list of %s', async (sls, wanted) => {
  await expect(call('state.show_sls', [sls])).rejects.toThrow(wanted)
})

test('state.show_sls reports a file that is a list of texts', async () => {
  expect(await call('state.show_sls', ['texts'])).toEqual([
    'SLS texts does not render to a dictionary',
    "Error when rendering state with contents: ['a', 'bc']",
  ])
})
