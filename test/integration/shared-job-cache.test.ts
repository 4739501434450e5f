// Two masters with one job cache in PostgreSQL: each shows the jobs of both.
import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Plain, toPlain } from '../../src/data/mod.ts'
import { canServe, postgresPrograms, type Server, startPostgres } from './servers.ts'
import { type TestMaster, TestSite } from './site.ts'

const TABLES = `
  CREATE TABLE jids (jid varchar(255) NOT NULL PRIMARY KEY, load jsonb NOT NULL);
  CREATE TABLE salt_returns (fun varchar(50) NOT NULL, jid varchar(255) NOT NULL, return jsonb NOT NULL, id varchar(255) NOT NULL,
    success varchar(10) NOT NULL, full_ret jsonb NOT NULL);`

describe.skipIf(!canServe('PostgreSQL', '/usr/bin/psql', `${postgresPrograms()}/postgres`))(
  'masters with one job cache',
  () => {
    let server: Server
    let site: TestSite
    let first: TestMaster
    let second: TestMaster

    const psql = (database: string, input: string): void => {
      const place = ['-h', server.directory, '-p', String(server.port), '-U', 'postgres', '-d', database]
      execFileSync('/usr/bin/psql', ['-X', '-q', ...place], { input })
    }
    const answer = async (master: TestMaster, fun: string, ...args: string[]): Promise<Plain> =>
      toPlain((await master.run(fun, args)).value)

    beforeAll(async () => {
      server = await startPostgres()
      psql('postgres', 'CREATE DATABASE salt;')
      psql('salt', TABLES)
      site = await TestSite.open()
      const place = { host: server.directory, port: server.port, user: 'postgres' }
      const options = Object.fromEntries(
        Object.entries(place).map(([key, value]) => [`returner.pgjsonb.${key}`, value]),
      )
      const cache = { master_job_cache: 'pgjsonb', ...options }
      first = await site.master('first', '127.0.0.1', cache)
      second = await site.master('second', '127.0.0.2', cache)
      for (const id of ['web1', 'web2']) {
        await site.minion(id, { master: ['127.0.0.1', '127.0.0.2'] })
        for (const master of [first, second]) await master.event(new RegExp(`^salt/minion/${id}/start$`))
      }
    })
    afterAll(async () => {
      await site?.close()
      await server?.stop()
    })

    it('shows jobs of the other master with their returns and minions', async () => {
      const ofFirst = await first.publish('*', 'test.echo', ['from the first'])
      for (const id of ['web1', 'web2']) await first.event(new RegExp(`^salt/job/${ofFirst}/ret/${id}$`))
      const ofSecond = await second.publish('web1', 'test.echo', ['from the second'])
      await second.event(new RegExp(`^salt/job/${ofSecond}/ret/web1$`))

      await expect
        .poll(() => answer(second, 'jobs.lookup_jid', ofFirst))
        .toEqual({ web1: 'from the first', web2: 'from the first' })
      await expect.poll(() => answer(first, 'jobs.lookup_jid', ofSecond)).toEqual({ web1: 'from the second' })
      const shown = { Function: 'test.echo', Target: '*', Minions: ['web1', 'web2'] }
      expect(await answer(second, 'jobs.print_job', ofFirst)).toMatchObject({ [ofFirst]: shown })
      expect(await answer(second, 'jobs.exit_success', ofFirst)).toEqual({ web1: true, web2: true })
      for (const master of [first, second]) {
        expect(Object.keys((await answer(master, 'jobs.list_jobs')) as object)).toEqual(
          expect.arrayContaining([ofFirst, ofSecond]),
        )
      }
    })

    it('names minions that did not return to the other master', async () => {
      psql(
        'salt',
        `INSERT INTO jids VALUES ('20260101000000000000', '{"fun": "test.ping", "tgt": "*", "Minions": ["web1", "db1"]}');
      INSERT INTO salt_returns VALUES ('test.ping', '20260101000000000000', 'true', 'web1', 'True', '{"id": "web1", "return": true}');`,
      )
      const { value } = await second.run('jobs.lookup_jid', ['20260101000000000000'], { missing: true })
      expect(toPlain(value)).toEqual({ web1: true, db1: 'Minion did not return' })
    })
  },
)
