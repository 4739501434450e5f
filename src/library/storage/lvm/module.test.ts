import { describe, expect, test } from 'vitest'
import { type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type Recorded, scripted, tryFunction } from '../../../sdk/mod.ts'
import lvm from './module.ts'

// output of the programs of LVM 2.03.16
const PV = '  /dev/sdb:data:409600:-1:8:8:-1:4096:49:39:10:uuid\n'
const NEW_PV = '  "/dev/sdc" is a new physical volume of "200.00 MiB"\n  /dev/sdc::409600:-1:0:0:-1:0:0:0:0:uuid2\n'
const VG = '  data:r/w:772:-1:0:1:0:-1:0:1:1:200704:4096:49:10:39:uuid\n'

async function call(fun: string, args: Value[], recorded: Record<string, Recorded | Recorded[]>, kwargs = {}) {
  const { others, ran } = scripted(recorded)
  const host = await MemoryHost.with({ files: { '/dev/sdb': '', '/dev/sdc': '' } })
  return { answer: toPlain(await tryFunction(lvm, fun, { args, kwargs, others, host })), ran }
}

describe('lvm', () => {
  test('version and fullversion', async () => {
    const recorded = {
      'lvm version': '  LVM version:     2.03.16(2) (2022-05-18)\n  Library version: 1.02.185 (2022-05-18)\n',
    }
    expect((await call('version', [], recorded)).answer).toBe('2.03.16(2) (2022-05-18)')
    expect((await call('fullversion', [], recorded)).answer).toEqual({
      'LVM version': '2.03.16(2) (2022-05-18)',
      'Library version': '1.02.185 (2022-05-18)',
    })
  })

  test('pvdisplay and vgdisplay name the columns', async () => {
    expect((await call('pvdisplay', [], { 'pvdisplay -c': `${PV}${NEW_PV}` })).answer).toMatchObject({
      '/dev/sdb': { 'Volume Group Name': 'data', 'Allocated Physical Extents': '10' },
      '/dev/sdc': { 'Volume Group Name': '' },
    })
    expect((await call('vgdisplay', ['data'], { 'vgdisplay -c data': VG })).answer).toMatchObject({
      data: { 'Volume Group Size (kB)': '200704', UUID: 'uuid' },
    })
    expect((await call('vgdisplay', ['none'], { 'vgdisplay -c none': { retcode: 5 } })).answer).toEqual({})
  })

  test('pvcreate creates missing physical volumes', async () => {
    const recorded: Record<string, Recorded | Recorded[]> = {
      'pvdisplay -c /dev/sdb': PV,
      'pvdisplay -c /dev/sdc': [{ retcode: 5 }, '  /dev/sdc::1:-1:0:0:-1:0:0:0:0:u\n'],
      'pvcreate*': '',
    }
    const made = await call('pvcreate', ['/dev/sdb,/dev/sdc'], recorded, { dataalignment: '7s', unknown: 1 })
    expect(made.answer).toBe(true)
    expect(made.ran).toContain('pvcreate --yes /dev/sdc --dataalignment 7s')
    expect((await call('pvcreate', ['/dev/sdb', false], recorded)).answer).toBe(
      'Device "/dev/sdb" is already an LVM physical volume.',
    )
    expect((await call('pvcreate', ['/dev/none'], recorded)).answer).toBe('/dev/none does not exist')
    expect((await call('pvcreate', [''], recorded)).answer).toBe('Error: at least one device is required')
    const refused = { 'pvdisplay*': { retcode: 5 }, 'pvcreate*': { retcode: 5, stderr: 'Device /dev/sdc is in use' } }
    expect((await call('pvcreate', ['/dev/sdc'], refused)).answer).toBe('Device /dev/sdc is in use')
  })

  test('pvremove and pvresize act on physical volumes alone', async () => {
    const recorded = { 'pvdisplay -c /dev/sdb': [PV, { retcode: 5 }], 'pvremove*': '', 'pvresize*': '' }
    const removed = await call('pvremove', ['/dev/sdb'], recorded)
    expect([removed.answer, removed.ran[1]]).toEqual([true, 'pvremove --yes /dev/sdb'])
    expect((await call('pvremove', ['/dev/sdb'], { ...recorded, 'pvdisplay -c /dev/sdb': PV })).answer).toBe(
      'Device "/dev/sdb" was not affected.',
    )
    expect((await call('pvresize', ['/dev/sdb'], recorded)).ran.at(-1)).toBe('pvresize --yes /dev/sdb')
    const none = { 'pvdisplay*': { retcode: 5 } }
    expect((await call('pvresize', ['/dev/sdc', false], none)).answer).toBe('/dev/sdc is not a physical volume')
  })

  test.each<[string, Value[], string, Plain]>([
    [
      'vgextend',
      ['data', '/dev/sdc'],
      'vgextend data -qq /dev/sdc',
      { 'Output from vgextend': 'Volume group "data" successfully extended' },
    ],
    ['vgextend', ['data', ''], '', 'Error: vgname and device(s) are both required'],
    ['vgremove', ['data'], 'vgremove data --yes', 'Volume group "data" successfully removed'],
    ['lvremove', ['root', 'data', false], 'lvremove data/root -qq', 'Logical volume "root" successfully removed'],
    [
      'lvextend',
      ['+12M', '/dev/data/root'],
      'lvextend -qq -L +12M /dev/data/root',
      { 'Output from lvextend': 'Logical volume "/dev/data/root" successfully extended.' },
    ],
    ['lvextend', [null, '/dev/data/root'], '', {}],
  ])('%s %j runs %j', async (fun, args, line, answer) => {
    const { answer: found, ran } = await call(fun, args, { [line]: '' })
    expect([found, ran]).toEqual([answer, line === '' ? [] : [line]])
  })

  test('vgcreate returns the group and the output of the program', async () => {
    const recorded = { 'vgcreate data /dev/sdb -qq --clustered y': '', 'vgdisplay -c data': VG }
    const { answer } = await call('vgcreate', ['data', '/dev/sdb'], recorded, { clustered: 'y' })
    expect(answer).toMatchObject({
      data: { 'Volume Group Access': 'r/w' },
      'Output from vgcreate': 'Volume group "data" successfully created',
    })
    const refused = { 'vgcreate*': { retcode: 3, stderr: ' exists \n' }, 'vgdisplay*': { retcode: 5 } }
    expect((await call('vgcreate', ['data', '/dev/sdb'], refused)).answer).toEqual({ 'Output from vgcreate': 'exists' })
  })

  // with `--select all`, a removal would take every volume group
  test.each<[string, Value[]]>([
    ['vgremove', ['-Sall']],
    ['lvremove', ['root', '--select=all;']],
    ['vgextend', ['data', '--config=x']],
    ['vgcreate', ['--config=x', '/dev/sdb']],
    ['vgdisplay', ['--config=x']],
    ['lvextend', ['+1G', '--config=x']],
  ])('%s refuses %j, which would be an option', async (fun, args) => {
    await expect(call(fun, args, {})).rejects.toThrow('cannot begin with a hyphen')
  })
})
