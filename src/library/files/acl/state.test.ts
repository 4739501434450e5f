// States of access lists over given entries.
import { expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import acl from './state.ts'

const entry = (name: string, octal: number) => ({ [name]: { octal, permissions: {} } })
const SEEN = {
  '/a': {
    comment: { file: '/a', owner: 'root', group: 'root' },
    user: [entry('root', 7), entry('ann', 5)],
    group: [entry('root', 4)],
    defaults: { user: [entry('bob', 6)] },
  },
}

async function tried(name: string, kwargs: Record<string, Value>, test = false) {
  const asked: unknown[] = []
  const note = (fun: string) => (args: readonly Value[]) => {
    asked.push([fun, ...args])
    return true
  }
  const others = {
    'acl.getfacl': () => fromPlain(SEEN),
    'acl.modfacl': note('modfacl'),
    'acl.delfacl': note('delfacl'),
    'acl.wipefacls': note('wipefacls'),
  }
  const host = await MemoryHost.with({ files: { '/a': '' } })
  const ret = toPlain(await tryState(acl, name, { kwargs: { name: '/a', ...kwargs }, host, others, test }))
  const { comment, result } = ret as { comment: string; result: boolean | null }
  return { said: `${String(result)} ${comment}`, asked }
}

test.each<[string, Record<string, Value>, string, string]>([
  ['present', { acl_type: 'user', acl_name: 'ann', perms: 'rx' }, 'true Permissions are in the desired state', ''],
  ['present', { acl_type: 'user', acl_name: 'ann', perms: 'rwx' }, 'true Updated permissions for ann', 'modfacl'],
  [
    'present',
    { acl_type: 'd:user', acl_name: 'ann', perms: 'r', force: true },
    'true Applied new permissions for ann',
    'wipefacls modfacl',
  ],
  ['present', { acl_type: 'zz', acl_name: 'ann', perms: 'r' }, 'false ACL Type does not exist', ''],
  ['present', { name: '/none', acl_type: 'user' }, 'false /none does not exist', ''],
  ['absent', { acl_type: 'user', acl_name: 'ann' }, 'true Removing permissions', 'delfacl'],
  ['absent', { acl_type: 'user', acl_name: 'eve' }, 'true Permissions are in the desired state', ''],
  [
    'list_present',
    { acl_type: 'user', acl_names: ['ann', 'eve'], perms: 'rx' },
    'true Applied new permissions for ann, eve',
    'modfacl modfacl',
  ],
  ['list_absent', { acl_type: 'user', acl_names: ['ann', 'eve'] }, 'true Removing permissions', 'delfacl delfacl'],
])('acl.%s %j', async (name, kwargs, said, calls) => {
  const real = await tried(name, kwargs)
  expect(real.said).toBe(said)
  expect(real.asked.map((call) => (call as string[])[0]).join(' ')).toBe(calls)
  const dry = await tried(name, kwargs, true)
  expect(dry.asked).toEqual([])
  expect(dry.said.startsWith('null')).toBe(calls !== '')
})
