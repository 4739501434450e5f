import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isDict, type Value } from '../../src/data/mod.ts'
import { isBatchOver } from '../../src/sdk/mod.ts'
import { fileCache } from '../../src/store/mod.ts'
import { generateRsaKeys, RsaPrivateKey } from '../../src/wire/mod.ts'
import { freeze } from '../freeze.ts'
import { until } from '../until.ts'
import { natsServer } from './nats-binary.ts'
import { RoamingMinion } from './roaming-minion.ts'
import { Trio, type TrioMaster } from './trio.ts'

const found = natsServer()
const IDS = ['sim-0', 'sim-1', 'sim-2', 'sim-3', 'sim-4']

describe.skipIf('reason' in found)('batches of three masters', () => {
  let trio: Trio
  const minions: RoamingMinion[] = []

  beforeAll(async () => {
    trio = new Trio('program' in found ? found.program : '')
    await trio.prepare()
    await trio.start()
    const key = new RsaPrivateKey((await generateRsaKeys(2048)).privatePem)
    for (const [index, id] of IDS.entries()) {
      const minion = new RoamingMinion(id, { ...trio, key }, index)
      await minion.open()
      minions.push(minion)
    }
    for (const master of trio.masters)
      for (const id of IDS) await until('keys are everywhere', () => master.hasKey('minions', id))
  })

  afterAll(async () => {
    for (const minion of minions) await minion.close()
    await trio.close()
  })

  /** Begin a batch of one minion at a time on a master; the next one goes a second after the one before. */
  const begin = (master: TrioMaster): Promise<string> => master.beginBatch(IDS, { batch: '1', batch_wait: 1 })

  const ran = (jid: string): string[] => minions.filter((each) => each.ran.has(jid)).map(({ id }) => id)

  const count = async (master: TrioMaster, tag: string): Promise<number> =>
    (await master.journal((each) => each === tag)).get(tag) ?? 0

  /** Wait until all masters know that a batch is over, each once. */
  const over = async (jid: string, moment: 'complete' | 'halted'): Promise<void> => {
    for (const master of trio.masters) {
      await until(`${master.address} knows the end of the batch`, async () => {
        const state: Value = fileCache(join(master.root, 'cache')).bank('batch').fetch(jid) ?? null
        return isDict(state) && isBatchOver(state) && (await count(master, `salt/batch/${jid}/${moment}`)) > 0
      })
      expect(await count(master, `salt/batch/${jid}/${moment}`)).toBe(1)
    }
  }

  it('go on on another master when theirs is killed, and each minion runs the job once', async () => {
    const [first, second] = trio.masters
    const jid = await begin(first!)
    await until('two minions ran the job', () => ran(jid).length >= 2)
    first!.signal('SIGKILL', 'both')
    await first!.ended()
    await until('all minions ran the job', () => ran(jid).length === IDS.length)
    await until('another master ends the batch', async () => (await count(second!, `salt/batch/${jid}/complete`)) > 0)
    first!.start()
    await until('the first master is back', () => first!.isReady())
    await over(jid, 'complete')
    for (const { ran } of minions) expect(ran.get(jid)).toBe(1)
    for (const master of trio.masters) expect(master.look((jobs) => jobs.returns(jid).size)).toBe(IDS.length)
  })

  it('are left by a master that hung while another one took them', async () => {
    const third = trio.masters[2]!
    const jid = await begin(third)
    await until('a minion ran the job', () => ran(jid).length > 0)
    const pids = [third.pid, third.natsPid]
    await Promise.all(pids.map(freeze))
    await until('all minions ran the job', () => ran(jid).length === IDS.length)
    for (const pid of pids) process.kill(pid, 'SIGCONT')
    await until('the third master is back', () => third.isReady())
    await over(jid, 'complete')
    for (const { ran } of minions) expect(ran.get(jid)).toBe(1)
  })

  it('are stopped from any master', async () => {
    const [first, second] = trio.masters
    // the stream may still look for a leader after the hang
    await until('the first master is ready', () => first!.isReady())
    const jid = await begin(first!)
    await until('a minion ran the job', () => ran(jid).length > 0)
    await second!.run('runner', 'batch.stop', [jid])
    await over(jid, 'halted')
    expect(ran(jid).length).toBeLessThan(IDS.length)
  })
})
