import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { storageError } from '../base/mod.ts'
import { type Dict, decodeMsgpack, type Value } from '../data/mod.ts'
import { EXIT_CODES, SignIn, type SignInOutcome } from './client/mod.ts'
import { pemFingerprint } from './crypto/mod.ts'
import { masterIdentity, PrivateAnswer } from './server/mod.ts'
import { trialKeys, WireTrial } from './trial.ts'

let trial: WireTrial
afterEach(() => trial.stop())

const dict = (entries: Record<string, unknown>): Map<string, unknown> => new Map(Object.entries(entries))
const echo = dict({ cmd: 'echo', text: 'ü', bytes: Buffer.from([255, 0]) })

describe.each(['zeromq', 'tcp', 'ws'])('a minion and a master over %s', (transport) => {
  it('talk: clear commands, sign-in, encrypted commands, pillar, publications', async () => {
    trial = await WireTrial.start({
      transport,
      channel: {
        handlers: {
          clear: (load) => load,
          aes: (load, { id }) =>
            load.get('cmd') === '_pillar' ? new PrivateAnswer('pillar', id, { role: 'web' }) : load,
        },
      },
    })
    const minion = await trial.minion()
    const answer = (await minion.send(echo)) as Dict
    expect(answer.get('text')).toBe('ü')
    expect(answer.get('bytes')).toEqual(Uint8Array.of(255, 0))
    expect(answer.has('tok') || answer.has('nonce')).toBe(false)
    expect(await minion.sendPrivate(dict({ cmd: '_pillar' }))).toEqual(new Map([['role', 'web']]))
    const heard = await trial.subscribe(minion)
    await eventually(() => expect(trial.publisher.subscribers).toBe(1))
    await eventually(async () => {
      await trial.publications.publish(
        new Map([
          ['fun', 'test.ping'],
          ['tgt', 'm1'],
          ['tgt_type', 'glob'],
        ]),
      )
      expect(heard.at(-1)?.get('fun')).toBe('test.ping')
    })
  })

  it('find each other again when the keys of the master changed', async () => {
    trial = await WireTrial.start({ transport })
    const minion = await trial.minion()
    await minion.authenticate()
    const heard = await trial.subscribe(minion)
    await eventually(async () => {
      await trial.publications.publish(
        new Map([
          ['jid', '1'],
          ['tgt', 'm1'],
          ['tgt_type', 'list'],
        ]),
      )
      expect(heard.length).toBeGreaterThan(0)
    })
    trial.secret.rotate()
    for (const jid of ['2', '3', '4']) {
      await trial.publications.publish(
        new Map<Value, Value>([
          ['jid', jid],
          ['tgt', ['m1']],
          ['tgt_type', 'list'],
        ]),
      )
    }
    await eventually(() => expect(heard.slice(-3).map((load) => load.get('jid'))).toEqual(['2', '3', '4']))
  })
})

it('a master reads no further large request of a minion while many of its values wait for answers', async () => {
  const waiting: Array<(answer: string) => void> = []
  const heard: string[] = []
  const aes = (load: Dict, { id }: { id: string }): unknown => {
    heard.push(`${load.get('cmd')} of ${id}`)
    return load.get('cmd') === 'wait' ? new Promise((answer) => waiting.push(answer)) : true
  }
  trial = await WireTrial.start({
    transport: 'tcp',
    channel: { maxValues: 1000, handlers: { clear: (load) => load, aes } },
  })
  const [greedy, other] = [await trial.minion('m1'), await trial.minion('m2')]
  const request = (cmd: string): Map<string, unknown> => dict({ cmd, values: Array(900).fill(1) })
  // a refused minion signs in again, so its channel cannot open answers to earlier requests
  const answers = Array.from({ length: 4 }, () => greedy.send(request('wait')).catch(() => undefined))
  await eventually(() => expect(waiting).toHaveLength(4))
  await expect(greedy.send(request('more'))).rejects.toThrow()
  await greedy.send(dict({ cmd: 'small' }))
  await other.send(request('large'))
  expect(heard.slice(4)).toEqual(['small of m1', 'large of m2'])
  for (const answer of waiting) answer('done')
  await Promise.all(answers)
  expect(await greedy.send(request('large'))).toBe(true)
})

describe('a minion that signs in', () => {
  const outcomes: SignInOutcome['status'][] = []
  const note = (outcome: SignInOutcome): void => void outcomes.push(outcome.status)
  afterEach(() => void outcomes.splice(0))

  it('waits while its key is pending', async () => {
    trial = await WireTrial.start()
    const [, key] = await trialKeys()
    const minion = await trial.minion('m1', {}, (outcome) => {
      note(outcome)
      if (outcomes.length === 3) trial.keys.store('m1', { state: 'accepted', pub: key!.publicKey.pem })
    })
    trial.keys.keys.clear()
    await minion.authenticate()
    expect(outcomes).toEqual(['pending', 'pending', 'pending', 'accepted'])
    expect(trial.events.map((event) => event.get('act'))).toEqual(['pend', 'pend', 'pend', 'accept'])
  })

  it('ends when it is rejected, denied, or when there is no room', async () => {
    trial = await WireTrial.start({ channel: { policy: { isFull: (id) => id === 'late' } } })
    const [, key, other] = await trialKeys()
    trial.keys.store('bad', { state: 'rejected', pub: key!.publicKey.pem })
    trial.keys.store('taken', { state: 'accepted', pub: other!.publicKey.pem })
    for (const [id, status] of [
      ['bad', 'rejected'],
      ['taken', 'rejected'],
      ['late', 'full'],
    ] as const) {
      await expect((await trial.minion(id)).authenticate()).rejects.toMatchObject({ outcome: { status } })
    }
    expect(trial.keys.denied.get('taken')).toEqual(new Set([key!.publicKey.pem]))
    expect(EXIT_CODES).toEqual({ rejected: 77, fingerprint: 42 })
  })

  it('reports algorithms that the master does not support', async () => {
    trial = await WireTrial.start()
    const signing = await trial.minion('m1', { signingAlgorithm: 'PKCS1v15-SHA1' })
    const signIn = new SignIn(signing.settings)
    const load = signIn.request().set('sig_algo', 'X')
    const reply = (await trial.requests.handle(
      new Map<Value, Value>([
        ['enc', 'clear'],
        ['load', load as Dict],
        ['version', 3],
      ]),
      { address: '' },
    )) as Dict
    expect(await signIn.read(load, reply)).toEqual({ status: 'bad sig algo' })
  })

  it('knows the master again, and refuses another one', async () => {
    trial = await WireTrial.start()
    const minion = await trial.minion()
    await minion.authenticate()
    const [master, , other] = await trialKeys()
    const file = join(trial.directory, 'm1', 'minion_master.pub')
    expect(readFileSync(file, 'utf8')).toBe(master!.publicKey.pem)
    await minion.authenticate()
    writeFileSync(file, other!.publicKey.pem)
    await expect(minion.authenticate()).rejects.toMatchObject({ message: 'Invalid master key' })
  })

  it('names both causes and the file when a master with another key keeps it waiting', async () => {
    trial = await WireTrial.start()
    const reasons: string[] = []
    const minion = await trial.minion('m1', { authRetries: 1 }, (outcome) => {
      reasons.push(outcome.status === 'invalid' ? outcome.reason : outcome.status)
    })
    await minion.authenticate()
    const [, , other] = await trialKeys()
    const file = join(trial.directory, 'm1', 'minion_master.pub')
    writeFileSync(file, other!.publicKey.pem)
    trial.keys.keys.clear()
    await expect(minion.authenticate()).rejects.toMatchObject({ message: 'Invalid signature' })
    expect(reasons.at(-1)).toContain('The payload signature did not validate. ')
    expect(reasons.at(-1)).toContain(`the key of the master in ${file}. Either the master has a new key`)
    expect(reasons.at(-1)).toContain('Or another machine answers')
  })

  it('compares the fingerprint before it trusts a key', async () => {
    trial = await WireTrial.start()
    const [master] = await trialKeys()
    const wrong = await trial.minion('m1', { masterFinger: 'aa:bb' })
    await expect(wrong.authenticate()).rejects.toMatchObject({ outcome: { status: 'fingerprint' } })
    expect(() => readFileSync(join(trial.directory, 'm1', 'minion_master.pub'))).toThrow('ENOENT')
    const right = await trial.minion('m2', { masterFinger: pemFingerprint(`${master!.publicKey.pem}\n`) })
    expect((await right.authenticate()).session).toHaveLength(76)
  })

  it.each([
    [true, true, 'accepted'],
    [true, false, 'invalid'],
    [false, true, 'invalid'],
  ])('needs the key signed exactly if it looks (signed %s, looked at %s)', async (signs, looks, status) => {
    const [master, , sign] = await trialKeys()
    const identity = masterIdentity(master!, signs ? { signKey: sign } : {})
    trial = await WireTrial.start({ channel: { identity } })
    const minion = await trial.minion('m1', { verifyMasterPubkeySign: looks }, note)
    mkdirSync(join(trial.directory, 'm1'))
    writeFileSync(join(trial.directory, 'm1', 'master_sign.pub'), sign!.publicKey.pem)
    await minion.authenticate().catch(() => {})
    expect(outcomes).toEqual([status])
  })

  it('adopts a new master whose key is signed', async () => {
    const [master, , sign] = await trialKeys()
    trial = await WireTrial.start({ channel: { identity: masterIdentity(master!, { signKey: sign }) } })
    const minion = await trial.minion('m1', { verifyMasterPubkeySign: true })
    mkdirSync(join(trial.directory, 'm1'))
    writeFileSync(join(trial.directory, 'm1', 'master_sign.pub'), sign!.publicKey.pem)
    const pinned = join(trial.directory, 'm1', 'minion_master.pub')
    writeFileSync(pinned, sign!.publicKey.pem)
    await minion.authenticate()
    expect(readFileSync(pinned, 'utf8')).toBe(master!.publicKey.pem)
  })

  it('refuses a reply that was repeated or changed', async () => {
    trial = await WireTrial.start()
    const { settings } = await trial.minion()
    const signIn = new SignIn(settings)
    const ask = async (load: Map<string, unknown>) =>
      (await trial.requests.handle(
        new Map<Value, Value>([
          ['enc', 'clear'],
          ['load', load as Dict],
          ['version', 3],
        ]),
        { address: '' },
      )) as Dict
    const first = signIn.request()
    const reply = await ask(first)
    expect((await signIn.read(signIn.request(), reply)) as object).toMatchObject({ status: 'invalid', what: 'nonce' })
    const changed = new Map(reply).set('sig', Buffer.alloc(256, 1))
    expect((await signIn.read(first, changed)) as object).toMatchObject({ status: 'invalid', what: 'signature' })
    expect((await signIn.read(first, reply)).status).toBe('accepted')
    expect(await signIn.read(first, 'bad load')).toEqual({ status: 'refused', reply: 'bad load' })
  })
})

describe('a minion that sends', () => {
  it('signs in again when the master lost its session, and repeats', async () => {
    let now = Date.now()
    trial = await WireTrial.start({ now: () => now })
    const minion = await trial.minion()
    await minion.send(echo)
    const before = minion.credentials?.session
    now += 86_401_000
    expect(((await minion.send(echo)) as Dict).get('text')).toBe('ü')
    expect(minion.credentials?.session).not.toBe(before)
  })

  it('fails once its key was deleted', async () => {
    trial = await WireTrial.start()
    const minion = await trial.minion('m1', { authRetries: 1 })
    await minion.send(echo)
    trial.keys.keys.clear()
    await expect(minion.send(echo)).rejects.toMatchObject({ outcome: { status: 'pending' } })
  })

  it('signs its messages if it shall', async () => {
    let seen: Dict | undefined
    trial = await WireTrial.start({ channel: { handlers: { clear: () => null, aes: (load) => (seen = load) } } })
    const minion = await trial.minion('m1', { signMessages: true })
    await minion.send(dict({ cmd: '_return', fun: 'test.ping' }))
    expect([...seen!.keys()]).toEqual(['cmd', 'fun', 'ts', 'id', 'sig'])
  })
})

describe('RequestChannel', () => {
  const ask = async (message: unknown): Promise<unknown> => trial.requests.handle(message as Value, { address: '' })
  const clear = (load: unknown, version: unknown = 3): Dict =>
    new Map<Value, Value>([
      ['enc', 'clear'],
      ['load', load as Value],
      ['version', version as Value],
    ])

  it('answers unreadable requests with Salt’s words', async () => {
    trial = await WireTrial.start()
    expect(await ask('text')).toBe('bad load')
    expect(await ask(new Map([['enc', 'clear']]))).toBe('bad load')
    expect(await ask(clear(new Map(), 2))).toBe('bad load')
    expect(await ask(clear(new Map(), null))).toBe('bad load')
    expect(await ask(clear('x'))).toBe('payload and load must be a dict')
    expect(await ask(clear(new Map([['id', 'a\0b']])))).toBe('bad load: id contains a null byte')
    expect(await ask(clear(new Map([['id', 5]])))).toBe('bad load: id 5 is not a string')
    expect(await ask(clear(new Map([['cmd', 'ping']]), '3'))).toEqual(new Map([['cmd', 'ping']]))
    expect(
      await ask(
        new Map<string, unknown>([
          ['enc', 'aes'],
          ['load', Buffer.alloc(80)],
          ['version', 3],
          ['id', '../x'],
        ]),
      ),
    ).toBe('bad load')
  })

  it('accepts old minions only if configured', async () => {
    trial = await WireTrial.start({ channel: { minimumVersion: 0 } })
    const [master, key] = await trialKeys()
    const auth = new Map<Value, Value>([
      ['cmd', '_auth'],
      ['id', 'old'],
      ['pub', key!.publicKey.pem],
    ])
    expect(await ask(clear(auth, 1))).toEqual(
      new Map<string, unknown>([
        ['enc', 'clear'],
        ['load', new Map([['ret', true]])],
      ]),
    )
    trial.keys.store('old', { state: 'accepted', pub: key!.publicKey.pem })
    expect(((await ask(clear(auth, 1))) as Dict).get('pub_key')).toBe(master!.publicKey.pem)
    const load = trial.secret.crypticle.seal({ cmd: 'x', id: 'old', nonce: 'n'.repeat(32) })
    const sealed = (await ask(
      new Map<string, unknown>([
        ['enc', 'aes'],
        ['load', load],
        ['version', 2],
      ]),
    )) as Buffer
    expect(trial.secret.crypticle.open(sealed, { nonce: 'n'.repeat(32) })).toEqual(
      new Map([
        ['cmd', 'x'],
        ['id', 'old'],
      ]),
    )
  })

  it('answers a command that failed with an empty text, encrypted', async () => {
    trial = await WireTrial.start({
      channel: { handlers: { clear: () => null, aes: () => Promise.reject(new Error('broken')) } },
    })
    expect(await (await trial.minion()).send(echo)).toBe('')
    expect(trial.logs.join()).toContain('broken')
  })

  it('refuses requests that are too old', async () => {
    trial = await WireTrial.start({ channel: { timeToLive: 30 } })
    const minion = await trial.minion()
    await minion.send(echo)
    const now = Date.now()
    const load = (ts: number) =>
      trial.sessions.find('m1')!.seal({ id: 'm1', ts, tok: minion.settings.key.token(), nonce: 'n'.repeat(32) })
    const sent = (ts: number) =>
      ask(
        new Map<string, unknown>([
          ['enc', 'aes'],
          ['load', load(ts)],
          ['version', 3],
          ['id', 'm1'],
        ]),
      )
    expect(await sent(now / 1000 - 31)).toBe('bad load')
    expect(await sent(now / 1000)).toBeInstanceOf(Uint8Array)
  })

  it('survives any bytes', async () => {
    trial = await WireTrial.start()
    const start = Buffer.from('83a3656e63a3616573a46c6f6164a178a776657273696f6e03', 'hex')
    for (let i = 0; i < start.length * 8; i++) {
      const bytes = Buffer.from(start)
      bytes[i >> 3]! ^= 1 << (i & 7)
      let message: Value
      try {
        message = decodeMsgpack(bytes, { dialect: 'wire' })
      } catch {
        continue
      }
      expect(await ask(message)).toMatch(/bad load|must be a dict|exception/)
    }
  })
})

describe('publications', () => {
  it('reach with filtering only those they are for', async () => {
    trial = await WireTrial.start({ filtering: true })
    const [one, two] = [await trial.minion('m1'), await trial.minion('m2')]
    const heard = [await trial.subscribe(one), await trial.subscribe(two)]
    const publish = (fun: string, tgt: Value, kind: string) =>
      trial.publications.publish(
        new Map<Value, Value>([
          ['fun', fun],
          ['tgt', tgt],
          ['tgt_type', kind],
        ]),
      )
    await eventually(async () => {
      await publish('start', '*', 'compound')
      expect(heard[0]!.length > 0 && heard[1]!.length > 0).toBe(true)
    })
    await publish('one', 'm1', 'glob')
    await publish('two', ['m2'], 'list')
    await publish('end', 'G@os:x', 'grain')
    const last = (n: number) => heard[n]!.map((load) => load.get('fun')).filter((fun) => fun !== 'start')
    await eventually(() =>
      expect([last(0), last(1)]).toEqual([
        ['one', 'end'],
        ['two', 'end'],
      ]),
    )
  })

  it('without a signature are refused if one is required', async () => {
    trial = await WireTrial.start({ asSalt: true })
    const minion = await trial.minion('m1', { requireSignedPublications: true })
    await minion.authenticate()
    const heard = await trial.subscribe(minion)
    Object.assign((trial.publications as unknown as { options: object }).options, { sign: false })
    await eventually(async () => {
      await trial.publications.publish(new Map([['fun', 'x']]))
      expect(trial.logs.join()).toContain('Message signing is enabled but the payload has no signature.')
    })
    expect(heard).toEqual([])
  })
})

describe('a request that the disk of the master refuses', () => {
  const full = (): never => {
    throw storageError(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }), '/var/cache/salt/master/jobs.db')
  }

  it('fails at once with the cause, and without a path of the master', async () => {
    trial = await WireTrial.start({ channel: { handlers: { clear: (load) => load, aes: full } } })
    const minion = await trial.minion()
    const cause = 'The master could not carry out the request: no space left on the disk'
    await expect(minion.send(echo)).rejects.toMatchObject({ message: cause })
    await expect(minion.sendPrivate(dict({ cmd: '_pillar' }))).rejects.toMatchObject({ message: cause })
    // no further sign-in
    expect(trial.events.filter((event) => event.get('act') === 'accept')).toHaveLength(1)
  })
})
