// A master that is killed at any moment has every record once in its journal and its job store afterwards. What a killed process leaves is
// what its files hold at that moment: the test copies them at each event, and another life goes on with each copy.
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { type BusEvent, JournalReader, journalFolder, minionOrigin } from '../../src/bus/mod.ts'
import { Cluster } from '../../src/cluster/cluster.ts'
import type { Dict, Value } from '../../src/data/mod.ts'
import { beginCluster } from '../../src/master/clustering.ts'
import { journaledBus } from '../../src/master/journaling.ts'
import { eventRecord, jobRecord, returnRecord } from '../../src/master/log-records.ts'
import { Publishing } from '../../src/master/publish.ts'
import { ReturnService } from '../../src/master/returns.ts'
import { PkiKeys, ReactionStore, SqliteJobs, StorageWatch } from '../../src/store/mod.ts'
import { loadOrMakeKeys } from '../../src/wire/mod.ts'
import { until } from '../until.ts'
import { natsServer } from './nats-binary.ts'
import { type SiteServer, startSiteServer } from './site-server.ts'

const found = natsServer()
const JID = '20260101000000000000'
const IDS = ['web1', 'web2', 'web3']

type LifeParts = ConstructorParameters<typeof Publishing>[0] &
  ConstructorParameters<typeof ReturnService>[0] &
  Parameters<typeof beginCluster>[0]

/** One life of a master: its journal, its job store, and its place in the cluster. */
class Life {
  readonly root: string
  readonly opts: Dict
  private closings: Array<() => unknown> = []
  cluster!: Cluster
  journaled!: ReturnType<typeof journaledBus>

  constructor(root: string, port: number) {
    this.root = root
    this.opts = new Map<Value, Value>([
      ['cluster_id', 'crash'],
      ['cluster_secret', 'a secret of three masters'],
      ['cluster_masters', ['127.0.0.1']],
      ['cluster_nats', new Map<Value, Value>([['servers', [`127.0.0.1:${port}`]]])],
      ['cachedir', join(root, 'cache')],
      ['pki_dir', join(root, 'pki')],
      ['interface', '127.0.0.1'],
      ['id', 'm'],
    ])
  }

  async open(seen: (event: string) => void = () => {}): Promise<void> {
    const { opts } = this
    const log = silentLog
    const storage = new StorageWatch({ log, fire: () => {} })
    const jobs = new SqliteJobs(join(this.root, 'cache/jobs.db'))
    this.journaled = journaledBus(opts, jobs, log, storage)
    const { bus, kept } = this.journaled
    bus.listen(({ tag }) => seen(tag))
    this.cluster = await Cluster.open({ opts, log, keys: new PkiKeys(join(this.root, 'pki')) })
    const { cluster } = this
    const reactions = new ReactionStore(join(this.root, 'cache/reactions.db'))
    const parts = {
      ...{ opts, log, bus, jobs, kept, cluster, stores: { reactions: () => reactions } },
      jobCaches: {
        published: async (jid: string) => this.cache(jid),
        returned: async ({ fields }: BusEvent) => this.cache(String(fields.get('id'))),
        prune: async () => {},
      },
      publications: { publish: async () => undefined },
      deliveries: { windowOf: () => 0, keep: () => {} },
    } as unknown as LifeParts
    const judge = (): never => {
      throw new Error('nothing is judged here')
    }
    const returns = new ReturnService(parts, { valuesOfRequest: 1000, allowsEvents: () => true })
    await beginCluster(parts, { publishing: new Publishing(parts, { judge }), returns, batches: undefined })
    this.closings = [
      () => cluster.close(async () => void (await kept())),
      () => this.journaled.close(),
      () => storage.close(),
      () => jobs.close(),
      () => reactions.close(),
    ]
  }

  private get cacheFile(): string {
    return join(this.root, 'cached')
  }

  /** Record on disk the data that the job caches get. */
  private cache(what: string): void {
    appendFileSync(this.cacheFile, `${what}\n`)
  }

  /** Entries of the job caches in all runs. */
  cached(): string[] {
    return [...new Set(readFileSync(this.cacheFile, 'utf8').trim().split('\n'))].sort()
  }

  /** How often each tag is in the journal. */
  tags(): Record<string, number> {
    const counts: Record<string, number> = {}
    const reader = new JournalReader(journalFolder(this.opts), () => ({ returnOf: () => undefined }))
    for (const tag of reader.tags({ number: 0 })) counts[tag] = (counts[tag] ?? 0) + 1
    return counts
  }

  returned(): string[] {
    const jobs = new SqliteJobs(join(this.root, 'cache/jobs.db'))
    const ids = [...jobs.returns(JID).keys()]
    jobs.close()
    return ids
  }

  async close(): Promise<void> {
    for (const close of this.closings) await close()
  }
}

describe.skipIf('reason' in found)('A master of a cluster that is killed', () => {
  const root = mkdtempSync(join(tmpdir(), 'brine-crash-'))
  let server: SiteServer
  const copies: string[] = []
  let first: Life

  /** Keep the files as kill -9 would leave them now. */
  const copy = (): void => {
    const to = join(root, `copy${copies.length}`)
    cpSync(first.root, to, { recursive: true })
    copies.push(to)
  }

  const returned = (id: string): Dict => {
    const data: Dict = new Map<Value, Value>([
      ['id', id],
      ['jid', JID],
      ['return', true],
    ])
    return returnRecord({
      jid: JID,
      id,
      isKept: true,
      tag: `salt/job/${JID}/ret/${id}`,
      data,
      sender: minionOrigin(id),
    })
  }

  const job = (): Dict => {
    const load: Dict = new Map<Value, Value>([
      ['fun', 'test.ping'],
      ['jid', JID],
      ['tgt', '*'],
    ])
    const flags = { isFrozen: false, isOfSalt: false, isKept: true }
    return jobRecord({ jid: JID, load, minions: IDS, missing: [], ...flags })
  }

  const event = (tag: string): Dict => eventRecord({ tag, fields: new Map(), origin: minionOrigin('web1') })

  beforeAll(async () => {
    server = await startSiteServer('program' in found ? found.program : '', root)
    first = new Life(join(root, 'first'), server.port)
    mkdirSync(join(first.root, 'pki'), { recursive: true })
    await loadOrMakeKeys(join(first.root, 'pki'), 'master')
    await first.open((tag) => {
      if (tag.startsWith('salt/job/') || tag.startsWith('shop/')) copy()
    })
    copy()
    const { cluster } = first
    await cluster.append(job())
    // each minion sends its return again, because it got no confirmation of the first one
    await Promise.all([...IDS, ...IDS].map((id) => cluster.append(returned(id))))
    await cluster.append(event('shop/opened'))
    first.journaled.bus.fire('shop/own', new Map())
    await cluster.flushed()
    await first.journaled.kept()
    copy()
    await Promise.all(IDS.map((id) => cluster.append(returned(id))))
    await cluster.append(event('shop/closed'))
    await first.journaled.kept()
    copy()
    await first.close()
    copy()
  })

  afterAll(async () => {
    await server.close()
    rmSync(root, { recursive: true, force: true })
  })

  it('has each record once after another life, whatever the moment was', async () => {
    const wanted = [
      `salt/job/${JID}/new`,
      `salt/job/${JID}/publish`,
      ...IDS.map((id) => `salt/job/${JID}/ret/${id}`),
      ...['shop/opened', 'shop/own', 'shop/closed'],
    ]
    // before all, two events of the job, three returns, three events of the shop, twice with a whole journal, after the stop
    expect(copies).toHaveLength(12)
    for (const place of copies) {
      const life = new Life(place, server.port)
      await life.open()
      await until('all of the log is carried out', () => life.cluster.isCaughtUp)
      await life.close()
      const tags = life.tags()
      expect([place, Object.fromEntries(wanted.map((tag) => [tag, tags[tag]]))]).toEqual([
        place,
        Object.fromEntries(wanted.map((tag) => [tag, 1])),
      ])
      expect(life.returned()).toEqual(IDS)
      expect([place, life.cached()]).toEqual([place, [JID, ...IDS]])
    }
  })
})
