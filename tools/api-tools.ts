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

/** Lint the OpenAPI document, and have a generated client drive a job. */
export async function apiContract(root: string): Promise<StepResult> {
  const folder = await toolsOf(root)
  if (folder === undefined) return { passed: 0, failed: 0, note: 'skipped: the tools cannot be had' }
  const args = ['run', TEST, '-t', 'tools of others']
  const env = { BRINE_API_TOOLS: folder }
  const { code, output } = await runCommand(root, join(root, 'node_modules', '.bin', 'vitest'), args, env)
  return code === 0 ? { passed: 2, failed: 0 } : { passed: 0, failed: 1, details: output }
}
