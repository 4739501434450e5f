import { expect, test } from 'vitest'
import { MemoryHost } from '../../../host/mod.ts'
import { trySdb } from '../../../sdk/mod.ts'
import keyring from './sdb.ts'

const profile = new Map([['service', 'system']])

/** A machine whose keyring contains one password; it records its requests. */
async function machine(asked: unknown[]): Promise<MemoryHost> {
  const host = await MemoryHost.with({})
  host.which = async () => '/usr/bin/keyring'
  host.run = async ({ argv, stdin }) => {
    asked.push([argv, stdin])
    const isThere = argv[1] === 'set' || argv.at(-1) === 'known'
    const failure = argv.at(-1) === 'broken' ? 'No recommended backend was available.' : ''
    const stdout = argv[1] === 'get' && isThere ? 'pw ü\n' : ''
    return { retcode: isThere ? 0 : 1, stdout: Buffer.from(stdout), stderr: Buffer.from(failure) } as never
  }
  return host
}

test('A password is read and set by the program keyring, and is in no argument', async () => {
  const asked: unknown[] = []
  const host = await machine(asked)
  expect(await trySdb(keyring, 'get', { key: 'known', profile, host })).toBe('pw ü')
  expect(await trySdb(keyring, 'get', { key: 'none', profile, host })).toBeNull()
  await trySdb(keyring, 'set', { key: '-x', value: 'secret', profile, host })
  expect(asked.at(-1)).toEqual([['keyring', 'set', '--', 'system', '-x'], 'secret\n'])
  await expect(trySdb(keyring, 'get', { key: 'broken', profile, host })).rejects.toThrow(
    'keyring get: No recommended backend was available.',
  )
})
