// Builds the programs before the tests if necessary: some tests start them as processes.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { build } from '../tools/build.ts'

export default async function buildPrograms(): Promise<void> {
  const root = join(import.meta.dirname, '..')
  if (!existsSync(join(root, 'dist', 'salt-master.js'))) await build(root)
}
