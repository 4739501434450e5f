// `master_job_cache: pgjsonb` while PostgreSQL is away: jobs go on, and the database has each job and return once in the end.
import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../until.ts'
import { canServe, postgresPrograms, type Server, startPostgres } from './servers.ts'
import { type TestMaster, TestSite } from './site.ts'

const TABLES = `
  CREATE TABLE jids (jid varchar(255) NOT NULL PRIMARY KEY, load jsonb NOT NULL);
  CREATE TABLE salt_returns (fun varchar(50) NOT NULL, jid varchar(255) NOT NULL, return jsonb NOT NULL, id varchar(255) NOT NULL,
    success varchar(10) NOT NULL, full_ret jsonb NOT NULL);`

describe.skipIf(!canServe('PostgreSQL', '/usr/bin/psql', `${postgresPrograms()}/postgres`))('a job cache', () => {
  let server: Server
  let site: TestSite
  let master: TestMaster
  const jids: string[] = []

  const psql = (database: string, input: string): string[] => {
    const place = ['-h', server.directory, '-p', String(server.port), '-U', 'postgres', '-d', database]
    const printed = execFileSync('/usr/bin/psql', ['-X', '-q', '-A', '-t', ...place], { input, encoding: 'utf8' })
    return printed.split('\n').filter((line) => line !== '')
  }
  const jobs = (): string[] => psql('salt', "SELECT jid FROM jids WHERE load->>'fun' = 'test.echo' ORDER BY jid;")
  const returns = (): string[] => psql('salt', "SELECT jid FROM salt_returns WHERE fun = 'test.echo' ORDER BY jid;")

  async function work(count: number): Promise<void> {
    for (let number = 0; number < count; number++) {
      const jid = await master.publish('web1', 'test.echo', [`it's ${number}`])
      await master.event(new RegExp(`^salt/job/${jid}/ret/web1$`))
      jids.push(jid)
    }
  }

  beforeAll(async () => {
    server = await startPostgres()
    psql('postgres', 'CREATE DATABASE salt;')
    psql('salt', TABLES)
    site = await TestSite.open()
    const place = { host: server.directory, port: server.port, user: 'postgres' }
    const options = Object.fromEntries(Object.entries(place).map(([key, value]) => [`returner.pgjsonb.${key}`, value]))
    master = await site.master('master', '127.0.0.1', { master_job_cache: 'pgjsonb', ...options })
    await site.minion('web1')
    await master.event(/^salt\/minion\/web1\/start$/)
  })
  afterAll(async () => {
    await site?.close()
    await server?.stop()
  })

  it('has each job and each return once after an outage and restarts of the master', async () => {
    await work(1)
    expect(jobs()).toEqual(jids)
    await server.stop(true)
    await work(4)
    await master.stop()
    await master.start()
    await work(4)
    await master.stop()
    server = await startPostgres(server)
    await master.start()
    await until('the cache has all returns', () => returns().length >= jids.length)
    await work(1)
    await until('the cache has the last return', () => returns().length > jids.length - 1)
    expect([jobs(), returns()]).toEqual([jids, jids])
  })
})
