import { expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction, tryState } from '../../../sdk/mod.ts'
import xml from './module.ts'
import states from './state.ts'

const machine = () => MemoryHost.with({ files: { '/x.xml': '<a><b id="1">old</b><c/></a>' } })

test('xml functions read and change texts and attributes', async () => {
  const host = await machine()
  const call = async (fun: string, ...args: Value[]) =>
    toPlain(await tryFunction(xml, fun, { args: ['/x.xml', ...args], host }))
  expect(await call('get_value', './/b')).toBe('old')
  expect(await call('get_value', './/none')).toBe(false)
  expect(await call('set_value', './/b', 5)).toBe(true)
  expect(await call('set_attribute', './/b', 'by', 'ann')).toBe(true)
  expect(await call('get_value', './/b')).toBe('5')
  expect(await call('get_attribute', './/b')).toEqual({ id: '1', by: 'ann' })
})

test.each<[string, string, boolean | null, string]>([
  ['old', './/b', true, 'old is already present'],
  ['new', './/b', null, '/x.xml will be updated'],
  ['new', './/none', false, 'xpath query .//none not found in /x.xml'],
])('xml.value_present of %j at %s predicts %j', async (value, xpath, result, comment) => {
  const host = await machine()
  const others = { 'xml.get_value': (args: readonly Value[]) => tryFunction(xml, 'get_value', { args, host }) }
  const report = await tryState(states, 'value_present', {
    kwargs: { name: '/x.xml', xpath, value },
    others,
    test: true,
  })
  expect([report.get('result'), report.get('comment')]).toEqual([result, comment])
})
