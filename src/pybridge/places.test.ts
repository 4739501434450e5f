import { afterAll, beforeAll, expect, test } from 'vitest'
import { moduleTable, Registry } from '../loader/mod.ts'
import { functionScope } from './function-modules.ts'
import { placed } from './places.ts'
import { TestTarget } from './target.test-support.ts'
import { ModuleFolder } from './test-modules.test-support.ts'

const folder = new ModuleFolder()
const target = new TestTarget()
const around = { opts: folder.opts, grains: new Map(), pillar: new Map(), log: folder.log }

beforeAll(() => {
  folder.write('utils/plain.py', 'import json\ndef text(): return json.dumps(1)\n')
  folder.write('utils/disk.py', 'import os\ndef listing(): return os.listdir("/")\n')
  folder.write('utils/deep.py', 'import disk\ndef listing(): return disk.listing()\n')
})

const PROBE = { name: 'probe', path: `${folder.root}/modules/probe.py`, language: 'python' as const }

afterAll(() => folder.remove())

async function needOf(text: string): Promise<string | undefined> {
  folder.write('modules/probe.py', text)
  const { ctx } = new Registry(moduleTable, { ...around, host: target.host() })
  const { here, onTarget } = await placed(functionScope(ctx), [PROBE])
  expect(here.length + onTarget.length).toBe(1)
  return onTarget[0]?.need
}

test.each([
  ['calls', 'def f(): return __salt__["cmd.run"]("ls")'],
  ['an import of os for its paths', 'import os\ndef f(p): return os.path.join(p, "x")'],
  ['os.path by another name', 'from os import path as p\ndef f(): return p.basename("/a")'],
  [
    'parts of salt that compute',
    'import salt.utils.data, logging\nlog = logging.getLogger(__name__)\nsalt.utils.data.is_true(1)',
  ],
  ["Salt's exceptions", 'from salt.exceptions import CommandExecutionError\ndef f(): raise CommandExecutionError("x")'],
  ["functions of salt's modules", 'import salt.modules.cmdmod\ndef f(): return salt.modules.cmdmod.run("ls")'],
  ["a user's file that computes", 'import plain\ndef f(): return plain.text()'],
  ['__utils__ of a file that computes', 'def f(): return __utils__["plain.text"]()'],
  ['a text that is no Python', 'def f(:'],
])('%s: runs here', async (_name, text) => {
  expect(await needOf(text)).toBeUndefined()
})

test.each([
  ['import os\ndef f(p):\n    return os.listdir(p)', 'uses os.listdir in line 3'],
  ['import os as system\nx = getattr(system, "x")', 'uses os in line 2'],
  ['from subprocess import *', 'uses subprocess in line 1'],
  ['def f():\n    import socket\n    return socket.gethostname()', 'uses socket.gethostname in line 3'],
  ['import salt.utils.data\ndef f(): return salt.utils.files.fopen("x")', 'uses salt.utils.files.fopen in line 2'],
  ['def f(): return open("/x").read()', 'uses open in line 1'],
  ['x = eval("1")', 'uses eval in line 1'],
  ['import xml.etree.ElementTree as ET\nx = ET.parse("x")', 'uses xml.etree.ElementTree.parse in line 2'],
  ['import requests', 'imports requests in line 1'],
  ['from disk import listing', 'imports disk, which uses os.listdir in line 2'],
  ['import deep', 'imports deep, which imports disk, which uses os.listdir in line 2'],
  ['def f(): return __utils__["disk.listing"]()', 'imports disk, which uses os.listdir in line 2'],
  ['def f(): return __utils__["files.fopen"]("x")', 'uses salt.utils.files.fopen in line 1'],
  ['def f(name): return __utils__[name]()', 'imports deep, which imports disk, which uses os.listdir in line 2'],
])('%j runs on the target', async (text, need) => {
  expect(await needOf(text)).toBe(need)
})

test('the text of a module for a target contains its names and functions', async () => {
  folder.write(
    'modules/probe.py',
    `import os
from disk import listing
from salt.exceptions import CommandExecutionError
__virtualname__ = 'zone'
__func_alias__ = {'list_': 'list'}
log = os.open
def __virtual__():
    if os.getpid():
        return 'area'
    return __virtualname__
def list_(): pass
if True:
    def more(): pass
again = more
def _hidden(): pass
`,
  )
  const { ctx } = new Registry(moduleTable, { ...around, host: target.host() })
  const { onTarget } = await placed(functionScope(ctx), [PROBE])
  expect(onTarget[0]).toMatchObject({ names: ['zone', 'area'], functions: ['listing', 'list', 'more', 'again'] })
})
