// A cache set on sdb with one backing device sdc, as the kernel shows them below /sys; writing `attach` or `detach` has its effect.
import { describe, expect, test } from 'vitest'
import { dictFrom, toPlain, type Value } from '../../../data/mod.ts'
import { type MemoryFile, MemoryHost } from '../../../host/mod.ts'
import { type Keywords, type Recorded, scripted, tryFunction } from '../../../sdk/mod.ts'
import sysfs from '../../system/sysfs/module.ts'
import bcache from './module.ts'

const ID = '9be83a0d-8a3b-4e7c-a1c6-1f2e3d4c5b6a'
const SET = `/sys/fs/bcache/${ID}`
const file = (text: string, mode = 0o644): MemoryFile => ({ text, mode })
const NO_SET: Record<string, MemoryFile> = {
  '/sys/fs/bcache/register': file('', 0o200),
  '/sys/block/sdd/size': file('204800', 0o444),
  '/sys/block/sdd/queue/hw_sector_size': file('512', 0o444),
  '/sys/block/sdd/queue/discard_max_bytes': file('0', 0o444),
  '/dev/sdd': '',
}
const MACHINE: Record<string, MemoryFile> = {
  ...NO_SET,
  [`${SET}/block_size`]: file('0.5k', 0o444),
  [`${SET}/bucket_size`]: file('512.0k', 0o444),
  [`${SET}/congested`]: file('0', 0o444),
  [`${SET}/errors`]: file('[unregister] panic'),
  [`${SET}/stop`]: file('', 0o200),
  [`${SET}/cache_available_percent`]: file('100', 0o444),
  [`${SET}/stats_total/cache_hits`]: file('12', 0o444),
  [`${SET}/internal/btree_nodes`]: file('5', 0o444),
  [`${SET}/cache0`]: { link: '/sys/block/sdb/bcache' },
  '/sys/block/sdb/bcache/set': { link: SET },
  '/sys/block/sdb/bcache/cache_replacement_policy': file('[lru] fifo random'),
  '/sys/block/sdc/bcache/cache': { link: SET },
  '/sys/block/sdc/bcache/dev': { link: '/sys/block/bcache0' },
  '/sys/block/sdc/bcache/cache_mode': file('writethrough [writeback] none'),
  '/sys/block/sdc/bcache/running': file('1'),
  '/sys/block/sdc/bcache/state': file('clean', 0o444),
  '/sys/block/sdc/bcache/writeback_running': file('1'),
  '/sys/block/sdc/bcache/writeback_percent': file('10'),
  '/sys/block/sdc/bcache/attach': file('', 0o200),
  '/sys/block/sdc/bcache/detach': file('', 0o200),
  '/sys/block/sdc/bcache/stop': file('', 0o200),
  '/sys/block/bcache0/bcache': { link: '/sys/block/sdc/bcache' },
  '/dev/sdb': '',
  '/dev/sdc': '',
}

interface Trial {
  files?: Record<string, MemoryFile>
  recorded?: Record<string, Recorded | Recorded[]>
  kwargs?: Record<string, Value>
  udev?: Record<string, string>
  /** The kernel's effect when an attribute is written or a program runs. */
  effect?: (name: string, host: MemoryHost) => Promise<void>
}

async function call(fun: string, args: Value[] = [], trial: Trial = {}) {
  const host = await MemoryHost.with({ files: trial.files ?? MACHINE })
  const { others, ran } = scripted(trial.recorded ?? {})
  const wrote: string[] = []
  const real = (name: string) => (args: readonly Value[], kwargs: Keywords) =>
    tryFunction(sysfs, name, { args, kwargs, host })
  const runs = others['cmd.run_all']!
  const all = {
    ...others,
    'cmd.run_all': async (args: readonly Value[], kwargs: Keywords) => {
      const answer = await runs(args, kwargs)
      await trial.effect?.(ran.at(-1)!, host)
      return answer
    },
    'sysfs.target': real('target'),
    'sysfs.read': real('read'),
    'sysfs.interfaces': real('interfaces'),
    'sysfs.write': async (args: readonly Value[], kwargs: Keywords) => {
      wrote.push(args.join(' '))
      const done = await real('write')(args, kwargs)
      await trial.effect?.(String(args[0]), host)
      return done
    },
    'udev.env': () => dictFrom(trial.udev ?? {}),
  }
  const answer = toPlain(await tryFunction(bcache, fun, { args, kwargs: trial.kwargs ?? {}, others: all, host }))
  return { answer, ran, wrote }
}

describe('bcache', () => {
  test('uuid is that of the set, or of the set of a device', async () => {
    expect((await call('uuid')).answer).toBe(ID)
    expect((await call('uuid', ['/dev/sdc'])).answer).toBe(ID)
    expect((await call('uuid', ['sdd'])).answer).toBe(false)
    expect((await call('uuid', [], { files: NO_SET })).answer).toBe(false)
  })

  test('status and device give facts', async () => {
    expect((await call('status')).answer).toEqual({
      uuid: ID,
      block_size: '0.5k',
      bucket_size: '512.0k',
      cache_available_percent: 100,
      cache_replacement_policy: 'lru',
      congested: false,
      attached_backing_devices: 1,
    })
    const sdc = { cache: ID, dev: 'bcache0', bdev: 'sdc', cache_mode: 'writeback' }
    const { answer } = await call('status', [], { kwargs: { alldevs: true } })
    expect(answer).toMatchObject({ sdc: { ...sdc, state: ['clean', 'running', 'writeback_running'] } })
    const kwargs = { stats: true, config: true, internals: true }
    expect((await call('device', ['sdb'], { kwargs })).answer).toMatchObject({
      stats: { total: { hits: 12 } },
      internals: { btree: { nodes: 5 } },
      config: { errors: 'unregister' },
    })
    expect((await call('device', ['sdc'], { kwargs: { config: true } })).answer).toMatchObject({
      config: { writeback: { percent: 10 } },
    })
    expect((await call('device', ['sdd'])).answer).toBe(false)
  })

  test('config returns and sets attributes', async () => {
    expect((await call('config')).answer).toEqual({ errors: '[unregister] panic' })
    const set = await call('config', ['sdc'], { kwargs: { cache_mode: 'none', '../x': 1 } })
    expect([set.answer, set.wrote]).toEqual([true, ['/sys/block/sdc/bcache/cache_mode none']])
    expect((await call('config', [], { files: NO_SET })).answer).toBe(false)
  })

  const KERNEL = async (name: string, host: MemoryHost): Promise<void> => {
    if (name.endsWith('/detach')) await host.remove('/sys/block/sdc/bcache/cache')
    if (name.endsWith('/attach')) await host.symlink(SET, '/sys/block/sdc/bcache/cache')
    if (name === `${SET}/stop`) await host.removeDirectory(SET, { recursive: true })
    if (name === '/sys/block/sdc/bcache/stop') await host.removeDirectory('/sys/block/sdc/bcache', { recursive: true })
  }

  test('attach, detach and stop wait for the kernel', async () => {
    expect((await call('attach', ['sdc'])).answer).toBe(null)
    const { [`/sys/block/sdc/bcache/cache`]: _, ...loose } = MACHINE
    const attached = await call('attach', ['sdc'], { files: loose, effect: KERNEL })
    expect([attached.answer, attached.wrote]).toEqual([true, [`/sys/block/sdc/bcache/attach ${ID}`]])
    expect((await call('attach', [], { files: loose, effect: KERNEL })).answer).toEqual({ sdc: true })
    expect((await call('attach', ['sdc'], { files: NO_SET })).answer).toBe(false)
    expect((await call('detach', [], { effect: KERNEL })).answer).toEqual({ sdc: true })
    expect((await call('stop', ['sdc'], { effect: KERNEL })).answer).toBe(true)
    const stopped = await call('stop', [], { effect: KERNEL })
    expect([stopped.answer, stopped.wrote.at(-1)]).toEqual([true, `${SET}/stop goaway`])
    expect((await call('stop', [], { files: NO_SET })).answer).toBe(null)
  })

  test('start triggers udev', async () => {
    expect(await call('start', [], { recorded: { 'udevadm trigger': '' } })).toMatchObject({ answer: true })
    const failing = { 'udevadm trigger': { retcode: 1, stderr: 'no' } }
    expect((await call('start', [], { recorded: failing })).answer).toBe(false)
  })

  test('back_make formats and registers a device', async () => {
    const effect = async (name: string, host: MemoryHost) => {
      if (name.endsWith('register')) await host.makeDirectory('/sys/block/sdd/bcache')
    }
    const made = await call('back_make', ['sdd'], {
      kwargs: { attach: false },
      recorded: { 'make-bcache*': '' },
      effect,
    })
    expect(made.answer).toBe(true)
    expect(made.ran).toEqual(['make-bcache --block 512 --bucket 524288 --writeback --bdev /dev/sdd'])
    expect(made.wrote).toEqual(['/sys/fs/bcache/register /dev/sdd'])
    expect((await call('back_make', ['sdc'])).answer).toBe(false)
    expect((await call('back_make', ['sdd', 'x --wipe'])).answer).toBe(false)
    await expect(call('back_make', ['-sdd'])).rejects.toThrow('cannot begin with a hyphen')
  })

  test('cache_make clears a device and makes a cache on it', async () => {
    const effect = async (line: string, host: MemoryHost) => {
      if (line.startsWith('make-bcache')) await host.makeDirectory(SET)
    }
    const recorded = { 'dd*': '', 'parted*': '', 'make-bcache*': '' }
    const trial = { files: NO_SET, udev: { DEVTYPE: 'disk' }, recorded, effect }
    const made = await call('cache_make', ['sdd'], { ...trial, kwargs: { reserved: '10%' } })
    expect(made.answer).toBe(true)
    expect(made.ran).toEqual([
      'dd if=/dev/zero of=/dev/sdd bs=1M count=4',
      'dd if=/dev/zero of=/dev/sdd bs=1M count=4 seek=96',
      'parted -m -s -a optimal -- /dev/sdd mklabel gpt mkpart bcache-reserved 1M 10% mkpart bcache 10% 100%',
      'make-bcache --cache /dev/sdd2 --block 512 --wipe-bcache',
    ])
    const full = { ...trial, udev: { DEVTYPE: 'disk', ID_FS_TYPE: 'ext4' } }
    expect(await call('cache_make', ['sdd'], full)).toMatchObject({ answer: false, ran: [] })
    expect(await call('cache_make', ['sdd'], { ...trial, kwargs: { reserved: 'x' } })).toMatchObject({ answer: false })
    expect((await call('cache_make', ['sdd'])).answer).toBe(false)
  })

  test('super reads the superblock', async () => {
    const shown = [
      'sb.magic\t\tok',
      'sb.first_sector\t\t8 [match]',
      'sb.version\t\t3 [cache device]',
      '',
      'dev.label\t\t(empty)',
      'dev.sectors_per_block\t1',
      'dev.cache.discard\tno',
    ].join('\n')
    expect((await call('super', ['sdb'], { recorded: { 'bcache-super-show /dev/sdb': shown } })).answer).toEqual({
      sb: { magic: 'ok', first_sector: [8, 'match'], version: [3, 'cache device'] },
      dev: { label: '(empty)', sectors_per_block: 1, 'cache.discard': false },
    })
    expect((await call('super', ['sdb'], { recorded: { 'bcache-super-show*': { retcode: 1 } } })).answer).toBe(false)
  })
})
