// A target whose functions run on another machine: on which machine a path is, and how commands see the controller's
// files.
import { describe, expect, test } from 'vitest'
import { askedBy } from '../base/mod.ts'
import { MemoryHost } from './memory/memory-host.ts'
import { splitHost } from './split-host.ts'

const FOLDER = '/var/cache/ssh/web1'
const text = async (bytes: Promise<Uint8Array>): Promise<string> => Buffer.from(await bytes).toString()

async function machines() {
  const controller = await MemoryHost.with({
    files: { [`${FOLDER}/files/a.sh`]: 'echo a\n', '/srv/salt/a.sh': 'root\n' },
  })
  const target = await MemoryHost.with({ files: { '/etc/motd': 'target\n' }, commands: [() => ''] })
  const ran = (): string[][] => target.history.map(({ argv }) => [...argv])
  return { ran, controller, target, host: splitHost({ folder: FOLDER, controller, target }) }
}

describe('files', () => {
  test('below the folder are the controller’s, all others the target’s', async () => {
    const { host } = await machines()
    expect(await text(host.read(`${FOLDER}/files/a.sh`))).toBe('echo a\n')
    expect(await text(host.read('/etc/motd'))).toBe('target\n')
    expect(await host.stat('/srv/salt/a.sh')).toBeUndefined()
    expect(await host.stat(`${FOLDER}x/files`)).toBeUndefined()
  })

  test('are copied and moved between both', async () => {
    const { host, target, controller } = await machines()
    await host.copy(`${FOLDER}/files/a.sh`, '/etc/a.sh')
    expect(await text(target.read('/etc/a.sh'))).toBe('echo a\n')
    await host.rename('/etc/motd', `${FOLDER}/files/motd`)
    expect(await target.stat('/etc/motd')).toBeUndefined()
    expect(await text(controller.read(`${FOLDER}/files/motd`))).toBe('target\n')
  })
})

describe('the rest of the controller', () => {
  const OUTSIDE = `${FOLDER}/../../../../srv/salt/a.sh`

  test('is not reached by dots in a path', async () => {
    const { host, ran } = await machines()
    expect(await host.stat(OUTSIDE)).toBeUndefined()
    await expect(host.read(OUTSIDE)).rejects.toThrow('No such file')
    await host.run({ argv: ['cat', OUTSIDE] })
    await host.run({ argv: ['sh', '-c', `cat ${OUTSIDE}`] })
    expect(ran()).toEqual([
      ['cat', OUTSIDE],
      ['sh', '-c', `cat ${OUTSIDE}`],
    ])
  })

  test('is not reached by links in the folder', async () => {
    const { host, controller } = await machines()
    const path = `${FOLDER}/files/link`
    await expect(host.symlink('/srv/salt/a.sh', path)).rejects.toThrow('Operation not permitted')
    await expect(host.link('/srv/salt/a.sh', path)).rejects.toThrow('cross-device')
    expect(await controller.lstat(path)).toBeUndefined()
    await host.link(`${FOLDER}/files/a.sh`, path)
    expect(await text(host.read(path))).toBe('echo a\n')
  })

  test('and its folder for the target are not changed by requests of the target', async () => {
    const { host, controller } = await machines()
    const path = `${FOLDER}/extmods/modules/x.py`
    const asked = <T>(work: () => Promise<T>): Promise<T> => askedBy('target', work)
    const changes: Array<() => Promise<unknown>> = [
      () => host.write(path, 'x'),
      () => host.symlink('/srv', path),
      () => host.copy('/etc/motd', path),
      () => host.rename('/etc/motd', path),
      () => host.tempFile({ directory: FOLDER }),
      () => host.remove(`${FOLDER}/files/a.sh`),
    ]
    for (const change of changes) await expect(asked(change)).rejects.toThrow('Permission denied')
    expect(await controller.stat(path)).toBeUndefined()
    expect(await text(asked(() => host.read(`${FOLDER}/files/a.sh`)))).toBe('echo a\n')
  })
})

test.each(['extmods/modules/x.py', 'proc/20260101000000000001', 'contacted-0123456789abcdef', 'files/../reads'])(
  'The file %s of the session is not changed by functions of the target',
  async (name) => {
    const { host } = await machines()
    expect(() => host.write(`${FOLDER}/${name}`, 'x')).toThrow('Permission denied')
  },
)

describe('commands', () => {
  test('get copies of the controller’s files that they name', async () => {
    const { host, target, ran } = await machines()
    await host.run({ argv: ['/bin/sh', `${FOLDER}/files/a.sh`, 'x'] })
    const copy = ran()[0]![1]!
    expect(copy).not.toContain(FOLDER)
    expect(await text(target.read(copy))).toBe('echo a\n')
    await host.run({ argv: ['/bin/sh', '-c', `sh '${FOLDER}/files/a.sh' && ls ${FOLDER}/none`] })
    expect(ran()[1]![2]).toBe(`sh '${copy}' && ls ${FOLDER}/none`)
  })

  test('see a file as it is now', async () => {
    const { host, target, controller, ran } = await machines()
    await host.run({ argv: ['sh', `${FOLDER}/files/a.sh`] })
    await controller.write(`${FOLDER}/files/a.sh`, 'echo another one\n')
    await host.run({ argv: ['sh', `${FOLDER}/files/a.sh`] })
    expect(await text(target.read(ran()[1]![1]!))).toBe('echo another one\n')
  })
})
