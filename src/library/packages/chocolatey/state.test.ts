import { describe, expect, test } from 'vitest'
import { fromPlain, type Plain, toPlain } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type StateDeclaration, type Trial, tryState } from '../../../sdk/mod.ts'
import reg from '../../system/reg/state.ts'
import macpackage from '../macpackage/state.ts'
import chocolatey from './state.ts'

type Row = [kwargs: Record<string, Plain>, dryRun: boolean, result: boolean | null, comment: string]

async function apply(
  states: StateDeclaration,
  fun: string,
  answers: Record<string, Plain[]>,
  [kwargs, test]: Row | [Record<string, Plain>, boolean],
) {
  const others: Record<string, NonNullable<Trial['others']>[string]> = {}
  for (const [name, list] of Object.entries(answers)) {
    let turn = 0
    others[name] = () => fromPlain(list[Math.min(turn++, list.length - 1)]!)
  }
  const values = Object.fromEntries(Object.entries(kwargs).map(([key, value]) => [key, fromPlain(value)]))
  const host = await MemoryHost.with({ files: { '/Applications/A.app/': '' } })
  return toPlain(await tryState(states, fun, { kwargs: values, others, test, host })) as Record<string, Plain>
}

describe('chocolatey', () => {
  const answers = {
    'chocolatey.list': [{ git: ['2.41'] }, { git: ['2.42'] }],
    'chocolatey.install': ['ok'],
    'chocolatey.uninstall': ['ok'],
    'chocolatey.upgrade': ['Running chocolatey failed: no'],
    'chocolatey.version': [{ git: { installed: ['2.41'], available: ['2.42'] } }],
  }

  test.each<[string, Row]>([
    ['installed', [{ name: 'Git' }, false, true, "Git ['2.41'] is already installed"]],
    ['installed', [{ name: 'vim' }, true, null, 'Latest version of vim will be installed']],
    ['installed', [{ name: 'vim', version: '9' }, false, true, 'vim installed successfully']],
    ['uninstalled', [{ name: 'git' }, true, null, 'git 2.41 will be removed']],
    ['uninstalled', [{ name: 'vim' }, false, true, 'The package vim is not installed']],
    ['upgraded', [{ name: 'git' }, true, null, 'git 2.41 will be upgraded to version 2.42']],
    ['upgraded', [{ name: 'git' }, false, false, 'Failed to upgrade git']],
    ['upgraded', [{ name: 'git', version: '2.0' }, false, true, 'git 2.41 (newer) is already installed']],
  ])('%s: %j', async (fun, row) => {
    expect(await apply(chocolatey, fun, answers, row)).toMatchObject({ result: row[2], comment: row[3] })
  })
})

describe('reg', () => {
  const name = 'HKLM\\SOFTWARE\\Salt'
  const there = {
    'reg.read_value': [{ success: true, vdata: '1' }],
    'reg.set_value': [true],
    'reg.delete_value': [true],
  }

  test.each<[string, Row]>([
    ['present', [{ name, vname: 'v', vdata: '1' }, false, true, `v in ${name} is already present`]],
    ['present', [{ name, vname: 'v', vdata: '2' }, true, null, `Will add v to ${name}`]],
    ['present', [{ name, vname: 'v', vdata: '2' }, false, true, `Added v to ${name}`]],
    ['absent', [{ name, vname: 'v' }, false, true, 'Removed SOFTWARE\\Salt from HKLM']],
    ['key_absent', [{ name }, true, null, `Will remove ${name}`]],
  ])('%s: %j', async (fun, row) => {
    expect(await apply(reg, fun, there, row)).toMatchObject({ result: row[2], comment: row[3] })
  })

  test('present reports what it added', async () => {
    const report = await apply(reg, 'present', there, [{ name, vname: 'n', vdata: '7', vtype: 'REG_DWORD' }, false])
    expect(report['changes']).toMatchObject({ reg: { Added: { Key: name, Entry: 'n', Value: 7 } } })
  })
})

describe('macpackage', () => {
  const answers = {
    'macpackage.installed_pkgs': [['com.a']],
    'macpackage.get_pkg_id': [['com.b']],
    'macpackage.install': [{ retcode: 0 }],
    'macpackage.install_app': [''],
    'cmd.run': ['3.9'],
  }

  test.each<Row>([
    [{ name: '/t/b.pkg' }, false, true, '/t/b.pkg installed'],
    [{ name: '/t/b.pkg' }, true, null, '/t/b.pkg would be installed'],
    [{ name: '/t/b.pkg', version_check: 'x --version=3' }, false, true, 'Version already matches 3'],
    [{ name: '/t/A.app', app: true }, false, true, ''],
    [{ name: '/t/B.app', app: true }, false, true, 'B.app installed'],
  ])('installed of %j, dry run %s: %s, %s', async (...row) => {
    expect(await apply(macpackage, 'installed', answers, row)).toMatchObject({ result: row[2], comment: row[3] })
  })
})
