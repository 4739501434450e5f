import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { freeze } from '../freeze.ts'
import { until } from '../until.ts'
import { natsServer } from './nats-binary.ts'
import { Trio, type TrioMaster } from './trio.ts'

const found = natsServer()
const SALT_RUN = join(import.meta.dirname, '../../dist/salt-run.js')

interface Shown {
  state: string
  steps: Array<{ step: string; state: string }>
}

describe.skipIf('reason' in found)('orchestrations of three masters', () => {
  let trio: Trio
  const programs: ChildProcess[] = []
  let gate = ''
  let begun = ''

  beforeAll(async () => {
    trio = new Trio('program' in found ? found.program : '')
    const files = join(trio.root, 'files')
    gate = join(trio.root, 'gate')
    begun = join(trio.root, 'begun')
    mkdirSync(files)
    const fires = (id: string) => `  salt.runner:\n    - name: event.send\n    - tag: orch/${id}\n`
    const waits = `  cmd.run:\n    - name: echo {{ opts.id }} >> ${begun}; until test -e ${gate}; do sleep 0.1; done\n`
    const after = (id: string): string => `    - require:\n      - ${id}\n`
    writeFileSync(
      join(files, 'deploy.sls'),
      `one:\n${fires('one')}two:\n${waits}${after('salt: one')}three:\n${fires('three')}${after('cmd: two')}`,
    )
    await trio.prepare({ file_roots: { base: [files] } })
    await trio.start()
  })

  afterAll(async () => {
    for (const program of programs) program.kill('SIGKILL')
    writeFileSync(gate, '')
    await trio.close()
  })

  /** Begin the orchestration in a program beside a master; return its id as another master knows it. */
  const begin = async (master: TrioMaster, other: TrioMaster): Promise<[string, ChildProcess]> => {
    rmSync(gate, { force: true })
    rmSync(begun, { force: true })
    const runs = async (): Promise<string[]> =>
      Object.keys((await other.run('runner', 'state.orchestrate_runs')) as object)
    const before = await runs()
    const words = [SALT_RUN, '-c', master.conf, 'state.orchestrate', 'deploy']
    const program = spawn(process.execPath, words, { stdio: 'ignore' })
    programs.push(program)
    await until('the second step waits', () => existsSync(begun))
    const jid = (await runs()).find((each) => !before.includes(each))!
    return [jid, program]
  }

  const show = async (master: TrioMaster, jid: string): Promise<[string, string[]]> => {
    const { state, steps } = (await master.run('runner', 'state.orchestrate_show', [jid])) as unknown as Shown
    return [state, steps.map((step) => `${step.step.split('_|-')[1]} ${step.state}`)]
  }

  const resume = (master: TrioMaster, jid: string): Promise<Plain> =>
    master.run('runner', 'state.orchestrate_resume', [jid])

  const isInterrupted = (master: TrioMaster, jid: string): Promise<void> =>
    until(
      `${master.address} knows that the run was interrupted`,
      async () => (await show(master, jid))[0] === 'interrupted',
    )

  const fired = async (master: TrioMaster, tag: string): Promise<number> =>
    (await master.journal((each) => each === tag)).get(tag) ?? 0

  const ids = (): string[] => readFileSync(begun, 'utf8').trim().split('\n')

  it('are seen on all masters, and go on on one of the others when theirs dies', async () => {
    const [first, second, third] = trio.masters as [TrioMaster, TrioMaster, TrioMaster]
    const [jid, program] = await begin(first, second)
    expect(await show(second, jid)).toEqual(['running', ['one done', 'two begun']])
    expect(await resume(second, jid)).toMatch(`Orchestration '${jid}' is still running`)
    program.kill('SIGKILL')
    first.signal('SIGKILL', 'both')
    await first.ended()
    for (const master of [second, third]) await isInterrupted(master, jid)
    expect(await show(third, jid)).toEqual(['interrupted', ['one done', 'two in doubt']])
    writeFileSync(gate, '')
    const both = await Promise.all([resume(second, jid), resume(third, jid)])
    expect(
      both.filter((each) => /drives orchestration|runs on master|still running/.test(JSON.stringify(each))),
    ).toHaveLength(1)
    for (const master of [second, third])
      await until('the run has ended', async () => (await show(master, jid))[0] === 'succeeded')
    first.start()
    await until('the first master is back', () => first.isReady())
    await until('the first one knows it', async () => (await show(first, jid))[0] === 'succeeded')
    for (const master of trio.masters)
      expect([await fired(master, 'orch/one'), await fired(master, 'orch/three')]).toEqual([1, 1])
    expect(ids()).toHaveLength(2)
    for (const master of trio.masters)
      await until('the return of the run is in the job cache', async () => {
        const jobs = (await master.run('runner', 'jobs.list_jobs')) as Record<string, { Function: string }>
        return Object.values(jobs).some((job) => job.Function === 'runner.state.orchestrate_resume')
      })
  })

  it('are left by a program that hung with its master while another one took them', async () => {
    const [, second, third] = trio.masters as [TrioMaster, TrioMaster, TrioMaster]
    const before = await fired(second, 'orch/three')
    const [jid, program] = await begin(third, second)
    const pids = [program.pid!, third.pid, third.natsPid]
    await Promise.all(pids.map(freeze))
    await isInterrupted(second, jid)
    writeFileSync(gate, '')
    await resume(second, jid)
    const ended = new Promise((done) => program.once('exit', done))
    for (const pid of pids) process.kill(pid, 'SIGCONT')
    await ended
    await until('the third master is back', () => third.isReady())
    for (const master of [second, third])
      await until('both know the end', async () => (await show(master, jid))[0] === 'succeeded')
    expect(await fired(second, 'orch/three')).toBe(before + 1)
  })

  it('that lost their program are interrupted on all masters', async () => {
    const [first, second, third] = trio.masters as [TrioMaster, TrioMaster, TrioMaster]
    const [jid, program] = await begin(first, second)
    program.kill('SIGKILL')
    for (const master of [second, third]) await isInterrupted(master, jid)
    writeFileSync(gate, '')
    await resume(third, jid)
    await until('the first one knows the end', async () => (await show(first, jid))[0] === 'succeeded')
  })
})
