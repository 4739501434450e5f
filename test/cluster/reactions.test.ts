import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { generateRsaKeys, RsaPrivateKey } from '../../src/wire/mod.ts'
import { freeze } from '../freeze.ts'
import { until } from '../until.ts'
import { natsServer } from './nats-binary.ts'
import { RoamingMinion } from './roaming-minion.ts'
import { Trio, type TrioMaster } from './trio.ts'

const found = natsServer()

interface ShownReaction {
  tag: string
  calls: Array<{ id: string; state: string }>
}

describe.skipIf('reason' in found)('reactions of three masters', () => {
  let trio: Trio
  const minions: RoamingMinion[] = []
  let gate = ''
  let begun = ''

  beforeAll(async () => {
    trio = new Trio('program' in found ? found.program : '')
    gate = join(trio.root, 'gate')
    begun = join(trio.root, 'begun')
    const [slow, quick] = [join(trio.root, 'slow.sls'), join(trio.root, 'quick.sls')]
    const number = `{{ tag.split('/')[1] }}`
    const fires = (id: string, after = ''): string =>
      `${id}:\n  runner.event.send:\n    - args:\n        tag: did/${id}/${number}\n${after}`
    const job = (id: string, after = ''): string =>
      `${id}:\n  local.test.arg:\n    - tgt: 'sim-*'\n    - arg: [${id}-${number}]\n${after}`
    const needs = (name: string): string => `    - require:\n      - ${name}\n`
    const command = `echo ${number} >> ${begun}; until test -e ${gate}; do sleep 0.1; done`
    const waits = `two:\n  runner.salt.cmd:\n    - arg: [cmd.run, '${command}']\n    - kwarg: {python_shell: True}\n`
    writeFileSync(slow, fires('one') + waits + needs('runner: one') + job('three', needs('runner: two')))
    writeFileSync(quick, job('first') + job('second', needs('local: first')) + fires('last', needs('local: second')))
    const orchestrates = join(trio.root, 'orchestrate.sls')
    writeFileSync(orchestrates, 'go:\n  runner.state.orchestrate:\n    - args:\n        mods: deploy\n')
    const files = join(trio.root, 'files')
    mkdirSync(files)
    const sends = (id: string, after: string): string =>
      `${id}:\n  salt.runner:\n    - name: event.send\n    - tag: orch/${id}\n${after}`
    const stays = `two:\n  cmd.run:\n    - name: ${command.replace(number, 'deploy')}\n${needs('salt: one')}`
    writeFileSync(join(files, 'deploy.sls'), sends('one', '') + stays + sends('three', needs('cmd: two')))
    const rules = { 'slow/*': slow, 'quick/*': quick, 'go/*': orchestrates }
    const reactor = Object.entries(rules).map(([tag, file]) => ({ [tag]: [file] }))
    await trio.prepare({ reactor, file_roots: { base: [files] } })
    await trio.start()
    const key = new RsaPrivateKey((await generateRsaKeys(2048)).privatePem)
    for (const [index, id] of ['sim-0', 'sim-1'].entries()) {
      const minion = new RoamingMinion(id, { ...trio, key }, index + 1)
      await minion.open()
      minions.push(minion)
    }
    for (const master of trio.masters)
      for (const { id } of minions) await until('keys are everywhere', () => master.hasKey('minions', id))
  })

  afterAll(async () => {
    writeFileSync(gate, '')
    for (const minion of minions) await minion.close()
    await trio.close()
  })

  const holder = async (): Promise<TrioMaster> => {
    let name = ''
    await until('a master holds the lease', async () => {
      for (const master of trio.masters) {
        if (!(await master.isReady())) continue
        name = ((await master.run('runner', 'cluster.leases')) as Record<string, string>)['reactor'] ?? ''
        break
      }
      return name !== ''
    })
    return trio.masters.find(({ address }) => address.replaceAll('.', '_') === name)!
  }

  const shown = async (master: TrioMaster, tag: string): Promise<ShownReaction[]> =>
    (await master.run('runner', 'reactor.trace', [tag], { limit: 100 })) as unknown as ShownReaction[]

  const states = async (master: TrioMaster, tag: string): Promise<string[]> =>
    (await shown(master, tag)).flatMap(({ calls }) => calls.map(({ id, state }) => `${id} ${state}`))

  const fired = async (master: TrioMaster, tag: string): Promise<number> =>
    (await master.journal((each) => each === tag)).get(tag) ?? 0

  /** How many jobs have each argument. */
  const jobs = async (master: TrioMaster): Promise<Map<Plain, number>> => {
    const all = (await master.run('runner', 'jobs.list_jobs')) as Record<string, { Arguments: Plain[] }>
    const counts = new Map<Plain, number>()
    for (const { Arguments: args } of Object.values(all)) counts.set(args[0]!, (counts.get(args[0]!) ?? 0) + 1)
    return counts
  }

  const lines = (): string[] => (existsSync(begun) ? readFileSync(begun, 'utf8').trim().split('\n') : [])

  /** Begin a reaction of three steps, whose second one waits, on the holder of the lease; return it and the others. */
  const begin = async (number: string): Promise<[TrioMaster, TrioMaster, TrioMaster]> => {
    for (const file of [gate, begun]) rmSync(file, { force: true })
    const first = await holder()
    const [second, third] = trio.masters.filter((master) => master !== first) as [TrioMaster, TrioMaster]
    await second.fire(`slow/${number}`, new Map())
    await until('the second step has begun', () => lines().length === 1)
    const known = ['one done', 'two running', 'three waiting']
    for (const master of [second, third])
      await until(
        `${master.address} knows the steps`,
        async () => (await states(master, `slow/${number}`)).join() === known.join(),
      )
    return [first, second, third]
  }

  const isOver = async (master: TrioMaster, tag: string): Promise<boolean> => {
    const all = await states(master, tag)
    return all.length === 3 && all.every((each) => each.endsWith(' done'))
  }

  it('are finished by another master when theirs dies between two steps, without repeating a step that ended', async () => {
    const [first, second, third] = await begin('1')
    first.signal('SIGKILL', 'both')
    await first.ended()
    await until('another master runs the interrupted step again', () => lines().length === 2)
    writeFileSync(gate, '')
    for (const master of [second, third]) await until('the reaction has ended', () => isOver(master, 'slow/1'))
    first.start()
    await until('the first master is back', () => first.isReady())
    await until('the first one knows the end', () => isOver(first, 'slow/1'))
    for (const master of trio.masters) {
      await until('the job is known', async () => (await jobs(master)).has('three-1'))
      expect([await fired(master, 'did/one/1'), (await jobs(master)).get('three-1')]).toEqual([1, 1])
      expect(await shown(master, 'slow/1')).toHaveLength(1)
    }
    expect(lines()).toHaveLength(2)
  })

  it('that run an orchestration go on on another master after the steps that succeeded', async () => {
    for (const file of [gate, begun]) rmSync(file, { force: true })
    const first = await holder()
    const [second, third] = trio.masters.filter((master) => master !== first) as [TrioMaster, TrioMaster]
    await second.fire('go/1', new Map())
    await until('the second step has begun', () => lines().length === 1)
    await until('the others know the reaction', async () => (await states(third, 'go/1')).join() === 'go running')
    first.signal('SIGKILL', 'both')
    await first.ended()
    await until('another master runs the interrupted step again', () => lines().length === 2)
    writeFileSync(gate, '')
    await until('the reaction has ended', async () => (await states(third, 'go/1')).join() === 'go done')
    first.start()
    await until('the first master is back', () => first.isReady())
    for (const master of trio.masters) {
      await until('the last step is known', async () => (await fired(master, 'orch/three')) > 0)
      expect([await fired(master, 'orch/one'), await fired(master, 'orch/three')]).toEqual([1, 1])
    }
  })

  it('are left by a master that hung while another one took them over', async () => {
    const [first, second, third] = await begin('2')
    const pids = [first.pid, first.natsPid]
    await Promise.all(pids.map(freeze))
    await until('another master runs the interrupted step again', () => lines().length === 2)
    writeFileSync(gate, '')
    await until('the reaction has ended', () => isOver(second, 'slow/2'))
    for (const pid of pids) process.kill(pid, 'SIGCONT')
    await until('the first master is back', () => first.isReady())
    for (const master of [first, third]) await until('all know the end', () => isOver(master, 'slow/2'))
    for (const master of trio.masters) expect((await jobs(master)).get('three-2')).toBe(1)
  })

  it('to many events are each carried out once when their master is killed among them', async () => {
    const numbers = Array.from({ length: 40 }, (_, at) => `${at + 10}`)
    const first = await holder()
    const [second, third] = trio.masters.filter((master) => master !== first) as [TrioMaster, TrioMaster]
    for (const [at, number] of numbers.entries()) {
      await second.fire(`quick/${number}`, new Map())
      if (at === 20) await until('some have begun', async () => (await fired(third, 'did/last/10')) === 1)
      if (at === 30) first.signal('SIGKILL', 'both')
    }
    for (const number of numbers) await until(`${number} has ended`, () => isOver(third, `quick/${number}`))
    first.start()
    await until('the first master is back', () => first.isReady())
    for (const number of numbers) await until(`the first one knows ${number}`, () => isOver(first, `quick/${number}`))
    for (const master of trio.masters) {
      const counts = await jobs(master)
      const wanted = numbers.flatMap((number) => [`first-${number}`, `second-${number}`])
      expect(wanted.filter((each) => counts.get(each) !== 1)).toEqual([])
      const tags = (await shown(master, 'quick/*')).map(({ tag }) => tag)
      expect(tags.sort()).toEqual(numbers.map((number) => `quick/${number}`))
    }
  })
})
