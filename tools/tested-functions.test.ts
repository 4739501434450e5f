import { expect, test } from 'vitest'
import { Mentions } from './tested-functions.ts'

const CRON = 'src/library/services/cron/module.ts'

test('a function is called where its full name stands, by any of its names', () => {
  const found = new Mentions()
  found.add('test/live/site.test.ts', "await run('salt web1 pkg.install nginx')")
  expect(found.has('src/library/packages/apt/aptpkg.module.ts', ['aptpkg', 'pkg'], 'install')).toBe(true)
  expect(found.has('src/library/packages/apt/aptpkg.module.ts', ['aptpkg', 'pkg'], 'remove')).toBe(false)
})

test('a state is called where its tag stands', () => {
  const found = new Mentions()
  found.add('', '{"file_|-motd_|-/etc/motd_|-managed": {}}')
  expect(found.has('src/library/files/file/state.ts', ['file'], 'managed')).toBe(true)
})

test('a function is called where its own name stands in a test of its subject', () => {
  const found = new Mentions()
  found.add('src/library/services/cron/module.test.ts', "call('raw_cron', ['root'])")
  found.add('src/library/services/at/module.test.ts', "call('atrm', [1])")
  expect(found.has(CRON, ['cron'], 'raw_cron')).toBe(true)
  expect(found.has(CRON, ['cron'], 'atrm')).toBe(false)
})
