// The Debian packages, made of the built programs and a stand-in for Node.js, which is large. lab/tests/long/packages.test.ts installs real ones.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toError } from '../../src/base/mod.ts'
import { makeDeb } from './deb.ts'
import type { Making } from './layout.ts'
import { fitToPackage } from './programs.ts'
import { PACKAGES, type PackageName } from './relations.ts'

const root = join(import.meta.dirname, '..', '..')
const { bin, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'brine-deb-'))
afterAll(() => rmSync(folder, { recursive: true }))

const hasDpkg = existsSync('/usr/bin/dpkg-deb')

const making: Making = {
  root,
  format: 'deb',
  architecture: 'amd64',
  release: { version, revision: '3', date: 1_700_000_000, maintainer: 'A <a@example.com>' },
  built: { node: join(folder, 'node'), dist: join(folder, 'dist'), notes: [] },
}

const files = new Map<PackageName, string>()
let absent = ''

function prepare(): void {
  cpSync(join(root, 'dist'), making.built.dist, { recursive: true, filter: (path) => !path.endsWith('/types') })
  fitToPackage(making.built.dist)
  mkdirSync(join(making.built.node, 'bin'), { recursive: true })
  writeFileSync(join(making.built.node, 'bin', 'node'), `#!/bin/sh\nexec ${process.execPath} "$@"\n`, { mode: 0o755 })
  writeFileSync(join(making.built.node, 'LICENSE'), 'a licence\n')
}

const output = (program: string, ...words: string[]): string => execFileSync(program, words, { encoding: 'utf8' })

const field = (name: PackageName, wanted: string): string =>
  output('dpkg-deb', '--field', files.get(name)!, wanted).trim()

const contents = (name: PackageName): string => output('dpkg-deb', '--contents', files.get(name)!)

beforeAll(async () => {
  if (!hasDpkg) return
  prepare()
  try {
    for (const name of PACKAGES) files.set(name, await makeDeb(name, making, join(folder, 'work'), folder, 'quick'))
  } catch (error) {
    absent = toError(error).message
    // without the registry there are no native modules to pack
    if (!absent.startsWith('npm pack')) throw error
    process.stderr.write(`Skipped, because packages of npm cannot be fetched: ${absent}\n`)
  }
})

describe.runIf(hasDpkg)('a Debian package', () => {
  it('stands for the package of Salt, and not beside it', (context) => {
    if (absent !== '') context.skip()
    expect(field('brine', 'Provides')).toBe('salt-common, salt-ssh, salt-cloud')
    expect(field('brine', 'Conflicts')).toContain('salt-common')
    for (const role of ['master', 'minion', 'api', 'syndic'] as const) {
      expect(field(`brine-${role}`, 'Provides')).toBe(`salt-${role} (= 3008.2)`)
      expect(field(`brine-${role}`, 'Conflicts').split(', ')).toContain(`salt-${role}`)
      expect(field(`brine-${role}`, 'Architecture')).toBe('all')
      expect(field(`brine-${role}`, 'Depends')).toContain(`(= ${version}-3)`)
    }
    // one that conflicted with salt-master would conflict with brine-master
    expect(field('brine', 'Conflicts')).not.toMatch(/salt-(master|minion|api|syndic)/)
    expect(field('brine-master', 'Conflicts')).toBe('salt-master')
    expect(field('brine-syndic', 'Depends')).toBe(`brine (= ${version}-3), brine-master (= ${version}-3)`)
  })

  it('has every program, with the manual pages and completions of the build', (context) => {
    if (absent !== '') context.skip()
    const listed = contents('brine')
    for (const name of Object.keys(bin)) expect(listed).toContain(`./usr/bin/${name} -> ../lib/brine/dist/${name}.js`)
    for (const path of [
      'man/man1/salt.1.gz',
      'man/man1/salt-cloud.1.gz',
      'man/man1/salt-syndic.1.gz',
      'bash-completion/completions/salt',
      'bash-completion/completions/salt-cloud',
      'bash-completion/completions/salt-syndic',
      'zsh/vendor-completions/_brine',
      'brine/completion/complete.sh',
      'brine/completion/index/modules',
      'fish/vendor_completions.d/salt.fish',
      'doc/brine/copyright',
      'doc/brine/changelog.Debian.gz',
    ]) {
      expect(listed).toContain(`./usr/share/${path}`)
    }
    expect(listed).not.toMatch(/__pycache__|\/dist\/man\/|\.d\.ts/)
    expect(listed.split('\n').filter((line) => line !== '' && !/^[dl-]\S+ root\/root /.test(line))).toEqual([])
    const target = join(folder, 'unpacked')
    output('dpkg-deb', '--extract', files.get('brine')!, target)
    expect(readFileSync(join(target, 'usr/lib/brine/dist/salt-call.js'), 'utf8')).toMatch(
      /^#!\/usr\/lib\/brine\/bin\/node\n/,
    )
    expect(output(process.execPath, join(target, 'usr/lib/brine/dist/salt-call.js'), '--version')).toMatch(
      /^salt-call 3008/,
    )
    const query = `new (require('libsql'))(':memory:').prepare('select 1 one').get().one`
    const found = execFileSync(process.execPath, ['-p', query], {
      cwd: join(target, 'usr/lib/brine'),
      encoding: 'utf8',
    })
    if (process.arch === 'x64') expect(found.trim()).toBe('1')
  })

  it('brings units and no file below /etc', (context) => {
    if (absent !== '') context.skip()
    for (const name of PACKAGES) {
      expect(
        contents(name)
          .split('\n')
          .filter((line) => /^-.* \.\/etc\//.test(line)),
      ).toEqual([])
      expect(output('dpkg-deb', '--ctrl-tarfile', files.get(name)!)).not.toContain('conffiles')
    }
    for (const role of ['master', 'minion', 'api', 'syndic'] as const)
      expect(contents(`brine-${role}`)).toContain(`./lib/systemd/system/salt-${role}.service`)
  })

  it('is the same, byte for byte, when it is made again', async (context) => {
    if (absent !== '') context.skip()
    const again = join(folder, 'again')
    mkdirSync(again)
    for (const name of PACKAGES) {
      const file = await makeDeb(name, making, join(folder, 'elsewhere'), again, 'quick')
      expect(readFileSync(file).equals(readFileSync(files.get(name)!)), name).toBe(true)
    }
  })
})
