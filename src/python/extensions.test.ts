import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PackageFolder } from '../../test/extensions/packages.ts'
import { type Dict, dictFrom, type Value } from '../data/mod.ts'
import { entryPoints, installedExtensions } from './extensions.ts'
import { readModule } from './module-text.ts'
import { pythonInstallation } from './site-folders.ts'

let packages: PackageFolder
let lines: string[]

beforeEach(() => {
  packages = new PackageFolder()
  packages.use()
  lines = []
})
afterEach(() => packages.remove())

const opts = (more: Record<string, Value> = {}): Dict => dictFrom(more)
const found = (more: Record<string, Value> = {}) =>
  installedExtensions(opts(more), (level, text) => lines.push(`${level}: ${text}`)).map((one) => ({
    name: one.name,
    version: one.version,
    folders: [...one.folders].map(([kind, paths]) => [kind, paths.map((path) => path.replace(packages.root, ''))]),
  }))

describe('installed extensions', () => {
  test('are packages with an entry point of Salt, and their folders are the kinds', () => {
    packages.install('plain', { 'modules/a.py': '', 'states/a.py': '', '_private/x.py': '' })
    packages.write('other-1.dist-info/entry_points.txt', '[console_scripts]\nsalt.loader = x:y\n')
    expect(found()).toEqual([
      {
        name: 'saltext.plain',
        version: '1.2',
        folders: [
          ['modules', ['/plain/modules']],
          ['states', ['/plain/states']],
        ],
      },
    ])
  })

  test('are seen as soon as they are installed, and gone when they are removed or disabled', () => {
    expect(found()).toEqual([])
    packages.install('plain', { 'modules/a.py': '' })
    expect(found()).toHaveLength(1)
    expect(found({ disable_extensions: ['saltext-PLAIN'] })).toEqual([])
    expect(found({ disable_extensions: ['saltext*'] })).toEqual([])
    expect(found({ disable_extensions: ['plain'] })).toHaveLength(1)
  })

  test('may be named by path files, as editable installations are', () => {
    const elsewhere = new PackageFolder()
    elsewhere.install('linked', { 'modules/a.py': '' })
    packages.write('linked.pth', `# a comment\nimport sys\n${elsewhere.root}\n`)
    expect(found().map(({ name }) => name)).toEqual(['saltext.linked'])
    elsewhere.remove()
  })

  test('may name functions: of folders by kind, or in the old form of folders for one option', () => {
    const python = `
import os
HERE = os.path.dirname(__file__)
def kinds():
    print("to nobody")
    return {"modules": [os.path.join(HERE, "mine")]}
def states():
    return [os.path.join(HERE, "theirs")]
`
    packages.install('asked', { 'loader.py': python }, 'a = asked.loader:kinds\nstates_dirs = asked.loader:states')
    expect(found()[0]!.folders).toEqual([
      ['modules', ['/asked/mine']],
      ['states', ['/asked/theirs']],
    ])
  })

  test.each([
    ['raise RuntimeError("no")', 'RuntimeError: no'],
    ['import sys; sys.exit(3)', 'SystemExit: 3'],
    ['import os; os._exit(3)', 'the entry point bad.loader:kinds ended Python with status 3'],
    [
      'import os, signal; os.kill(os.getpid(), signal.SIGKILL)',
      'the entry point bad.loader:kinds ended Python by SIGKILL',
    ],
    ['return {"modules": "/tmp"}', 'A single string is not supported'],
    ['return {"modules": ["relative"]}', undefined],
  ])('whose function does not answer are reported: %s', (body, reason) => {
    packages.install('bad', { 'loader.py': `def kinds():\n    ${body}\n` }, 'a = bad.loader:kinds')
    packages.install('good', { 'modules/a.py': '' })
    expect(found().map(({ name, folders }) => [name, folders.flatMap(([, paths]) => paths)])).toEqual([
      ['saltext.bad', []],
      ['saltext.good', ['/good/modules']],
    ])
    if (reason === undefined) expect(lines).toEqual([])
    else expect(lines).toEqual([expect.stringContaining(`Salt extension saltext.bad 1.2 cannot be loaded: `)])
    if (reason !== undefined) expect(lines[0]).toContain(reason)
  })
})

test.each([
  ['[salt.loader]\na = b.c\n[x]\nd = e', [['a', 'b.c', undefined]]],
  ['[salt.loader]\na=b:c.d [extra]\n# e = f\n', [['a', 'b', 'c.d']]],
  ['[salt.loader]\na = ../../etc\nb = /etc\nc\n', []],
  ['[other]\nsalt.loader = b\n', []],
])('entry points are read from %j', (text, wanted) => {
  expect(entryPoints(text).map(({ name, module, attr }) => [name, module, attr])).toEqual(wanted)
})

describe('the text of a module', () => {
  const MODULE = `
"""
def quoted(): pass
"""
from os import (
    path as place,
    sep,
)
import re
__virtualname__ = "zone"
__virtual_aliases__ = ["area"]
__func_alias__ = {"list_": "list"}
CONSTANT = 1
def __virtual__():
    if CONSTANT:
        return "district"
    return __virtualname__
def list_():
    def inner(): pass
try:
    def maybe(): pass
except ImportError:
    again = list_
def _hidden(): pass
`
  test('reports its names and at least its functions', () => {
    expect(readModule(MODULE, 'file')).toEqual({
      names: ['zone', 'district', 'area'],
      functions: ['place', 'sep', 'list', 'maybe', 'again'],
      isComplete: true,
    })
  })

  test('reports that names are unknown when it imports all names or computes its own', () => {
    expect(readModule('from x import *\n', 'file').isComplete).toBe(false)
    expect(readModule('__virtualname__ = NAME\ndef __virtual__():\n    return True\n', 'file').isComplete).toBe(false)
  })

  test('has the name of its file without __virtual__', () => {
    expect(readModule('__virtualname__ = "zone"\ndef x(): pass\n', 'file').names).toEqual(['file'])
  })
})

describe('the folders of an interpreter', () => {
  const interpreterIn = (folder: string): string => {
    mkdirSync(join(packages.root, folder, 'bin'), { recursive: true })
    const program = join(packages.root, folder, 'bin', 'python3.9')
    writeFileSync(program, '', { mode: 0o755 })
    return program
  }
  const env = { PYTHONNOUSERSITE: '1' }

  test('are those of its prefix and of salt-pip', () => {
    const program = interpreterIn('usr')
    const { version, venv, extras, folders } = pythonInstallation(program, '/opt/x', env)
    expect([version, venv, extras]).toEqual(['3.9', undefined, '/opt/x/extras-3.9'])
    expect(folders).toEqual([
      '/opt/x/extras-3.9',
      join(packages.root, 'usr/lib/python3.9/site-packages'),
      join(packages.root, 'usr/lib64/python3.9/site-packages'),
    ])
  })

  test('of a virtual environment are its own, and those of the system when it says so', () => {
    const program = interpreterIn('venv')
    const settings = (system: boolean): void =>
      packages.write('venv/pyvenv.cfg', `home = /usr/bin\ninclude-system-site-packages = ${system}\nversion = 3.9.2\n`)
    settings(false)
    const { venv, extras, folders } = pythonInstallation(program, '/opt/x', env)
    expect([venv, extras, folders.some((folder) => folder.startsWith('/usr'))]).toEqual([
      join(packages.root, 'venv'),
      undefined,
      false,
    ])
    settings(true)
    expect(pythonInstallation(program, '/opt/x', env).folders).toContain('/usr/lib/python3/dist-packages')
  })
})
