import { describe, expect, test } from 'vitest'
import type { Dict, Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import user from './user.state.ts'

const GIDS: Readonly<Record<string, number>> = { users: 100, www: 33, twin: 33, adm: 4 }
const nameOf = (gid: Value): Value => Object.keys(GIDS).find((name) => GIDS[name] === gid) ?? gid

/** A dry run for the user `web`, a member of the groups users and www. */
async function foretell(kwargs: Record<string, Value>): Promise<Dict> {
  const host = await MemoryHost.with({ files: { '/home/web/': '' } })
  const account = (): Value =>
    new Map(
      Object.entries({ gid: 100, groups: ['users', 'www'], home: '/home/web', name: 'web', shell: '/bin/sh', uid: 7 }),
    )
  const others = {
    'user.info': ([name]: readonly Value[]) => (name === 'web' ? account() : new Map()),
    'group.info': ([name]: readonly Value[]) =>
      new Map((name as string) in GIDS ? [['gid', GIDS[name as string]!]] : []) as Value,
    'file.group_to_gid': ([name]: readonly Value[]) => GIDS[name as string] ?? '',
    'file.gid_to_group': ([gid]: readonly Value[]) => nameOf(gid!),
  }
  return tryState(user, 'present', { kwargs: { name: 'web', ...kwargs }, host, others, test: true })
}

describe('user.present in a dry run', () => {
  test.each<[string, Record<string, Value>, boolean | null, string]>([
    ['finds nothing to do', { groups: ['www'] }, true, 'User web is present and up to date'],
    ['takes groups with one number for one', { groups: ['twin'] }, true, 'User web is present and up to date'],
    ['keeps other groups on request', { groups: ['adm'], remove_groups: false }, null, "groups: ['adm', 'www']\n"],
    ['leaves other groups', { groups: ['adm'] }, null, "groups: ['adm']\n"],
    ['takes up optional groups that are there', { optional_groups: ['adm', 'none'] }, null, "groups: ['adm']\n"],
    ['names groups that are missing', { groups: ['none'], shell: '/x' }, null, 'groups (pending creation): none\n'],
    ['refuses another number', { uid: 8 }, false, 'Changing uid (7 -> 8) not permitted'],
    ['refuses commas', { fullname: 'a,b' }, false, "Unsupported char ',' in a,b"],
    ['announces a missing home', { home: '/srv/web' }, null, 'home: /srv/web\nhomeDoesNotExist: /srv/web\n'],
    ['would add', { name: 'new', groups: ['none'] }, null, 'User new set to be added (pending groups: none)'],
  ])('%s', async (_name, kwargs, result, comment) => {
    const report = await foretell(kwargs)
    expect(report.get('comment')).toContain(comment)
    expect([report.get('result'), [...(report.get('changes') as Dict)]]).toEqual([result, []])
  })
})
