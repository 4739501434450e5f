// `brine bootstrap` with the one-file program on a host that has neither Node nor Python: the minion answers, does work, and comes back
// after a power cut.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildOneFile } from '../../../tools/one-file.ts'
import { Controller } from '../../agentless.ts'
import { ask, DAEMON_MOUNTS, startDaemon } from '../../fleet.ts'
import type { Host } from '../../host.ts'
import { Lab } from '../../lab.ts'
import { MOUNTS } from '../../root.ts'
import { STOCK } from '../../stock.ts'

const work = mkdtempSync(join(tmpdir(), 'brine-lab-one-file-'))
let lab: Lab
let master: Host
let target: Host

beforeAll(async () => {
  const program = join(work, 'brine-minion')
  await buildOneFile(join(import.meta.dirname, '..', '..', '..'), 'salt-minion', process.arch, program)
  lab = await Lab.open({ stock: STOCK, mounts: DAEMON_MOUNTS })
  const [control] = await lab.boot('control')
  const [bare] = await lab.bootBare('target')
  ;[master, target] = [control!, bare!]
  await startDaemon(master, 'master', { timeout: 60 })
  await (await Controller.on(master)).meet(target)
  master.copyIn(program, '/root/brine-minion')
  await master.run(['ln', '-sf', `${MOUNTS.program}/dist/brine.js`, '/usr/local/bin/brine'])
})

afterAll(async () => {
  await lab?.close()
  rmSync(work, { recursive: true, force: true })
})

const bootstrap = (): Promise<string> =>
  master.run([
    ...['brine', 'bootstrap', target.address, '--id', 'bare1', '--master', master.address],
    ...['--package', '/root/brine-minion'],
  ])

describe('a bare host', () => {
  it('becomes a minion', async () => {
    expect(await bootstrap()).toMatch(
      /: minion bare1 answers \(configuration written, key accepted, package installed\)\n$/,
    )
    expect(await ask(master, 'salt', 'bare1', 'test.ping')).toEqual({ bare1: true })
    expect(await ask(master, 'salt', 'bare1', 'service.enabled', 'salt-minion')).toEqual({ bare1: true })
    expect(await target.run(['salt-call', '--local', 'test.ping'])).toContain('True')
  })

  it('has nothing to do the second time', async () => {
    expect(await bootstrap()).toContain('answers (nothing to do)')
  })

  it('comes back after a power cut', async () => {
    await target.crash()
    await target.start()
    await expect.poll(() => ask(master, 'salt', 'bare1', 'test.ping'), { interval: 2000 }).toEqual({ bare1: true })
  })
})
