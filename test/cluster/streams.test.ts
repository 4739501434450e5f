import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectNats } from '@nats-io/transport-node'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Log, silentLog } from '../../src/base/mod.ts'
import { minionOrigin } from '../../src/bus/mod.ts'
import { Cluster } from '../../src/cluster/cluster.ts'
import { ClusterLog, type ClusterRecord, type LogGap, type LogOptions } from '../../src/cluster/cluster-log.ts'
import { Contact } from '../../src/cluster/contact.ts'
import { KeySync } from '../../src/cluster/key-sync.ts'
import { Nats, type StreamMessage } from '../../src/cluster/nats.ts'
import { Seal } from '../../src/cluster/seal.ts'
import { type ClusterSettings, clusterSettings } from '../../src/cluster/settings.ts'
import { ClusterState } from '../../src/cluster/state.ts'
import { type Dict, Packed, readValue, type Value } from '../../src/data/mod.ts'
import { readReturnRecord, returnRecord } from '../../src/master/log-records.ts'
import { ReturnService } from '../../src/master/returns.ts'
import { PkiKeys } from '../../src/store/mod.ts'
import { loadOrMakeKeys } from '../../src/wire/mod.ts'
import { freeze } from '../freeze.ts'
import { until } from '../until.ts'
import { natsServer } from './nats-binary.ts'
import { type SiteServer, startSiteServer } from './site-server.ts'

const found = natsServer()

describe.skipIf('reason' in found)('the streams of a cluster on a NATS server of the site', () => {
  const root = mkdtempSync(join(tmpdir(), 'brine-streams-'))
  let server: SiteServer
  let port = 0
  let nats: Nats
  let count = 0
  let settings: ClusterSettings
  let opts: Dict

  beforeAll(async () => {
    server = await startSiteServer('program' in found ? found.program : '', root)
    port = server.port
  })

  beforeEach(async () => {
    const cluster_nats: Dict = new Map<Value, Value>([
      ['servers', [`127.0.0.1:${port}`]],
      ['sync_always', true],
    ])
    opts = new Map<Value, Value>([
      ['cluster_id', `t${++count}`],
      ['cluster_secret', 'a secret of three masters'],
      ['cluster_masters', ['127.0.0.1']],
      ['cluster_nats', cluster_nats],
      ['cachedir', join(root, `cache${count}`)],
      ['pki_dir', join(root, `pki${count}`)],
      ['interface', '127.0.0.1'],
      ['id', 'm'],
    ])
    mkdirSync(join(root, `pki${count}`))
    settings = clusterSettings(opts)
    nats = await Nats.connect(settings)
  })

  afterAll(async () => {
    await server.close()
    rmSync(root, { recursive: true, force: true })
  })

  const openLog = async (
    records: ClusterRecord[],
    log: Log = silentLog,
    last = 0,
    member = 'm',
    more: Partial<LogOptions> = {},
  ): Promise<ClusterLog> => {
    const stream = { name: `${settings.name}-log`, subjects: [`${settings.name}.log`], num_replicas: 1 }
    await nats.ensureStream(stream)
    const { time } = await nats.extent(stream.name)
    const apply = (record: ClusterRecord): void => void records.push(record)
    const place = { seq: 0, seen: {}, nonce: '' }
    const seal = new Seal(settings.sealKey)
    return new ClusterLog({
      nats,
      seal,
      stream,
      member,
      place,
      last,
      time,
      log,
      begins: () => {},
      apply,
      ...more,
    })
  }

  const record = (bytes: number): Dict => new Map([['text', 'x'.repeat(bytes)]])

  it('takes records that are too large for one message together', async () => {
    const records: ClusterRecord[] = []
    const lines: string[] = []
    const log = await openLog(records, (_level, text) => lines.push(text))
    await Promise.all([log.append(record(400_000)), log.append(record(900_000)), log.append(record(10))])
    expect(records).toHaveLength(3)
    expect(log.share(record(2 << 20))).toBeUndefined()
    expect(lines).toEqual([expect.stringMatching(/only this master.*max_payload/)])
    await log.close()
    await nats.close()
  })

  it('counts how old a record is by the clocks of the servers alone', async () => {
    const records: ClusterRecord[] = []
    const first = await openLog(records)
    await first.append(record(10))
    const { time } = await nats.extent(`${settings.name}-log`)
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => time - 6 * 3_600_000)
    await first.append(record(10))
    await first.close()
    const again: ClusterRecord[] = []
    const second = await openLog(again, silentLog, 2)
    await second.atEnd
    clock.mockRestore()
    expect([...records, ...again].map(({ isLate, age }) => [isLate, age < 60_000 && age > -60_000])).toEqual([
      [false, true],
      [false, true],
      [true, true],
      [true, true],
    ])
    await second.close()
    await nats.close()
  })

  it('lets a master say that it carries out nothing for long, and when it does again', async () => {
    const said: boolean[] = []
    let isFull = false
    const apply = (): void => {
      if (isFull) throw new Error('no space left on the disk')
    }
    const log = await openLog([], silentLog, 0, 'm', { apply, stuck: (isStuck) => void said.push(isStuck) })
    await log.append(record(1))
    expect(said).toEqual([])
    isFull = true
    await log.append(record(1))
    await until('the log is stuck', () => said.length > 0)
    isFull = false
    await until('the log goes on', () => said.length > 1)
    expect(said).toEqual([true, false])
    await log.close()
    await nats.close()
  })

  it('is read whole although a server lacks a message', async () => {
    const writing = await openLog([])
    await writing.append(record(1))
    const records: ClusterRecord[] = []
    const lines: string[] = []
    // this server lacks the third message, so that the later ones have earlier places there
    const plain = nats
    const lacking = Object.create(plain) as Nats
    lacking.next = async (stream, seq, subject) => {
      const message = await plain.next(stream, seq < 3 ? seq : seq + 1, subject)
      return message && { ...message, seq }
    }
    nats = lacking
    const reading = await openLog(records, (_level, text) => lines.push(text), 0, 'n')
    nats = plain
    for (const bytes of [2, 3, 4, 5]) await writing.append(record(bytes))
    await until('most records are read', () => records.length >= 4)
    expect(records.map(({ fields }) => String(fields.get('text')).length)).toEqual([1, 2, 3, 4])
    expect(lines[0]).toMatch(/^Message 3 of .* is another one on NATS server .*, whose copy is not whole$/)
    await reading.close()
    await writing.close()
    await nats.close()
  })

  describe('with a server that is not whole', () => {
    const gaps: LogGap[] = []
    let writing: ClusterLog
    let records: ClusterRecord[]

    beforeEach(async () => {
      gaps.length = 0
      records = []
      writing = await openLog([])
    })

    /** Read by a server that answers otherwise than the leader. */
    const readingBy = async (
      answer: (message: StreamMessage, plain: Nats) => StreamMessage | Promise<StreamMessage>,
    ) => {
      const plain = nats
      const other = Object.create(plain) as Nats
      other.next = async (...asked) => {
        const message = await plain.next(...asked)
        return message && answer(message, plain)
      }
      nats = other
      const reading = await openLog(records, silentLog, 0, 'n', { gap: (gap) => void gaps.push(gap) })
      nats = plain
      return reading
    }
    const sizes = (): number[] => records.map(({ fields }) => String(fields.get('text')).length)
    const wrote = async (...bytes: number[]): Promise<void> => {
      for (const each of bytes) await writing.append(record(each))
    }
    const lacks = (place: number) => async (message: StreamMessage, plain: Nats) =>
      message.seq === place ? (await plain.next(`${settings.name}-log`, place + 1, `${settings.name}.log`))! : message
    const close = async (reading: ClusterLog): Promise<void> => {
      await reading.close()
      await writing.close()
      await nats.close()
    }

    it('takes from the leader a message that the server lacks', async () => {
      await wrote(1, 2, 3)
      const reading = await readingBy(lacks(2))
      await until('all is read', () => records.length === 3)
      expect([sizes(), gaps]).toEqual([[1, 2, 3], []])
      await close(reading)
    })

    it('takes from the leader a message that the server has damaged', async () => {
      await wrote(1, 2, 3)
      const reading = await readingBy((message) =>
        message.seq === 2 ? { ...message, data: message.data.map((byte) => byte ^ 1) } : message,
      )
      await until('all is read', () => records.length === 3)
      expect([sizes(), gaps]).toEqual([[1, 2, 3], []])
      await close(reading)
    })

    it('reads messages again that were skipped because the server had other positions', async () => {
      await wrote(1, 2)
      // the server says twice that the second message is the next one, and later it is the same as the others
      const reading = await readingBy(async (message, plain) => {
        if (message.seq !== 3) return message
        return { ...(await plain.next(`${settings.name}-log`, 2, `${settings.name}.log`))!, seq: 3 }
      })
      await wrote(3)
      await until('the copy is read', () => reading.place.seq === 3)
      expect(sizes()).toEqual([1, 2])
      await wrote(4)
      await until('all is read', () => records.length === 4)
      expect(sizes()).toEqual([1, 2, 3, 4])
      expect(gaps).toMatchObject([{ isRepaired: true, count: 1 }])
      await close(reading)
    })

    it('goes on after a message that no server has, and says so', async () => {
      await wrote(1, 2, 3)
      const connection = await connectNats({ servers: `127.0.0.1:${port}` })
      await connection.request(`$JS.API.STREAM.MSG.DELETE.${settings.name}-log`, JSON.stringify({ seq: 2 }))
      await connection.close()
      const reading = await readingBy((message) => message)
      await until('all is read', () => records.length === 2)
      expect(sizes()).toEqual([1, 3])
      expect(gaps).toMatchObject([{ isRepaired: false }])
      await close(reading)
    })

    it('reports a record that no server has once, although the next message is tried again', async () => {
      await wrote(1, 2, 3)
      const plain = nats
      // all servers have lost the second message, and gave its position to the third one
      const without = async (stream: string, seq: number, subject: string): Promise<StreamMessage | undefined> => {
        const message = await plain.next(stream, seq < 2 ? seq : seq + 1, subject)
        return message && { ...message, seq }
      }
      nats = Object.assign(Object.create(plain) as Nats, { next: without, nextOfLeader: without })
      let failures = 3
      const apply = (each: ClusterRecord): void => {
        if (String(each.fields.get('text')).length === 3 && failures-- > 0) throw new Error('no space left on the disk')
        records.push(each)
      }
      const gap = (each: LogGap): void => void gaps.push(each)
      const reading = await openLog(records, silentLog, 0, 'n', { apply, gap })
      nats = plain
      await until('all is read', () => records.length === 2)
      expect(sizes()).toEqual([1, 3])
      expect(gaps).toMatchObject([{ isRepaired: false, count: 1 }])
      await close(reading)
    })

    it('reads a stream that was created anew while it was read', async () => {
      await wrote(1, 2, 3)
      const reading = await readingBy((message) => message)
      await until('all is read', () => records.length === 3)
      await removeStream(port, `${settings.name}-log`)
      await nats.ensureStream({ name: `${settings.name}-log`, subjects: [`${settings.name}.log`], num_replicas: 1 })
      await wrote(4, 5)
      await until('the new one is read', () => records.length === 5)
      expect([sizes(), gaps]).toEqual([[1, 2, 3, 4, 5], []])
      await close(reading)
    })
  })

  it('is reached again by a master whose clock went back before the server ended', async () => {
    const own = mkdtempSync(join(root, 'own-'))
    const first = await startSiteServer('program' in found ? found.program : '', own)
    const member = await Nats.connect({ ...settings, servers: [`127.0.0.1:${first.port}`] })
    const subject = 'beats'
    const seal = new Seal(settings.sealKey)
    const contact = new Contact({ nats: member, seal, member: 'm', count: 3, subject, onApart: () => {} })
    let heard = 0
    member.listen(subject, () => heard++)
    await until('the master hears itself', () => heard > 0)
    const { now } = Date
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 3 * 3_600_000)
    await first.close()
    const second = await startSiteServer('program' in found ? found.program : '', own, first.port)
    heard = 0
    await until('the master hears itself again', () => heard > 0)
    clock.mockRestore()
    contact.close()
    await member.close()
    await second.close()
    await nats.close()
  })

  it('leaves the records of an earlier life of a master to its next one, and to no other master', async () => {
    const first = await openLog([])
    await first.append(record(10))
    await first.close()
    const lives: ClusterRecord[][] = [[], []]
    for (const [index, member] of ['m', 'n'].entries()) {
      const log = await openLog(lives[index]!, silentLog, 1, member)
      await log.atEnd
      await log.close()
    }
    expect(lives.map((records) => records.map(({ isMine, isLeft }) => [isMine, isLeft]))).toEqual([
      [[false, true]],
      [[false, false]],
    ])
    await nats.close()
  })

  it('leaves what a minion returned packed', async () => {
    const records: ClusterRecord[] = []
    const log = await openLog(records)
    const data: Dict = new Map<Value, Value>([
      ['id', 'web'],
      ['return', Array.from({ length: 1000 }, (_, index) => index)],
      ['jid', '20260101000000000000'],
    ])
    const sent = { jid: '20260101000000000000', id: 'web', isKept: true, tag: 't', data, sender: minionOrigin('web') }
    await log.append(returnRecord(sent))
    const read = readReturnRecord(records[0]!.fields)
    const returned = read.data.get('return')
    expect(returned).toBeInstanceOf(Packed)
    expect((returned as Packed).unpack()).toEqual(data.get('return'))
    expect([...read.data.keys()]).toEqual([...data.keys()])
    await log.close()
    await nats.close()
  })

  it('keeps the keys of minions when the shared state is lost', async () => {
    const pki = new PkiKeys(join(root, `pki${count}`))
    const stream = { name: `${settings.name}-state`, subjects: [`${settings.name}.state.>`], num_replicas: 1 }
    const seal = new Seal(settings.sealKey)
    const synced = async (): Promise<ClusterState> => {
      await nats.ensureStream(stream)
      const options = { nats, seal, stream: stream.name, subject: stream.subjects[0]!, log: silentLog, last: 0 }
      const state = new ClusterState(options)
      await state.atEnd
      const sync = new KeySync(state, pki, root, silentLog)
      await sync.start()
      await sync.close()
      return state
    }
    pki.store('web', { state: 'accepted', pub: 'a key' })
    await (await synced()).close()
    await removeStream(port, stream.name)
    const state = await synced()
    expect(pki.pem('minions', 'web')).toBe('a key')
    await until('the cluster has the key again', () => state.get('key', 'web') !== undefined)
    await state.close()
    await nats.close()
  })

  it('keeps why a return is too large for a message', async () => {
    await loadOrMakeKeys(join(root, `pki${count}`), 'master')
    const cluster = await Cluster.open({ opts, log: silentLog, keys: new PkiKeys(join(root, `pki${count}`)) })
    const records: ClusterRecord[] = []
    cluster.begin({
      apply: (each) => void records.push(each),
      last: () => ({ event: 0, returned: 0 }),
      kept: async () => {},
    })
    await cluster.ready()
    const quotas = { valuesOfRequest: 1000, allowsEvents: () => true }
    const returns = new ReturnService({ opts, cluster } as ConstructorParameters<typeof ReturnService>[0], quotas)
    const load: Dict = new Map([...record(2 << 20), ['id', 'web'], ['jid', '20260101000000000000']])
    load.set('return', load.get('text')!).delete('text')
    expect(await returns.take(load)).toBeNull()
    const { data } = readReturnRecord(records[0]!.fields)
    expect(readValue(data.get('return')!)).toMatch(/2097\d+ bytes does not fit/)
    expect(data.get('retcode')).toBe(1)
    await cluster.close()
    await nats.close()
  })

  it('notes no place and takes no record while the journal takes no events', async () => {
    await loadOrMakeKeys(join(root, `pki${count}`), 'master')
    const lines: string[] = []
    const keys = new PkiKeys(join(root, `pki${count}`))
    const cluster = await Cluster.open({ opts, log: (_level, text) => lines.push(text), keys })
    const texts: Value[] = []
    let isFull = true
    const kept = async (): Promise<void> => {
      if (isFull) throw new Error('no space')
    }
    cluster.begin({
      apply: ({ fields }) => void texts.push(fields.get('text')!),
      last: () => ({ event: 0, returned: 0 }),
      kept,
    })
    await cluster.ready()
    const noted = (): number => {
      const file = join(root, `cache${count}`, 'cluster', 'place.json')
      return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { seq: number }).seq : 0
    }
    await cluster.append(new Map([['text', 'a']]))
    await until('the place cannot be noted', () => lines.some((text) => /Cannot note the place.*no space/.test(text)))
    cluster.share(new Map([['text', 'b']]))
    await until('the record waits', () => lines.some((text) => /cannot be carried out yet: no space/.test(text)))
    expect([texts, noted()]).toEqual([['a'], 0])
    isFull = false
    await until('the place is noted', () => noted() === 2)
    expect(texts).toEqual(['a', 'b'])
    await cluster.close()
    await nats.close()
  })

  it('refuses a record after the patience of its caller', async () => {
    const log = await openLog([])
    await freeze(server.process.pid!)
    const refused = log.append(record(10), 100).finally(() => server.process.kill('SIGCONT'))
    await expect(refused).rejects.toThrow('The cluster has no majority of its masters')
    await log.close()
    await nats.close()
  })

  it('reads a log that was created anew from its beginning', async () => {
    const tags: Value[] = []
    const lines: string[] = []
    const log: Log = (_level, text) => lines.push(text)
    await loadOrMakeKeys(join(root, `pki${count}`), 'master')
    const opened = async (): Promise<Cluster> => {
      const keys = new PkiKeys(join(root, `pki${count}`))
      const cluster = await Cluster.open({ opts, log, keys })
      const apply = ({ fields }: ClusterRecord): void => void tags.push(fields.get('text')!)
      cluster.begin({ apply, last: () => ({ event: 0, returned: 0 }), kept: async () => {} })
      await cluster.ready()
      return cluster
    }
    const first = await opened()
    for (const text of ['a', 'b', 'c']) await first.append(new Map([['text', text]]))
    await first.close()
    const file = join(root, `cache${count}`, 'cluster', 'place.json')
    const old = readFileSync(file)
    for (const kind of ['log', 'state']) await removeStream(port, `brine-${settings.name}-${kind}`)
    const second = await opened()
    for (const text of ['d', 'e', 'f', 'g']) await second.append(new Map([['text', text]]))
    expect(tags.splice(0)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g'])
    await second.close()
    // as a master that was away while the new one grew longer than the old one
    writeFileSync(file, old)
    const third = await opened()
    expect(tags).toEqual(['d', 'e', 'f', 'g'])
    await third.close()
    expect(lines).toContainEqual(expect.stringMatching(/takes 1048576 bytes in a message/))
    await nats.close()
  })
})

/** Delete a stream with the password of the server. */
async function removeStream(port: number, name: string): Promise<void> {
  const connection = await connectNats({ servers: `127.0.0.1:${port}` })
  await connection.request(`$JS.API.STREAM.DELETE.${name}`)
  await connection.close()
}
