// The scripts of packages: complete, and safe where the user `salt`, who is not trusted like root, owns directories that they touch.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { PACKAGES } from './relations.ts'
import { scriptsOf } from './scripts.ts'

const root = join(import.meta.dirname, '..', '..')
const NOBODY = 65_534

const all = (['deb', 'rpm'] as const).flatMap((format) =>
  PACKAGES.flatMap((name) =>
    [...scriptsOf(root, format, name)].map(([moment, text]) => ({ format, name, moment, text })),
  ),
)

/** Functions of the shared files, by name. */
const functions = ['scripts/files.sh', 'scripts/user.sh', 'deb/service.sh', 'rpm/service.sh'].flatMap((path) => {
  return [...readFileSync(join(root, 'packaging', path), 'utf8').matchAll(/^(\w+)\(\)/gm)].map(([, name]) => name!)
})

describe.each(all)('$format script $moment of $name', ({ text }) => {
  it('is valid for sh and has each function that it calls', () => {
    expect(spawnSync('sh', ['-n'], { input: text, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
    const code = text.replace(/^\s*#.*$/gm, '')
    const called = functions.filter((name) => new RegExp(`(^|[\\s;&|!(])${name}(?!\\()\\b`, 'm').test(code))
    for (const name of called) expect(code).toMatch(new RegExp(`^${name}\\(\\) \\{$`, 'm'))
  })

  it('uses nothing that only bash has, and no directory that everybody may write to', () => {
    expect(text).not.toMatch(/\[\[|\blocal\b|\bfunction\b|\/tmp\/|chown|chmod/)
  })
})

// below /tmp every user may write, so scripts refuse to work there
describe.runIf(process.getuid?.() === 0)('a script of root', () => {
  const home = mkdtempSync(join(homedir(), '.brine-scripts-'))
  afterAll(() => rmSync(home, { recursive: true }))
  const library = readFileSync(join(root, 'packaging', 'scripts', 'files.sh'), 'utf8')

  /** A temporary folder with a default file, in which a script runs. */
  function place(owner: number): { folder: string; sh(script: string): void } {
    const folder = mkdtempSync(join(home, 'case-'))
    writeFileSync(join(folder, 'default'), 'default\n')
    mkdirSync(join(folder, 'etc'))
    chownSync(join(folder, 'etc'), owner, owner)
    const sh = (script: string): void => {
      const text = `set -e\n${library.replace(/^MADE=.*$/m, `MADE=${folder}/made`)}\n${script}`
      execFileSync('sh', ['-c', text], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    }
    return { folder, sh }
  }

  it('makes a default file, and takes it back while nobody has changed it', () => {
    const { folder, sh } = place(0)
    const target = join(folder, 'etc', 'master')
    sh(`note_absent ${target}; place default ${target}`)
    expect(readFileSync(target, 'utf8')).toBe('default\n')
    sh(`take_back default ${target}`)
    expect(existsSync(target)).toBe(false)
    sh(`place default ${target}; echo changed >> ${target}; take_back default ${target}`)
    expect(readFileSync(target, 'utf8')).toBe('default\nchanged\n')
    sh(`place default ${target}`)
    expect(readFileSync(target, 'utf8')).toBe('default\nchanged\n')
  })

  it('removes what it made and nothing else', () => {
    const { folder, sh } = place(0)
    writeFileSync(join(folder, 'etc', 'kept'), '')
    sh(`note_absent ${folder}/etc/kept ${folder}/etc/pki; mkdir ${folder}/etc/pki; : > ${folder}/etc/pki/key`)
    sh(`remove_made ${folder}/etc/kept ${folder}/etc/pki; forget ${folder}/etc/kept ${folder}/etc/pki`)
    expect([existsSync(join(folder, 'etc', 'kept')), existsSync(join(folder, 'etc', 'pki'))]).toEqual([true, false])
    expect(existsSync(join(folder, 'made'))).toBe(false)
  })

  it('writes through no link', () => {
    const { folder, sh } = place(0)
    symlinkSync(join(folder, 'victim'), join(folder, 'etc', 'master'))
    sh(`place default ${folder}/etc/master`)
    expect(existsSync(join(folder, 'victim'))).toBe(false)
  })

  it('makes and removes nothing in a directory of another user', () => {
    const { folder, sh } = place(NOBODY)
    const [target, victim] = [join(folder, 'etc', 'pki', 'master'), join(folder, 'victim')]
    mkdirSync(join(victim, 'master'), { recursive: true })
    sh(`note_absent ${target} ${folder}/etc/log`)
    symlinkSync(victim, join(folder, 'etc', 'pki'))
    writeFileSync(join(folder, 'etc', 'log'), '')
    sh(`remove_made ${target}; remove_log ${folder}/etc/log; remove_empty ${target}; place default ${folder}/etc/new`)
    expect(existsSync(join(victim, 'master'))).toBe(true)
    expect([existsSync(join(folder, 'etc', 'log')), existsSync(join(folder, 'etc', 'new'))]).toEqual([true, false])
  })
})
