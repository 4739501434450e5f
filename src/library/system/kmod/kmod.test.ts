import { describe, expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type Trial, tryFunction, tryState } from '../../../sdk/mod.ts'
import kmod from './module.ts'
import states from './state.ts'

const program = { text: '', mode: 0o755 }

/** A kernel with modules that `modprobe` and `rmmod` change. */
async function kernel(boot = '# none\n') {
  const host = await MemoryHost.with({
    files: {
      '/usr/sbin/lsmod': program,
      '/usr/sbin/modprobe': program,
      '/usr/sbin/rmmod': program,
      '/etc/modules': boot,
      '/lib/modules/6.1/modules.builtin': 'kernel/fs/ext4/ext4.ko\n',
      '/lib/modules/6.1/kernel/bonding.ko.xz': '',
      '/lib/modules/6.1/kernel/snd-hda.ko': '',
    },
  })
  const loaded = new Set(['tls'])
  const words: Value[] = []
  const others: Record<string, NonNullable<Trial['others']>[string]> = {
    'cmd.run': () =>
      `Module                  Size  Used by\n${[...loaded].map((name) => `${name} 16384 0`).join('\n')}\n`,
    'cmd.run_all': ([given]) => {
      words.push(given!)
      const [path, name] = given as string[]
      const answer = (retcode: number, stderr = '') =>
        new Map<Value, Value>([['retcode', retcode]]).set('stderr', stderr)
      if (path!.endsWith('modprobe')) loaded.add(name!)
      else if (!loaded.delete(name!)) return answer(1, `rmmod: ERROR: Module ${name} is not currently loaded`)
      return answer(0)
    },
    'file.search': () => false,
    'file.append': async ([file, line]) => {
      const before = Buffer.from(await host.read(file as string)).toString()
      await host.write(file as string, `${before}${String(line)}\n`)
      return ''
    },
    'file.comment': async ([file]) => {
      const before = Buffer.from(await host.read(file as string)).toString()
      await host.write(file as string, before.replaceAll(/^(?=\w)/gm, '#'))
      return true
    },
  }
  const grains = new Map<Value, Value>([['kernelrelease', '6.1']])
  const call = (fun: string, args: readonly Value[]) => tryFunction(kmod, fun, { args, host, others, grains })
  for (const fun of ['mod_list', 'available', 'load', 'remove']) others[`kmod.${fun}`] = (args) => call(fun, args)
  const apply = async (fun: string, kwargs: Record<string, Value>, test = false) =>
    toPlain(await tryState(states, fun, { kwargs, host, others, grains, test }))
  return { call, apply, words, boot: async () => Buffer.from(await host.read('/etc/modules')).toString() }
}

describe('kmod', () => {
  test('the state present loads modules, now and at boot', async () => {
    const { apply, boot } = await kernel()
    expect(await apply('present', { name: 'tls' })).toMatchObject({ result: true, changes: {} })
    expect(await apply('present', { name: 'bonding' }, true)).toMatchObject({
      result: null,
      comment: 'Kernel module bonding is set to be loaded',
    })
    expect(await apply('present', { name: 'bonding', persist: true })).toMatchObject({
      result: true,
      changes: { bonding: 'loaded' },
      comment: 'Loaded kernel module bonding',
    })
    expect(await boot()).toBe('# none\nbonding\n')
    expect(await apply('present', { name: 'bonding', persist: true })).toMatchObject({ result: true, changes: {} })
    expect(await apply('present', { name: 'x', mods: ['tls', 'nosuch', 'snd_hda'] })).toMatchObject({
      result: false,
      changes: { snd_hda: 'loaded' },
      comment:
        'Kernel module tls is already present\nKernel module nosuch is unavailable\nLoaded kernel module snd_hda',
    })
  })

  test('the state absent removes modules, now and at boot', async () => {
    const { apply, boot } = await kernel('tls\n')
    expect(await apply('absent', { name: 'none' })).toMatchObject({
      result: true,
      comment: 'Kernel module none is already removed',
    })
    expect(await apply('absent', { name: 'tls', persist: true }, true)).toMatchObject({ result: null, changes: {} })
    expect(await apply('absent', { name: 'tls', persist: true })).toMatchObject({
      result: true,
      changes: { tls: 'removed' },
      comment: 'Removed kernel module tls',
    })
    expect(await boot()).toBe('#tls\n')
  })

  test('a failure of the program is the answer', async () => {
    const { call } = await kernel()
    expect(await call('remove', ['none'])).toBe(
      'Error removing module none: rmmod: ERROR: Module none is not currently loaded',
    )
  })

  test('parameters follow a module, and options and further lines do not', async () => {
    const { call, words } = await kernel()
    await call('load', ['bonding mode=1'])
    expect(words).toEqual([['/usr/sbin/modprobe', 'bonding', 'mode=1']])
    await expect(call('load', ['bonding -C/tmp/x'])).rejects.toThrow('cannot begin with a hyphen')
    await expect(call('load', ['bonding\nevil', true])).rejects.toThrow('cannot hold line ends')
    await expect(call('remove', ['--force'])).rejects.toThrow('cannot begin with a hyphen')
    expect(words).toHaveLength(1)
  })
})
