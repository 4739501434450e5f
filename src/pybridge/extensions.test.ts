import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EVERY_KIND, PackageFolder } from '../../test/extensions/packages.ts'
import { type Dict, toPlain, type Value } from '../data/mod.ts'
import { installationOf } from '../python/mod.ts'
import { reportExtensions, userGrains } from './mod.ts'
import { TestTarget } from './target.test-support.ts'
import { ModuleFolder } from './test-modules.test-support.ts'

let packages: PackageFolder
let folder: ModuleFolder

beforeEach(() => {
  packages = new PackageFolder()
  packages.use()
  folder = new ModuleFolder()
})
afterEach(() => {
  packages.remove()
  folder.remove()
})

const complaints = (): string[] => folder.lines.filter((line) => /^(error|warning|critical)/.test(line))

describe('a module of an extension', () => {
  test('serves under its own and further names, with what Salt gives to modules', async () => {
    packages.install('everykind', EVERY_KIND)
    const functions = await folder.registry()
    expect(toPlain((await functions.call('kind.word')) as Value)).toEqual(['shared', 'x', 'web1'])
    expect(await functions.call('kin.list')).toEqual(['a'])
    expect(functions.has('kind._hidden')).toBe(false)
    await expect((async () => functions.call('never.x'))()).rejects.toThrow('not today')
    expect(await functions.call('sys.list_functions', ['kind'])).toEqual(['kind.list', 'kind.word'])
    expect(toPlain((await functions.call('sys.doc', ['kind.word'])) as Value)).toEqual({
      'kind.word': 'Return a word.',
    })
    expect(await functions.call('sys.list_state_functions', ['kind'])).toEqual(['kind.present'])
    expect(complaints()).toEqual([])
  })

  test('stands before the built-in file of its name, and behind that of the user', async () => {
    packages.install('everykind', EVERY_KIND)
    expect(await (await folder.registry()).call('disk.usage')).toBe('of the extension')
    folder.write('modules/disk.py', 'def usage():\n    return "of the user"\n')
    expect(await (await folder.registry()).call('disk.usage')).toBe('of the user')
  })

  test('that salt-pip installs while a worker runs is found by that worker', async () => {
    folder.opts.set('python_extras', join(packages.root, 'opt'))
    folder.write('modules/mine.py', 'import os\ndef pid():\n    return os.getpid()\n')
    const before = await (await folder.registry()).call('mine.pid')
    const { version } = installationOf(folder.opts)
    packages.write(`opt/extras-${version}/late/__init__.py`, 'import os\nPID = os.getpid()\n')
    packages.write(`opt/extras-${version}/late/modules/late.py`, 'import late\ndef pid():\n    return late.PID\n')
    packages.write(`opt/extras-${version}/late-1.dist-info/entry_points.txt`, '[salt.loader]\nlate = late\n')
    expect(await (await folder.registry()).call('late.pid')).toEqual(before)
  })

  test('is not there when it or its extension is disabled', async () => {
    packages.install('everykind', EVERY_KIND)
    folder.opts.set('disable_modules', ['kind'])
    expect((await folder.registry()).has('kind.word')).toBe(false)
    folder.opts.delete('disable_modules')
    folder.opts.set('disable_extensions', ['saltext.everykind'])
    expect((await folder.registry()).has('kind.word')).toBe(false)
  })

  test('gives grains, and stays unread where it is not used', async () => {
    packages.install('everykind', { ...EVERY_KIND, '__init__.py': 'raise RuntimeError("read")' })
    const functions = await folder.registry()
    expect(await functions.call('test.ping')).toBe(true)
    expect(complaints()).toEqual([])
    packages.install('everykind', EVERY_KIND)
    const { host, log } = { ...functions.ctx, log: folder.log }
    expect((await userGrains({ opts: folder.opts, host, log }, new Map())).map(toPlain)).toEqual([{ kind_grain: 7 }])
  })

  test('of its own kind for salt-ssh runs here, and no other', async () => {
    packages.install('everykind', EVERY_KIND)
    const target = new TestTarget()
    const functions = await folder.registry({ host: target.host() })
    expect(toPlain((await functions.call('kind.word')) as Value)).toEqual(['here', 'there'])
    expect(functions.has('kin.list')).toBe(false)
    target.close()
  })
})

describe('a broken extension', () => {
  const GOOD = { 'modules/good.py': 'def x():\n    return 1\n' }

  test.each([
    ['raises', 'raise RuntimeError("bad day")', 'importing bad raises RuntimeError: bad day'],
    ['is no Python', 'def x(:', 'SyntaxError'],
    ['ends itself', 'import sys; sys.exit(4)', 'importing bad raises SystemExit: 4'],
    ['ends Python', 'import os; os._exit(4)', 'the import of bad'],
    ['kills Python', 'import os, signal; os.kill(os.getpid(), signal.SIGKILL)', 'by SIGKILL'],
    ['never ends', 'import time\nwhile True: time.sleep(0.1)', 'the import of bad took longer than 1 seconds'],
  ])(
    'whose package %s costs one log line and its own modules',
    async (_what, text, reason) => {
      if (text.includes('while')) folder.opts.set('python_call_timeout', 1)
      packages.install('bad', {
        '__init__.py': text,
        'modules/bad1.py': 'def x(): pass\n',
        'modules/bad2.py': 'def x(): pass\n',
      })
      packages.install('good', GOOD)
      const functions = await folder.registry()
      for (const name of ['bad1.x', 'bad2.x', 'bad1.x'])
        await expect((async () => functions.call(name))()).rejects.toThrow()
      expect(await functions.call('good.x')).toBe(1)
      expect(complaints().filter((line) => line.includes('Salt extension saltext.bad 1.2'))).toHaveLength(1)
      expect(complaints().join('\n')).toContain(reason)
    },
    30_000,
  )

  test.each([
    ['raises', 'raise RuntimeError("bad day")', 'RuntimeError: bad day'],
    ['ends Python', 'import os; os._exit(4)', 'status 4'],
    ['wants what is not here', 'import salt.no.such', 'needs salt.no'],
  ])('of which one module %s keeps its others', async (_what, text, reason) => {
    packages.install('half', { ...GOOD, 'modules/bad.py': `${text}\ndef x(): pass\n` })
    const functions = await folder.registry()
    await expect((async () => functions.call('bad.x'))()).rejects.toThrow()
    expect(await functions.call('good.x')).toBe(1)
    const lines = complaints().filter((line) => line.includes('Salt extension saltext.half 1.2'))
    expect(lines).toEqual([expect.stringContaining(reason)])
  })

  test('that prints and forks does no harm', async () => {
    const text = 'import os\nprint("hello")\nif os.fork() == 0: os._exit(0)\ndef x():\n    return 2\n'
    packages.install('noisy', { 'modules/noisy.py': text })
    const functions = await folder.registry()
    expect(await functions.call('noisy.x')).toBe(2)
    expect(folder.lines.join('\n')).toContain('hello')
  })
})

test('parts of extensions that nothing here loads are named in one warning', () => {
  packages.install('everykind', { ...EVERY_KIND, 'pkgdb/one.py': '', 'pkgfiles/one.py': '' })
  reportExtensions(folder.opts as Dict, folder.log)
  expect(folder.lines).toEqual([
    'info: Salt extensions: saltext.everykind 1.2',
    'warning: Brine does not load these parts of Salt extensions: metaproxy of saltext.everykind ' +
      '(salt-proxy has only proxy and deltaproxy); pkgdb of saltext.everykind, pkgfiles of saltext.everykind ' +
      '(spm, which uses them, is not part of Brine)',
  ])
})
