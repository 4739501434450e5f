import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FILE_BACKEND, PackageFolder } from '../../test/extensions/packages.ts'
import type { Value } from '../data/mod.ts'
import { FileServer, LocalFileClient } from '../fileserver/mod.ts'
import { LocalHost } from '../host/mod.ts'
import { ownBackends } from './mod.ts'
import { ModuleFolder } from './test-modules.test-support.ts'

const host = new LocalHost()
let packages: PackageFolder
let folder: ModuleFolder

beforeEach(() => {
  packages = new PackageFolder()
  packages.use()
  folder = new ModuleFolder()
  folder.opts.set('fileserver_backend', ['kind', 'roots']).set('kind.tree', join(packages.root, 'tree'))
  folder.opts.set('file_roots', new Map<Value, Value>([['base', [join(packages.root, 'roots')]]]))
  packages.write('tree/base/web/init.sls', 'from: the extension\n')
  packages.write('tree/base/a', 'text')
  packages.write('roots/a', 'of roots')
  packages.write('roots/b', 'of roots')
})
afterEach(() => {
  packages.remove()
  folder.remove()
})

const server = (): FileServer => new FileServer(folder.opts, host, folder.log, ownBackends)
const textOf = (place: { path: string } | undefined): string => readFileSync(place!.path, 'utf8')

describe('a file server backend of an extension', () => {
  test('serves its files before later backends', async () => {
    packages.install('filed', { 'fileserver/kind.py': FILE_BACKEND })
    const files = server()
    expect(files.unknown).toEqual([])
    expect(await files.envs()).toEqual(['base'])
    expect(await files.list('base')).toMatchObject({
      files: ['a', 'b', 'web/init.sls'],
      dirs: ['web'],
      links: new Map([['link', 'a']]),
    })
    chmodSync(join(packages.root, 'tree/base/web/init.sls'), 0o751)
    const found = await files.find('web/init.sls', 'base')
    expect(found).toMatchObject({ back: 'kind', rel: 'web/init.sls', stat: { mode: 0o751, size: 20 } })
    expect([textOf(found), textOf(await files.find('a', 'base')), textOf(await files.find('b', 'base'))]).toEqual([
      'from: the extension\n',
      'text',
      'of roots',
    ])
    expect((await files.folder('', 'base'))?.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'a file',
      'b file',
      'web folder',
    ])
    packages.write('tree/base/a', 'new text')
    expect(textOf(await files.find('a', 'base'))).toBe('new text')
    for (const path of ['../a', '/etc/passwd', 'web', 'x\0']) expect(await files.find(path, 'base')).toBeUndefined()
    expect(await files.find('a', '../base')).toBeUndefined()
  })

  test('is updated when it is due, and once by a minion without a master', async () => {
    packages.write('dirs/fileserver/kind.py', FILE_BACKEND)
    folder.opts.set('module_dirs', [join(packages.root, 'dirs')]).set('kind_update_interval', 3600)
    const files = server()
    expect(files.backends().map((one) => one.interval?.())).toEqual([3600, undefined])
    for (const isDue of [true, true, false]) await files.update(() => undefined, null, { isDue })
    expect(textOf({ path: join(packages.root, 'tree.updated') })).toBe('xx')
    const client = new LocalFileClient(folder.opts, host, folder.log, host, async () => ownBackends)
    expect(await client.fetch('salt://web/init.sls', { saltenv: 'base' })).toContain('files/base/web/init.sls')
    expect(textOf({ path: join(packages.root, 'tree.updated') })).toBe('xxx')
  })

  test('forgets its copies when its cache is cleared', async () => {
    packages.install('filed', { 'fileserver/kind.py': FILE_BACKEND })
    const files = server()
    const { path } = (await files.find('a', 'base'))!
    for (const backend of files.backends()) backend.clearCache?.()
    await expect.poll(() => new LocalHost().stat(path)).toBeUndefined()
    expect(textOf(await files.find('a', 'base'))).toBe('text')
  })

  test.each([
    ['raises', 'raise RuntimeError("no room")', 'no room'],
    ['ends Python', 'import os; os._exit(3)', 'ended with status 3'],
    ['hangs', 'import time\n    while True: time.sleep(0.05)', 'took longer than 5 seconds'],
  ])('that %s fails the request, and works again afterwards', async (_what, text, reason) => {
    const serve = 'def serve_file(load, fnd):\n'
    const guard = `    import os\n    if load["path"] == "a": _fail()\n`
    const broken = FILE_BACKEND.replace(serve, `def _fail():\n    ${text}\n${serve}${guard}`)
    packages.install('filed', { 'fileserver/kind.py': broken })
    if (reason.includes('longer')) folder.opts.set('python_call_timeout', 5)
    const files = server()
    await expect(files.find('a', 'base')).rejects.toThrow(reason)
    expect(textOf(await files.find('web/init.sls', 'base'))).toBe('from: the extension\n')
  })

  test('that is not available is reported, and a missing one is unknown', async () => {
    packages.install('filed', { 'fileserver/kind.py': 'def __virtual__():\n    return False, "not today"\n' })
    await expect(server().envs()).rejects.toThrow("backend 'kind' does not serve")
    folder.opts.set('fileserver_backend', ['kinf', 'roots'])
    expect(server().unknown).toEqual(['kinf'])
    await new LocalFileClient(folder.opts, host, folder.log, host, async () => ownBackends).envs()
    expect(folder.lines.join('\n')).toContain("'fileserver_backend' names 'kinf', which is not here")
  })
})
