import { expect, test } from 'vitest'
import { type Dict, dictFrom } from '../data/mod.ts'
import { ofProxyMinion } from './proxy.ts'

test('Grains that are merged into those of a proxy minion do not reach another one', () => {
  const machine = dictFrom({ locale_info: new Map(), os: 'Debian', num_cpus: 4, cpuarch: 'x86_64' })
  const first = ofProxyMinion(machine)
  ;(first.get('locale_info') as Dict).set('timezone', 'UTC')
  expect(ofProxyMinion(machine)).toEqual(dictFrom({ locale_info: new Map(), os: 'proxy', cpuarch: 'x86_64' }))
})
