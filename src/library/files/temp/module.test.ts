import { expect, test } from 'vitest'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import temp from './module.ts'

test('temp.dir and temp.file make what they name', async () => {
  const host = new MemoryHost()
  const dir = await tryFunction(temp, 'dir', { host, args: ['.d', 'build-'] })
  expect(dir).toMatch(/^\/tmp\/build-\w+\.d$/)
  const file = await tryFunction(temp, 'file', { host, kwargs: { parent: dir } })
  expect(file).toMatch(new RegExp(`^${dir}/tmp\\w+$`))
  expect((await host.stat(String(file)))?.type).toBe('file')
})
