import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inside } from './inside.ts'

let root: string

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-inside-'))
  mkdirSync(join(root, 'etc/nginx/available'), { recursive: true })
  symlinkSync('/etc/nginx/available/default', join(root, 'etc/nginx/default'))
  symlinkSync('nginx', join(root, 'etc/web'))
  symlinkSync('../../../../..', join(root, 'etc/up'))
  symlinkSync('loop', join(root, 'etc/loop'))
})

afterAll(() => rmSync(root, { recursive: true }))

describe('a path inside another root', () => {
  it.each([
    ['/etc/nginx/new', 'etc/nginx/new'],
    ['/etc/nginx/default', 'etc/nginx/available/default'],
    ['/etc/web/default', 'etc/nginx/available/default'],
    ['/etc/up/etc', 'etc'],
    ['/../../x', 'x'],
  ])('%s is %s below it', (path, expected) => {
    expect(inside(root, path)).toBe(join(root, expected))
  })

  it('refuses links in a circle', () => {
    expect(() => inside(root, '/etc/loop')).toThrow('too many links')
  })
})
