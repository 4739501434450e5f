import { expect, test } from 'vitest'
import { callOn } from '../common/try-master-function.test-support.ts'
import cache from './runner.ts'

test('cache.clear_git_lock has no locks to remove, and refuses an unknown role', async () => {
  expect(await callOn({}, cache, 'clear_git_lock', 'gitfs')).toBe('No locks were removed')
  await expect(callOn({}, cache, 'clear_git_lock', 'roots')).rejects.toThrow("Invalid role 'roots'")
})
