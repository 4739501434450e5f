// Repeats a check until it passes, however long a busy machine takes.
import { vi } from 'vitest'
import { PATIENCE_SECONDS } from './until.ts'

export const eventually = <T>(attempt: () => T | Promise<T>, interval = 50): Promise<T> =>
  vi.waitFor(attempt, { timeout: PATIENCE_SECONDS * 1000, interval })
