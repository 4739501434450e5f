import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { adopt, stagingFor } from './extras-folder.ts'

let root: string
let extras: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-extras-'))
  extras = join(root, 'opt', 'extras-3.11')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** Install files as pip does: into the staging folder, with a list of the files. */
function install(distribution: string, files: Readonly<Record<string, string>>): void {
  const staging = stagingFor(extras)
  const record = `${distribution}.dist-info/RECORD`
  const listed = Object.keys(files).map((path) => `${path},sha256=abc,1\n`)
  for (const [path, text] of Object.entries({ ...files, [record]: `${listed.join('')}${record},,\n` })) {
    if (path.startsWith('..')) continue
    mkdirSync(dirname(join(staging, path)), { recursive: true })
    writeFileSync(join(staging, path), text)
  }
  adopt(staging, extras)
}

const textOf = (path: string): string => readFileSync(join(extras, path), 'utf8')
const has = (path: string): boolean => existsSync(join(extras, path))

describe('the folder of salt-pip', () => {
  test('takes several extensions, which share the folder saltext', () => {
    install('saltext_vault-1.0', { 'saltext/vault/__init__.py': 'vault' })
    install('saltext.redis-1.0', { 'saltext/redis/__init__.py': 'redis' })
    expect(textOf('saltext/vault/__init__.py')).toBe('vault')
    expect(textOf('saltext/redis/__init__.py')).toBe('redis')
  })

  test('contains one version of a package, without files of the previous one', () => {
    install('saltext_redis-1.0', { 'saltext/redis/__init__.py': 'redis' })
    install('saltext.vault-1.0', { 'saltext/vault/__init__.py': '1', 'saltext/vault/old/gone.py': '1' })
    mkdirSync(join(extras, 'saltext/vault/old/__pycache__'))
    writeFileSync(join(extras, 'saltext/vault/old/__pycache__/gone.pyc'), '')
    install('saltext_vault-1.10', { 'saltext/vault/__init__.py': '2' })
    expect(textOf('saltext/vault/__init__.py')).toBe('2')
    expect(has('saltext/vault/old')).toBe(false)
    expect(has('saltext.vault-1.0.dist-info')).toBe(false)
    expect(has('saltext/redis/__init__.py')).toBe(true)
  })

  test('loses no file outside of it to the list of a package', () => {
    writeFileSync(join(root, 'kept'), '')
    install('odd-1', { '../../kept': '', 'odd.py': '1' })
    install('odd-2', { 'odd.py': '2' })
    expect(existsSync(join(root, 'kept'))).toBe(true)
    expect(textOf('odd.py')).toBe('2')
  })
})
