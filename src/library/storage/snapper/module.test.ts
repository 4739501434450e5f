import { expect, test } from 'vitest'
import { dictFrom, dumpJson, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import snapper from './module.ts'

// Output of busctl for snapperd 0.10.4. The type signatures are those of the service.
const CONFIGS = '{"type":"a(ssa{ss})","data":[[["root","/",{"FSTYPE":"btrfs","SUBVOLUME":"/"}]]]}'
const ONE = '[1,1,0,1790000000,0,"salt job 5","number",{"salt_jid":"5"}]'
const TWO = '[2,2,1,-1,0,"salt job 5","number",{"salt_jid":"5"}]'
const ANSWERS: Readonly<Record<string, string>> = {
  ListConfigs: CONFIGS,
  'GetConfig s root': '{"type":"(ssa{ss})","data":[["root","/",{"SUBVOLUME":"/"}]]}',
  'ListSnapshots s root': `{"type":"a(uquxussa{ss})","data":[[${ONE},${TWO}]]}`,
  'GetSnapshot su root 1': `{"type":"(uquxussa{ss})","data":[${ONE}]}`,
  'CreateSingleSnapshot sssa{ss} root -x number 1 baseline_tag b': '{"type":"u","data":[3]}',
  'CreateSingleSnapshot sssa{ss} root baseline snapshot number 1 baseline_tag b': '{"type":"u","data":[3]}',
  'CreatePreSnapshot sssa{ss} root snapper.run[test.echo] number 0': '{"type":"u","data":[1]}',
  'CreatePostSnapshot sussa{ss} root 1 snapper.run[test.echo] number 0': '{"type":"u","data":[2]}',
  'CreatePostSnapshot sussa{ss} root 1 salt job 7 number 1 salt_jid 7': '{"type":"u","data":[4]}',
  'DeleteSnapshots sau root 2 1 2': '',
  'SetConfig sa{ss} root 1 TIMELINE_CREATE no': '',
  'SetSnapshot sussa{ss} root 1 new number 1 salt_jid 5': '',
  'MountSnapshot sub root 1 true': '{"type":"s","data":["/.snapshots/1/snapshot"]}',
  'MountSnapshot sub root 2 true': '{"type":"s","data":["/.snapshots/2/snapshot"]}',
  'UmountSnapshot sub root 1 true': '',
  'UmountSnapshot sub root 2 true': '',
}
const STATUS = 'c..... /etc/motd\n+..... /etc/new\n.pu... /etc/with space\n-..... /bin/tool\n'

const host = await MemoryHost.with({
  files: {
    '/.snapshots/1/snapshot/etc/motd': 'a\nb\n',
    '/.snapshots/2/snapshot/etc/motd': 'a\nc\n',
    '/.snapshots/2/snapshot/etc/new': 'x\n',
    '/.snapshots/1/snapshot/bin/tool': 'x\0',
  },
})

function answer(argv: readonly string[]): { retcode: number; stdout: string; stderr: string } {
  const fine = (stdout: string) => ({ retcode: 0, stdout, stderr: '' })
  if (argv[0] === 'snapper') return fine(argv[3] === 'status' ? STATUS : 'create:0 modify:1 delete:1')
  const found = ANSWERS[argv.slice(8).join(' ')]
  if (found !== undefined) return fine(found)
  return { retcode: 1, stdout: '', stderr: 'Call failed: org.freedesktop.DBus.Error.Failed\n' }
}

const others = {
  'cmd.run_all': ([argv]: readonly Value[]) => dictFrom(answer(argv as string[])),
  'cmd.run': ([argv]: readonly Value[]) => answer(argv as string[]).stdout,
  'file.uid_to_user': () => 'root',
  'test.echo': ([text]: readonly Value[]) => text!,
}
const call = (fun: string, kwargs: Record<string, Value> = {}): Promise<Value> =>
  tryFunction(snapper, fun, { kwargs, host, others })

test.each<[string, Record<string, Value>, unknown]>([
  ['list_configs', {}, { root: { FSTYPE: 'btrfs', SUBVOLUME: '/' } }],
  ['get_config', {}, ['root', '/', { SUBVOLUME: '/' }]],
  ['set_config', { timeline_create: false }, true],
  ['create_baseline', { tag: 'b' }, 3],
  ['create_snapshot', { description: '-x', userdata: new Map([['baseline_tag', 'b']]) }, 3],
  ['create_snapshot', { snapshot_type: 'post', pre_number: 1, __pub_jid: '7' }, 4],
  ['delete_snapshot', { snapshots_ids: [1, 2] }, { root: { ids: [1, 2], status: 'deleted' } }],
  ['changed_files', { num_pre: 1, num_post: 2 }, ['/etc/motd', '/etc/new', '/etc/with space', '/bin/tool']],
  ['undo', { files: ['/etc/motd'] }, { create: '0', modify: '1', delete: '1' }],
  ['undo_jid', { jid: '5' }, { create: '0', modify: '1', delete: '1' }],
  ['status_to_string', { dbus_status: 9 }, ['created', 'modified']],
])('%s %j', async (fun, kwargs, expected) => {
  expect(JSON.parse(dumpJson(await call(fun, kwargs)))).toEqual(expected)
})

test('a function runs between two snapshots', async () => {
  expect(await tryFunction(snapper, 'run', { args: ['test.echo', 'hi'], host, others })).toBe('hi')
})

test('a snapshot has a type, a time, a user and further data', async () => {
  expect(JSON.parse(dumpJson(await call('get_snapshot', { number: 1 })))).toEqual({
    ...{ id: 1, type: 'pre', timestamp: 1_790_000_000, user: 'root', description: 'salt job 5', cleanup: 'number' },
    userdata: { salt_jid: '5' },
  })
  expect(JSON.parse(dumpJson(await call('list_snapshots')))[1]).toMatchObject({ id: 2, type: 'post', pre: 1 })
  expect(await call('modify_snapshot', { snapshot_id: 1, description: 'new' })).toBeInstanceOf(Map)
})

test('files that differ have the words of their changes', async () => {
  expect(JSON.parse(dumpJson(await call('status')))).toEqual({
    '/etc/motd': { status: ['modified'] },
    '/etc/new': { status: ['created'] },
    '/etc/with space': { status: ['permission changed', 'owner changed'] },
    '/bin/tool': { status: ['deleted'] },
  })
  const found = JSON.parse(dumpJson(await call('diff_jid', { jid: '5' })))
  expect(found['/etc/motd'].diff).toContain('@@ -1,2 +1,2 @@\n a\n-b\n+c\n')
  expect(found['/etc/new'].comment).toBe('text file created')
  expect(found['/bin/tool']).toMatchObject({ comment: 'binary file deleted', old_sha256_digest: expect.any(String) })
})

test.each<[string, Record<string, Value>, string]>([
  ['list_snapshots', { config: 'no' }, "Error encountered while listing snapshots: Unknown configuration 'no'"],
  ['get_snapshot', { number: 9 }, 'Error encountered while retrieving snapshot: Invalid snapshot'],
  ['delete_snapshot', {}, 'Error: No snapshot ID has been provided'],
  ['delete_snapshot', { snapshots_ids: [1, 9] }, "Error: Snapshots '9' not found"],
  ['create_snapshot', { snapshot_type: 'x' }, "Invalid snapshot type 'x'"],
  ['create_snapshot', { snapshot_type: 'post' }, "pre snapshot number 'pre_number' needs to be specified"],
  ['create_config', { name: 'x' }, 'You must provide a "subvolume" for the new configuration'],
  ['undo', { files: ['/etc/other'] }, 'not present in the changed filelist: /etc/other'],
  ['undo_jid', { jid: '6' }, "Jid '6' snapshots not found"],
  ['run', { function: 'no.such' }, 'function "no.such" does not exist'],
])('%s %j is refused', async (fun, kwargs, message) => {
  await expect(call(fun, kwargs)).rejects.toThrow(message)
})
