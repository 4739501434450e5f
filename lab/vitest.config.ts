// The lab's tests: one file after the other, since each boots hosts of its own and the machine is shared.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['tests/*.test.ts'],
    globalSetup: './program.ts',
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
