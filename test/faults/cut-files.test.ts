// A master whose files were cut short, as by a copy of a running system: it starts, and the log names the missing data.
import { existsSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { generateRsaKeys, RsaPrivateKey } from '../../src/wire/mod.ts'
import { Cluster } from '../live/cluster.ts'
import { until } from '../until.ts'
import { SimMinion } from './sim-minion.ts'

const setup = { master: { auto_accept: true }, minions: {} }
const cluster = new Cluster({ scenario: 'cut-files', description: '', setup, steps: [], events: [] })
const listens = (): Promise<void> =>
  until('the master listens', () => existsSync(join(cluster.sockets, 'master_event_pull.ipc')))

beforeAll(async () => {
  await cluster.prepare()
  cluster.start('master')
  await listens()
})
afterAll(() => cluster.close())

it('A master with a cut log of its jobs starts and says which jobs may be missing', async () => {
  const key = new RsaPrivateKey((await generateRsaKeys(2048)).privatePem)
  const sim = new SimMinion('sim-1', {
    root: cluster.root,
    requestPort: () => cluster.requestPort,
    publishPort: () => cluster.publishPort,
    key,
    patience: 60,
    duration: () => 0,
    mayGoOn: async () => {},
    copies: () => 1,
  })
  await sim.open()
  sim.close()
  const large = 'x'.repeat(20_000)
  for (let i = 0; i < 8; i++) await cluster.run(`salt --async sim-1 test.arg ${large}`)
  await cluster.stop('master', 'SIGKILL')
  const log = join(cluster.cachedir, 'jobs.db-wal')
  truncateSync(log, Math.floor((statSync(log).size * 2) / 3))
  cluster.start('master')
  await until('the master tells of it', () => cluster.log('master').includes('was cut short'))
  await until('the master answers', async () => (await cluster.run('salt --async sim-1 test.ping')).status === 0)
  expect(cluster.log('master')).toMatch(/jobs\.db-wal was cut short: \d+ of the \d+ pages/)
  const [, newest] = /Jobs and returns after job (\d{20}) may be missing/.exec(cluster.log('master')) ?? []
  expect((await cluster.run('salt-run --out=json jobs.list_jobs')).stdout).toContain(newest)
})
