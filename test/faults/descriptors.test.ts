// A master that may have few files open: it says how many minions that carries, and serves operators also when the minions have
// as many connections as they may. The master is the built program; the minions are simulated.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateRsaKeys, RsaPrivateKey } from '../../src/wire/mod.ts'
import { Cluster } from '../live/cluster.ts'
import { ours } from '../live/programs.ts'
import { until } from '../until.ts'
import { SimMinion, type SimSite } from './sim-minion.ts'

const FILES = 256
const MINIONS = 140

describe('A master that may have 256 files open', () => {
  const programs = {
    ...ours,
    words: (program: string): string[] =>
      program === 'salt-master'
        ? ['/bin/sh', '-c', `ulimit -n ${FILES} && exec "$0" "$@"`, ...ours.words(program)]
        : ours.words(program),
  }
  const setup = { master: { auto_accept: true, timeout: 60 }, minions: {} }
  const cluster = new Cluster({ scenario: 'descriptors', description: '', setup, steps: [], events: [] }, programs)
  const sims: SimMinion[] = []

  beforeAll(async () => {
    await cluster.prepare()
    cluster.start('master')
    await until('the master listens', () => existsSync(join(cluster.sockets, 'master_event_pull.ipc')))
    const key = new RsaPrivateKey((await generateRsaKeys(2048)).privatePem)
    const site: SimSite = {
      root: cluster.root,
      requestPort: () => cluster.requestPort,
      publishPort: () => cluster.publishPort,
      key,
      patience: 60,
      duration: () => 0,
      mayGoOn: async () => {},
      copies: () => 1,
    }
    for (let i = 0; i < MINIONS; i++) sims.push(new SimMinion(`sim-${i}`, site))
    await Promise.all(sims.map((sim) => sim.open()))
  })
  afterAll(async () => {
    for (const sim of sims) sim.close()
    await cluster.close()
  })

  it('says at the start how many minions that carries, and how to have more', () => {
    expect(cluster.log('master')).toMatch(
      /The limit of 256 open files carries about 154 minions, 0 are accepted\. Raise LimitNOFILE/,
    )
  })

  it('serves operators while as many minions are connected, and its own work goes on', async () => {
    // connections, and the master's own descriptors
    const files = Number(
      execFileSync('sh', ['-c', `ls /proc/${cluster.pidOf('master')}/fd | wc -l`], { encoding: 'utf8' }),
    )
    expect(files).toBeLessThan(FILES - 20)
    const ping = await cluster.run("salt --out=json 'sim-*' fault.note")
    expect([ping.status, ping.stdout.split(' ran ').length - 1]).toEqual([0, MINIONS])
    expect(await cluster.run('salt-run --out=json test.arg 1')).toMatchObject({ status: 0 })
    expect((await cluster.run('salt-key -L')).stdout).toContain(`sim-${MINIONS - 1}`)
    expect(cluster.log('master')).not.toContain('EMFILE')
  })

  it('says when no more connections fit', async () => {
    const more = Array.from({ length: 40 }, () => createConnection(cluster.requestPort, '127.0.0.1'))
    for (const socket of more) socket.on('error', () => {})
    await until('the log says so', () => /154 (are open|connections)/.test(cluster.log('master')))
    for (const socket of more) socket.destroy()
  })
})
