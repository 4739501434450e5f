// The lab's tests: one file after the other, since each boots hosts of its own and the machine is shared. Those of tests/long run only
// when files are named.
import { defineConfig } from 'vitest/config'
import { PATIENCE_SECONDS } from '../test/until.ts'

// limits only end what hangs: a busy machine must not fail a test
const PATIENCE_MS = PATIENCE_SECONDS * 1000

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['tests/*.test.ts', ...(process.env['BRINE_LAB_LONG'] ? ['tests/long/*.test.ts'] : [])],
    globalSetup: './program.ts',
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 5 * PATIENCE_MS,
    hookTimeout: 5 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
  },
})
