// Tools of others for the contract of the API: a linter of OpenAPI documents, and a generator of typed clients. They are npm packages,
// kept below .brine/api-tools and not among our dependencies: the generator needs an older TypeScript than this project.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './command.ts'
import type { StepResult } from './gate.ts'

const PACKAGES = ['@redocly/cli@2.73.0', 'openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9']

const TEST = 'test/api/v1-contract.test.ts'

/** Install the tools where they are not there yet. Return their folder, or undefined when they cannot be had. */
async function toolsOf(root: string): Promise<string | undefined> {
  const folder = join(root, '.brine', 'api-tools')
  const isThere = (): boolean => existsSync(join(folder, 'node_modules', '.bin', 'redocly'))
  if (isThere()) return folder
  mkdirSync(folder, { recursive: true })
  const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1']
  await runCommand(root, 'npm', ['install', ...options, '--prefix', folder, ...PACKAGES])
  return isThere() ? folder : undefined
}

/** Run the tests of the contract whose names have a text. Return undefined when the tools cannot be had. */
async function runTests(root: string, name: string, more: Record<string, string> = {}) {
  const folder = await toolsOf(root)
  if (folder === undefined) return undefined
  const env = { BRINE_API_TOOLS: folder, ...more }
  return runCommand(root, join(root, 'node_modules', '.bin', 'vitest'), ['run', TEST, '-t', name], env)
}

/** Lint the OpenAPI document, compare the types of the console, and have a generated client drive a job. */
export async function apiContract(root: string): Promise<StepResult> {
  const ran = await runTests(root, 'tools of others')
  if (!ran) return { passed: 0, failed: 0, note: 'skipped: the tools cannot be had' }
  return ran.code === 0 ? { passed: 3, failed: 0 } : { passed: 0, failed: 1, details: ran.output }
}

/** Write the types of the console from the OpenAPI document. */
export async function writeConsoleTypes(root: string): Promise<void> {
  const ran = await runTests(root, 'types that the console has', { BRINE_WRITE_TYPES: '1' })
  if (!ran) throw new Error('The generator of types cannot be installed: is the npm registry reachable?')
  if (ran.code !== 0) throw new Error(ran.output)
}
