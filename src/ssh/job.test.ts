import { expect, test } from 'vitest'
import { silentLog } from '../base/mod.ts'
import { sshCommand } from './job.ts'
import type { SshParts } from './parts.ts'

test('jobs inside each other have an end', async () => {
  const parts = { opts: new Map(), log: silentLog, depth: 10 } as unknown as SshParts
  const request = { tgt: '*', tgtType: 'glob', fun: 'test.ping', words: [], user: 'root' }
  await expect(sshCommand(parts, request)).rejects.toThrow('salt-ssh recursion depth limit exceeded (10)')
})
