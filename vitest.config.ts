import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{src,test,tools,bench}/**/*.test.ts'],
    pool: 'threads',
    isolate: false,
    sequence: { hooks: 'list' },
  },
})
