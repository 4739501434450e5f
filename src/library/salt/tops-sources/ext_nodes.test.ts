import { expect, test } from 'vitest'
import { toPlain } from '../../../data/mod.ts'
import { LocalHost } from '../../../host/mod.ts'
import { tryTops } from '../../../sdk/mod.ts'
import extNodes from './ext_nodes.tops.ts'

const host = new LocalHost()

test('The program is called with the id, and its classes count in its environment', async () => {
  const setting = ['printf "classes: {%s: {}, all: {}}\\nenvironment: dev\\n"']
  expect(toPlain(await tryTops(extNodes, { host, setting }))).toEqual({ dev: ['web1', 'all'] })
  expect(toPlain(await tryTops(extNodes, { host, setting: 'printf "classes: [%s]"' }))).toEqual({ base: ['web1'] })
  expect(toPlain(await tryTops(extNodes, { host, setting: 'true' }))).toEqual({})
})

test('A program that fails is an error with its words', async () => {
  await expect(tryTops(extNodes, { host, setting: 'ls /nosuch --' })).rejects.toThrow(/^ls ended with 2: .*nosuch/)
})
