import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { minion } from './minion.ts'

function hasVenv(): boolean {
  try {
    execFileSync('/usr/bin/python3', ['-c', 'import venv, ensurepip'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe.runIf(hasVenv())('virtualenv', () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-virtualenv-'))
  const name = join(folder, 'env')
  const salt = minion()
  afterAll(() => rmSync(folder, { recursive: true }))

  test('virtualenv.managed makes an environment once, and clears it where it is told to', async () => {
    const wish = { name, venv_bin: 'venv' }
    expect(await salt.state('virtualenv.managed', wish, true)).toMatchObject({
      result: null,
      comment: `Virtualenv ${name} is set to be created`,
    })
    expect(existsSync(name)).toBe(false)
    expect(await salt.state('virtualenv.managed', wish)).toMatchObject({
      result: true,
      comment: 'Created new virtualenv',
    })
    writeFileSync(join(name, 'mark'), '')
    expect(await salt.state('virtualenv.managed', wish)).toEqual({
      result: true,
      comment: 'virtualenv exists',
      changes: {},
    })
    expect(existsSync(join(name, 'mark'))).toBe(true)
    expect(await salt.state('virtualenv.manage', { ...wish, clear: true }, true)).toMatchObject({
      result: null,
      comment: `Virtualenv ${name} is set to be cleared`,
    })
    expect(existsSync(join(name, 'mark'))).toBe(true)
  })

  test('virtualenv.managed fails where requirements cannot be installed', async () => {
    const requirements = join(folder, 'none.txt')
    const { result, comment } = await salt.state('virtualenv.managed', { name, venv_bin: 'venv', requirements })
    expect([result, String(comment)]).toEqual([false, expect.stringContaining('none.txt')])
  })
})
