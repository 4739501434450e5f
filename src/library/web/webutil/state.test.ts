import { describe, expect, test } from 'vitest'
import { type Dict, fromPlain } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import webutil from './state.ts'

async function apply(name: string, kwargs: Record<string, string | boolean>, test = false): Promise<Dict> {
  const host = await MemoryHost.with({ files: { '/etc/htpasswd': 'joe:x\n' } })
  const done = () => fromPlain({ retcode: 0, stdout: '', stderr: 'Adding password for user' })
  const others = { 'webutil.useradd': done, 'webutil.userdel': done, 'webutil.verify': () => false }
  return tryState(webutil, name, { host, test, kwargs: { htpasswd_file: '/etc/htpasswd', ...kwargs }, others })
}

describe('webutil', () => {
  test.each<[string, Record<string, string | boolean>, boolean, boolean | null, string]>([
    ['user_exists', { name: 'joe', password: 'p' }, false, true, 'User already known'],
    ['user_exists', { name: 'joe', password: 'p', update: true }, false, true, 'Adding password for user'],
    ['user_exists', { name: 'ann', password: 'p' }, true, null, "User 'ann' is set to be added to htpasswd file"],
    ['user_exists', { name: 'ann', password: 'p' }, false, true, 'Adding password for user'],
    ['user_absent', { name: 'ann' }, false, true, 'User already not in file'],
    ['user_absent', { name: 'joe' }, true, null, "User 'joe' is set to be removed from htpasswd file"],
  ])('%s %j, dry %s', async (name, kwargs, test, result, comment) => {
    const told = await apply(name, kwargs, test)
    expect([told.get('result'), told.get('comment')]).toEqual([result, comment])
  })
})
