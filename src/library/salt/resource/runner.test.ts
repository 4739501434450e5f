import { expect, test } from 'vitest'
import { callOn, memoryCache } from '../common/try-master-function.test-support.ts'
import resource from './runner.ts'

const cache = memoryCache({ resource_grains: { 'dummy:one': { os: 'x', arch: 'y' } } })

test.each<[fun: string, args: string[], expected: unknown]>([
  ['show_grains', ['dummy', 'one'], { os: 'x', arch: 'y' }],
  ['show_grains', ['dummy', 'two'], {}],
  ['show_grains', ['', 'one'], null],
  ['list_grains', [], { 'dummy:one': { grain_keys: ['arch', 'os'], grain_count: 2 } }],
])('resource.%s %j', async (fun, args, expected) => {
  expect(await callOn({ cache }, resource, fun, ...args)).toEqual(expected)
})
