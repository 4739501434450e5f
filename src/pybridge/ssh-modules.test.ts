// Users' modules on a machine over SSH: no file stays there, and their process ends with the connection.
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noSshd, startSshd, type TestSshd } from '../../test/ssh/sshd.ts'
import { until } from '../../test/until.ts'
import { silentLog } from '../base/mod.ts'
import type { Value } from '../data/mod.ts'
import { SshHost } from '../host/mod.ts'
import { ModuleFolder } from './test-modules.test-support.ts'

const MODULE = `
import os
import sys
import brine_worker.main
def facts():
    return [os.getpid(), 'SSH_CONNECTION' in os.environ, brine_worker.main.__file__, __salt__['test.echo']('x')]
def large(size):
    return 'x' * size
`

describe.skipIf(noSshd !== undefined)('a module that touches the machine', () => {
  const folder = new ModuleFolder()
  let sshd: TestSshd

  beforeAll(async () => {
    sshd = await startSshd()
    folder.write('modules/far.py', MODULE)
  })
  afterAll(async () => {
    folder.remove()
    await sshd.stop()
  })

  test('runs on the target, and ends with the connection', async () => {
    const host = await SshHost.open(sshd.target, { log: silentLog, runtimeDir: sshd.runtimeDir })
    const registry = await folder.registry({ host })
    const [pid, isOverSsh, file, echoed] = (await registry.call('far.facts')) as Value[]
    expect([isOverSsh, file, echoed]).toEqual([true, '/<brine>/brine_worker/main.py', 'x'])
    expect(((await registry.call('far.large', [3_000_000])) as string).length).toBe(3_000_000)
    await host.close()
    await until('the end of the process on the target', () => !existsSync(`/proc/${pid}`))
  })
})
