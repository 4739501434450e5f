// A database server from its SLS file: a repository with its key from the vendor's site, the server, databases, roles.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Host } from '../host.ts'
import { Lab } from '../lab.ts'
import { bootMirror, introduce } from '../mirror.ts'
import { apply, dryRun, install, outcomes } from '../states.ts'
import { STOCK } from '../stock.ts'

let lab: Lab
let db: Host

beforeAll(async () => {
  lab = await Lab.open({ stock: STOCK })
  const mirror = await bootMirror(lab, /^(postgresql|libpq|libllvm)/)
  ;[db] = (await lab.boot('db01')) as [Host]
  await introduce(db, mirror)
  install(db, 'database')
})

afterAll(() => lab?.close())

const SLS = 'database.postgresql'

const ALL_CHANGE = {
  'postgresql_repo pkgrepo.managed': 'changes',
  'postgresql_install pkg.installed': 'changes',
  'postgresql_config file.managed': 'changes',
  'postgresql_service service.running': 'changes',
  'create_db_shop postgres_database.present': 'changes',
  'create_user_shopkeeper postgres_user.present': 'changes',
  'create_db_stock postgres_database.present': 'changes',
  'create_user_clerk postgres_user.present': 'changes',
}

/** Before there is a server, Salt too has no states for what is in one. */
const FORETOLD = Object.fromEntries(
  Object.entries(ALL_CHANGE).map(([id, outcome]) => [id, / postgres_/.test(id) ? 'fails' : outcome]),
)

const NONE_CHANGES = Object.fromEntries(Object.keys(ALL_CHANGE).map((id) => [id, 'clean']))

const ask = async (query: string) =>
  (await db.run(['runuser', '-u', 'postgres', '--', 'psql', '-Atc', query])).trim().split('\n')

describe('the database server', () => {
  it('is foretold without being touched', async () => {
    const { foretold, touched } = await dryRun(db, SLS)
    expect(foretold).toEqual(FORETOLD)
    expect(touched).toBe(0)
  })

  it('is installed from the repository, configured and started, with its databases and roles', async () => {
    expect(outcomes(await apply(db, SLS))).toEqual(ALL_CHANGE)
    expect(await db.run(['apt-cache', 'policy', 'postgresql-15'])).toContain('https://apt.postgresql.org/pub/repos/apt')
    expect(await ask('show max_connections')).toEqual(['42'])
    const owned = 'select datname, rolname from pg_database join pg_roles r on r.oid = datdba where datname ~ $$^s$$'
    expect(await ask(`${owned} order by 1`)).toEqual(['shop|shopkeeper', 'stock|clerk'])
    expect(await ask('select rolname, rolcreatedb from pg_roles where rolcanlogin order by 1')).toEqual([
      'clerk|t',
      'postgres|t',
      'shopkeeper|f',
    ])
  })

  it("keeps a role's password as Salt encrypts it", async () => {
    const expected = `md5${createHash('md5').update('sesameshopkeeper').digest('hex')}`
    expect(await ask('select rolpassword from pg_authid where rolname = $$shopkeeper$$')).toEqual([expected])
  })

  it('stays as it is in a second run, which a dry run knows', async () => {
    expect((await dryRun(db, SLS)).foretold).toEqual(NONE_CHANGES)
    expect(outcomes(await apply(db, SLS))).toEqual(NONE_CHANGES)
  })

  it('is restarted when its configuration changes', async () => {
    const pillar = db.read('/srv/pillar/database.sls').replace('42', '43')
    db.write('/srv/pillar/database.sls', pillar)
    const expected = {
      ...NONE_CHANGES,
      'postgresql_config file.managed': 'changes',
      'postgresql_service service.running': 'changes',
    }
    expect((await dryRun(db, SLS)).foretold).toEqual(expected)
    expect(outcomes(await apply(db, SLS))).toEqual(expected)
    expect(await ask('show max_connections')).toEqual(['43'])
  })
})
