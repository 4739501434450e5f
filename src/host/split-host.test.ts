// A target whose functions run on another machine: whose file a path means, and what commands see of the controller's files.
import { describe, expect, test } from 'vitest'
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
