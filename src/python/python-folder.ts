// Where the Python files lie: beside the sources, and inside dist/ once they are built.
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Written in by the build. */
declare const BRINE_VERSION: string | undefined

export function workerFile(): string {
  if (typeof BRINE_VERSION === 'string') return join(dirname(realpathSync(process.argv[1]!)), 'python', 'worker.py')
  return new URL('../../python/worker.py', import.meta.url).pathname
}
