// Our programs as hosts get them: built from the sources as they stand, once for a whole run of tests.
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from '../tools/build.ts'
import { CACHE, removeTree } from './cache.ts'
import { OWN_NAME } from './owner.ts'

/** Where labs keep what lasts as long as they do, each in a folder of its own name. */
export const RUNNING = join(CACHE, 'running')

const PROJECT = join(import.meta.dirname, '..')
const SHARED = 'BRINE_LAB_PROGRAM'

/** The folder of the programs: the one that this run of tests shares, else a new one that goes with the lab. */
export async function program(): Promise<string> {
  const shared = process.env[SHARED]
  if (shared !== undefined) return shared
  const folder = join(RUNNING, OWN_NAME, 'program')
  mkdirSync(folder, { recursive: true })
  copyFileSync(join(PROJECT, 'package.json'), join(folder, 'package.json'))
  await build(PROJECT, join(folder, 'dist'))
  return folder
}

/** What vitest calls before all tests; what it returns, after them. */
export default async function shareProgram(): Promise<() => Promise<void>> {
  process.env[SHARED] = await program()
  return () => removeTree(join(RUNNING, OWN_NAME))
}
