import { expect, it } from 'vitest'
import { dictFrom, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import debconf from '../debconf/module.ts'
import lowpkg from './dpkg_lowpkg.module.ts'

const outcome = (stdout: string): Value => dictFrom({ stdout, stderr: '', retcode: 0 })

it('bin_pkg_info reads name, version and architecture of a file', async () => {
  const host = await MemoryHost.with({ files: { '/tmp/x.deb': 'x' } })
  const others = {
    'config.valid_fileproto': () => false,
    'cmd.run_all': () =>
      outcome(' new Debian package, version 2.0.\n Package: x\n Version: 1:1.0\n Architecture: i386\n'),
  }
  const grains = new Map([
    ['cpuarch', 'x86_64'],
    ['osarch', 'amd64'],
  ])
  const info = await tryFunction(lowpkg, 'bin_pkg_info', { args: ['/tmp/x.deb'], host, others, grains })
  expect(info).toEqual(new Map(Object.entries({ name: 'x:i386', version: '1:1.0', arch: 'i386' })))
  const missing = tryFunction(lowpkg, 'bin_pkg_info', { args: ['/tmp/y.deb'], host, others, grains })
  await expect(missing).rejects.toThrow('/tmp/y.deb does not exist on minion')
})

it('info returns facts about packages, their licences and installation dates', async () => {
  const host = await MemoryHost.with({ files: { '/usr/share/doc/sl/copyright': 'License: MIT\nLicense: GPL-2\n' } })
  const text =
    'package:sl\nrevision:\nversion:5.02-1\ninstalled_size:60\nstatus:ii \ninstall_date:1600000000\ndescription:steam\n locomotive\n\n*/~^\\*\n'
  const info = await tryFunction(lowpkg, 'info', { args: ['sl'], host, others: { 'cmd.run_all': () => outcome(text) } })
  expect((info as Map<Value, Map<Value, Value>>).get('sl')).toEqual(
    new Map(
      Object.entries({
        package: 'sl',
        version: '5.02-1',
        status: 'ii',
        install_date: '2020-09-13T12:26:40Z',
        description: 'steam\n locomotive\n',
        license: 'GPL-2, MIT',
      }),
    ),
  )
})

it('debconf.show gives questions, types and values', async () => {
  const text = '# Timezone\ntzdata\ttzdata/Areas\tselect\tEtc\ntzdata\ttzdata/Zones\tselect\t\nother\to/o\tnote\tx y\n'
  const others = { 'cmd.run_all': () => outcome(text) }
  expect(await tryFunction(debconf, 'show', { args: ['tzdata'], others })).toEqual([
    ['tzdata/Areas', 'select', 'Etc'],
    ['tzdata/Zones', 'select', ''],
  ])
  expect(await tryFunction(debconf, 'show', { args: ['nothing'], others })).toBeNull()
})
