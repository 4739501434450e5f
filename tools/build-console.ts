// Builds only the console, for developers: the API serves it from dist/console.
import { join } from 'node:path'
import { buildConsole } from './build/console.ts'

const root = join(import.meta.dirname, '..')
await buildConsole(root, join(root, 'dist', 'console'))
