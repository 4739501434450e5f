import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { interpreter, workerEnvironment } from './interpreter.ts'

const root = mkdtempSync(join(tmpdir(), 'brine-path-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

function program(...words: string[]): string {
  const path = join(root, ...words)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '#!/bin/sh\n')
  chmodSync(path, 0o755)
  return path
}

describe('the Python that a name means', () => {
  const plain = program('bin', 'python3')
  const shim = program('pyenv', 'shims', 'python3')
  const real = program('pyenv', 'versions', '3.11.7', 'bin', 'python3')
  const path = (...programs: string[]): NodeJS.ProcessEnv => ({ PATH: programs.map(dirname).join(':') })

  test('is the first one on the path', () => {
    expect(interpreter('python3', path(plain, real))).toBe(plain)
  })

  test('is itself when it is a path, and lies in /usr/bin when it is nowhere to be found', () => {
    expect([interpreter('/opt/python3', path(plain)), interpreter('python9', path(plain))]).toEqual([
      '/opt/python3',
      '/usr/bin/python9',
    ])
  })

  test('is never one of the working directory', () => {
    const before = process.cwd()
    process.chdir(dirname(plain))
    try {
      expect(interpreter('python3', { PATH: ':.:bin' })).toBe('/usr/bin/python3')
      expect(workerEnvironment({ PYTHONPATH: ':/opt/a:.:lib:/opt/b:' })).toEqual({ PYTHONPATH: '/opt/a:/opt/b' })
      expect(workerEnvironment({ PYTHONPATH: '', HOME: '/root' })).toEqual({ HOME: '/root' })
    } finally {
      process.chdir(before)
    }
  })

  test('is the program behind a shim of pyenv, or the shim if that program is unknown', () => {
    expect(interpreter('python3', path(shim))).toBe(shim)
    writeFileSync(join(root, 'pyenv', 'version'), '3.11.7\n')
    expect(interpreter('python3', path(shim))).toBe(real)
    expect(interpreter('python3', { ...path(shim), PYENV_VERSION: 'other' })).toBe(shim)
  })
})
