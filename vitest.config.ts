import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { PATIENCE_SECONDS } from './test/until.ts'

// limits only end what hangs: a busy machine must not fail a test
const PATIENCE_MS = PATIENCE_SECONDS * 1000

export default defineConfig({
  test: {
    globalSetup: ['test/built-programs.ts'],
    include: ['{src,test,tools,bench}/**/*.test.ts', 'lab/{,compare/}*.test.ts'],
    // a thread that ends closes descriptors by their numbers, which others may have by then
    pool: 'forks',
    isolate: false,
    // tests wait as long as they compute: two processes leave two cores idle half of the time
    maxWorkers: availableParallelism() + 1,
    testTimeout: 3 * PATIENCE_MS,
    hookTimeout: 3 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
  },
})
