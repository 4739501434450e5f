import { expect, test } from 'vitest'
import { dumpJson, type Value } from '../data/mod.ts'
import { renderText } from './pipeline.ts'

const render = async (text: string, sls = 'web.app'): Promise<string> => {
  const opts = new Map<Value, Value>()
  return dumpJson((await renderText(text, { opts, grains: new Map(), pillar: new Map(), sls })).value)
}

test('IDs that begin with a dot belong to their SLS, and a goal requires all', async () => {
  expect(await render('#!stateconf\n.a:\n  test.nop: []\nb:\n  test.nop:\n    - require: [{test: .a}]\n')).toBe(
    '{"b": {"test.nop": [{"require": [{"test": "web.app::a"}]}]}, ' +
      '"web.app::a": {"test.nop": [{"name": "a"}]}, ' +
      '"web.app::goal": {"stateconf.set": [{"require": [{"test": "web.app::a"}, {"test": "b"}]}]}}',
  )
})

test('Settings above the marker are variables below it', async () => {
  const text =
    '#!stateconf -G\n.x:\n  stateconf.set:\n    - port: 80\n# --- end of state config ---\nb{{ x.port }}: test.nop\n'
  expect(await render(text)).toBe('{"b80": {"test.nop": []}, "web.app::x": {"stateconf.set": [{"port": 80}]}}')
})

test('States are ordered by requisites, and none may require one after it', async () => {
  expect(await render('#!stateconf -o -G\na: test.nop\nb: test.nop\n')).toBe(
    '{"a": {"test.nop": []}, "b": {"test.nop": [{"require": [{"test": "a"}]}]}}',
  )
  await expect(render('#!stateconf -o\na:\n  test.nop:\n    - require: [{test: b}]\nb: test.nop\n')).rejects.toThrow(
    "State(a:test) can't require/watch/listen/onchanges/onfail a state(b:test) defined after it!",
  )
})
