// The subject that the checklists of docs/contributing.md add to the library, file by file: it agrees with the types of the sdk, and its
// own tests pass.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stepsOf } from './blocks.ts'

const ROOT = join(import.meta.dirname, '../..')
const clone = mkdtempSync(join(tmpdir(), 'brine-checklist-'))

/** Return the output and the exit status of a program of `node_modules`. */
function run(program: string, ...args: string[]): { output: string; status: number | null } {
  const { VITEST: _, ...env } = process.env
  const options = { cwd: clone, env: { ...env, NO_COLOR: '1' }, encoding: 'utf8' } as const
  const { stdout, stderr, status } = spawnSync(join(ROOT, 'node_modules', '.bin', program), args, options)
  return { output: stdout + stderr, status }
}

beforeAll(() => {
  mkdirSync(join(clone, 'src'))
  const rooms = readdirSync(join(ROOT, 'src')).filter((name) => name !== 'library')
  for (const path of ['node_modules', 'package.json', ...rooms.map((room) => `src/${room}`)])
    symlinkSync(join(ROOT, path), join(clone, path))
  const options = { extends: join(ROOT, 'tsconfig.json'), include: ['src/library'], exclude: [] }
  writeFileSync(join(clone, 'tsconfig.json'), JSON.stringify(options))
  for (const step of stepsOf(readFileSync(join(ROOT, 'docs/contributing.md'), 'utf8'))) {
    if (step.kind !== 'file') continue
    mkdirSync(dirname(join(clone, step.path)), { recursive: true })
    writeFileSync(join(clone, step.path), step.text)
  }
})
afterAll(() => rmSync(clone, { recursive: true, force: true }))

test('the examples have the types of the sdk', () => {
  expect(run('tsc', '-p', clone)).toEqual({ output: '', status: 0 })
})

test('the tests of the examples pass', () => {
  const { output, status } = run('vitest', 'run', '--root', clone, '--dir', 'src/library')
  expect(status, output).toBe(0)
  expect(output).toMatch(/Test Files +2 passed/)
})
