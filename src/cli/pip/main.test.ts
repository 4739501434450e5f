import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isUnplacedInstall, saltPip } from './main.ts'

let root: string
let printed: { out: string; err: string }

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-pip-'))
  printed = { out: '', err: '' }
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** A program in the place of Python, which notes how pip was called. */
function python(folder: string, { hasPip = true, status = 0 } = {}): string {
  mkdirSync(join(root, folder, 'bin'), { recursive: true })
  const program = join(root, folder, 'bin', 'python3.11')
  const text = `#!/bin/sh
[ "$1" = -c ] && exit ${hasPip ? 0 : 1}
[ "$3" = list ] && [ "$4" = --path ] && { echo '[{"name": "Salt_Ext.Own"}]'; exit 0; }
echo "$@ PYTHONPATH=$PYTHONPATH" >> ${root}/called
exit ${status}
`
  writeFileSync(program, text, { mode: 0o755 })
  return program
}

async function run(program: string, ...words: string[]): Promise<number> {
  const conf = join(root, 'etc')
  mkdirSync(conf, { recursive: true })
  writeFileSync(join(conf, 'minion'), `root_dir: ${root}\npython_executable: ${program}\npython_extras: ${root}/opt\n`)
  const streams = {
    out: (text: string) => void (printed.out += text),
    err: (text: string) => void (printed.err += text),
    terminal: false,
  }
  return saltPip(words, streams, { PATH: process.env['PATH'], SALT_CONFIG_DIR: conf })
}

const called = (): string => readFileSync(join(root, 'called'), 'utf8').replaceAll(root, '')

describe('salt-pip', () => {
  test('installs into a folder of its own, where a Python of the system is used, and exits as pip does', async () => {
    expect(await run(python('usr', { status: 3 }), 'install', 'saltext.vault')).toBe(3)
    const place =
      /^-m pip install saltext\.vault --target=\/opt\/extras-3\.11\.new-\w+ PYTHONPATH=\/opt\/extras-3\.11\n$/
    expect(called()).toMatch(place)
    expect(readdirSync(join(root, 'opt'))).toEqual([])
  })

  test('says that its folder cannot be written to', async () => {
    writeFileSync(join(root, 'opt'), 'no folder')
    expect(await run(python('usr'), 'install', 'saltext.vault')).toBe(1)
    expect(printed.err).toMatch(/^salt-pip: Cannot install into .*\/opt\/extras-3\.11: /)
  })

  test('installs into a virtual environment', async () => {
    const program = python('venv')
    writeFileSync(join(root, 'venv', 'pyvenv.cfg'), 'home = /usr/bin\nversion = 3.11.2\n')
    expect(await run(program, 'install', 'saltext.vault')).toBe(0)
    expect(called()).toBe('-m pip install saltext.vault PYTHONPATH=\n')
  })

  test('uninstalls only packages that it installed', async () => {
    const program = python('usr')
    expect(await run(program, 'uninstall', '-y', 'requests')).toBe(1)
    expect(printed.err).toBe(`salt-pip: requests: not installed in ${root}/opt/extras-3.11\n`)
    expect(await run(program, 'uninstall', '-y', 'salt-ext-own')).toBe(0)
    expect(called()).toContain('-m pip uninstall -y salt-ext-own')
  })

  test('reports missing parts', async () => {
    expect(await run(join(root, 'none'), 'list')).toBe(69)
    expect(printed.err).toContain(`salt-pip: ${root}/none is not a program. Install Python 3`)
    expect(await run(python('bare', { hasPip: false }), 'list')).toBe(69)
    expect(printed.err).toContain('has no pip. Install the package python3-pip')
    expect(await run(python('usr'))).toBe(1)
    expect(printed.out).toMatch(/^Usage: salt-pip/)
  })
})

test.each([
  ['install x', true],
  ['install --target=/t x', false],
  ['install -t /t x', false],
  ['list', false],
])('the words %j need a place to install to: %j', (words, wanted) => {
  expect(isUnplacedInstall(words.split(' '))).toBe(wanted)
})
