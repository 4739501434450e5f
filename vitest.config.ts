import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{src,test,tools,bench}/**/*.test.ts', 'lab/{,compare/}*.test.ts'],
    pool: 'threads',
    isolate: false,
    // a busy machine must not fail a test that only starts processes
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
