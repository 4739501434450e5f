import { afterAll, expect, test } from 'vitest'
import { ModuleFolder } from './test-modules.test-support.ts'

const folder = new ModuleFolder()
afterAll(() => folder.remove())

test('modules_max_memory limits the memory of modules, and the next call works', async () => {
  folder.write('modules/greedy.py', 'def take(megabytes):\n    return len(bytearray(megabytes << 20))\n')
  folder.opts.set('modules_max_memory', 400 * 2 ** 20)
  const functions = await folder.registry()
  await expect((async () => functions.call('greedy.take', [1000]))()).rejects.toMatchObject({ code: 'MemoryError' })
  expect(await functions.call('greedy.take', [10])).toBe(10 * 2 ** 20)
})
