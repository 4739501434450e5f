// What a minion accepts from the network: from a master with context signatures, from a master with Salt's signatures,
// and from an attacker in between.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { type Dict, decodeMsgpack, encodeMsgpack, type Value } from '../data/mod.ts'
import { type MasterChannel, type MinionSettings, PublicationReceiver, SignIn } from './client/mod.ts'
import { ALL_MINIONS, Crypticle, signContext } from './crypto/mod.ts'
import { PrivateAnswer, PublishChannel, type PublishChannelOptions } from './server/mod.ts'
import type { Publisher, Transport } from './transport/transport.ts'
import { trialKeys, WireTrial } from './trial.ts'

const wire = { dialect: 'wire' } as const
const dict = (entries: Record<string, unknown>): Dict => new Map(Object.entries(entries)) as Dict
let trial: WireTrial
/** The master's publications. */
const packets: Dict[] = []

afterEach(() => {
  packets.splice(0)
  vi.restoreAllMocks()
  return trial.stop()
})

/** Start a master whose publications are captured instead of sent. */
async function start(options: Parameters<typeof WireTrial.start>[0] = {}, lifetime?: number): Promise<void> {
  trial = await WireTrial.start(options)
  const publisher = { publish: (bytes: Uint8Array) => void packets.push(decodeMsgpack(bytes, wire) as Dict) }
  const { options: own } = trial.publications as unknown as { options: PublishChannelOptions }
  trial.publications = new PublishChannel({ ...own, publisher: publisher as unknown as Publisher, lifetime })
}

async function publish(fun = 'test.ping'): Promise<Dict> {
  await trial.publications.publish(dict({ fun, tgt: '*', tgt_type: 'glob' }))
  const packet = new Map(packets.at(-1)!)
  if (isSalt) packet.delete('brine')
  return packet
}

let isSalt = false
beforeEach(() => {
  isSalt = false
})

/** A minion that receives the packets of the test. */
class Listener {
  readonly heard: Value[] = []
  readonly logs: string[] = []
  readonly channel: MasterChannel
  /** The line was opened again. */
  reconnect!: () => void
  private deliver!: (packet: Uint8Array) => void

  private constructor(channel: MasterChannel) {
    this.channel = channel
    const transport = {
      subscribe: (_: unknown, options: { onMessage: (packet: Uint8Array) => void; onConnect: () => void }) => {
        this.deliver = options.onMessage
        this.reconnect = options.onConnect
        return { close: () => {} }
      },
    }
    new PublicationReceiver({
      channel,
      transport: transport as unknown as Transport,
      endpoint: { path: '' },
      onLoad: (load) => void this.heard.push(load.get('fun')!),
      log: (level, text) => void this.logs.push(`${level}: ${text}`),
    })
  }

  static async open(settings: Partial<MinionSettings> = {}): Promise<Listener> {
    const channel = await trial.minion('m1', { cachedir: join(trial.directory, 'cache'), ...settings })
    await channel.authenticate()
    return new Listener(channel)
  }

  /** Resolves when the packet was taken or dropped; gives why it was dropped. */
  async hear(packet: unknown): Promise<string | undefined> {
    const [heard, logged] = [this.heard.length, this.logs.length]
    this.deliver(packet instanceof Uint8Array ? packet : encodeMsgpack(packet, 'wire'))
    await eventually(() => expect(this.heard.length + this.logs.length).toBeGreaterThan(heard + logged), 5)
    return this.heard.length > heard ? undefined : this.logs.at(-1)
  }
}

const signIns = (): number => trial.events.filter((event) => event.get('act') === 'accept').length
const sealed = (load: Record<string, unknown>): Buffer => new Crypticle(trial.secret.keyString).seal(dict(load))

describe('a minion of a master that signs contexts', () => {
  it('takes its publications, each once, also when it restarts in between', async () => {
    await start()
    const first = await Listener.open()
    const packet = await publish()
    expect(await first.hear(packet)).toBeUndefined()
    expect(await first.hear(packet)).toContain('its serial number is not above 1')
    const restarted = await Listener.open()
    expect(await restarted.hear(packet)).toContain('its serial number is not above 1')
    expect(await restarted.hear(await publish())).toBeUndefined()
  })

  it('requests missed jobs again when its connection breaks before the answer', async () => {
    await start()
    const listener = await Listener.open()
    const answers: Array<(answer: Value) => void> = []
    vi.spyOn(listener.channel, 'send').mockImplementation(() => new Promise((done) => void answers.push(done)))
    for (let times = 0; times < 3; times++) listener.reconnect()
    expect(answers).toHaveLength(1)
    answers[0]!(dict({ jobs: [], seen: true }))
    await eventually(() => expect(answers).toHaveLength(2), 5)
    const { packet } = await trial.publications.seal(dict({ fun: 'test.missed', tgt: '*', tgt_type: 'glob' }))
    answers[1]!(dict({ jobs: [packet], seen: true }))
    await eventually(() => expect(listener.heard).toEqual(['test.missed']), 5)
    expect(answers).toHaveLength(2)
  })

  it('takes nothing again that was sent before it signed in, though it kept nothing', async () => {
    await start()
    const packet = await publish()
    const late = await Listener.open({ cachedir: undefined })
    expect(await late.hear(packet)).toContain('its serial number is not above 1')
  })

  it.each<[string, () => Promise<unknown>]>([
    ['that is clear', async () => dict({ enc: 'clear', load: dict({ fun: 'x', serial: 9 }) })],
    ['with a load that is a mapping', async () => dict({ enc: 'aes', load: dict({ fun: 'x' }) })],
    ['without a load', async () => dict({ enc: 'aes' })],
    ['of no mapping', async () => 'text'],
    ['of no MessagePack', async () => Buffer.from([0xc1])],
    ['of many values', async () => dict({ enc: 'aes', load: Array.from({ length: 100 }, () => new Map()) })],
    ['sealed with the key of all minions', async () => dict({ enc: 'aes', load: sealed({ fun: 'x', serial: 9 }) })],
    [
      'with a signature of somebody else',
      async () => {
        const [, other] = await trialKeys()
        const load = sealed({ fun: 'x', serial: 9 })
        const context = {
          kind: 'publication',
          audience: ALL_MINIONS,
          bound: trial.secret.crypticle.id,
          until: 0,
        } as const
        const sig = await signContext(other!, context, load)
        return dict({ enc: 'aes', load, brine: dict({ signatures: 1, key: context.bound, until: 0, sig }) })
      },
    ],
    ['whose lifetime was changed', async () => longer(await publish())],
    ['that it was sent under another kind', asPublication],
  ])('drops a publication %s, and does not sign in for it', async (_name, packet) => {
    await start()
    const minion = await Listener.open()
    const made = await packet()
    const before = signIns()
    expect(await minion.hear(made)).toContain('Dropped a publication')
    expect(signIns()).toBe(before)
    expect(await minion.hear(await publish())).toBeUndefined()
  })

  const longer = (packet: Dict): Dict =>
    new Map(packet).set('brine', new Map(packet.get('brine') as Dict).set('until', 0))

  /** A sign-in reply, with the signature that the master made for it. */
  async function asPublication(): Promise<Dict> {
    const signIn = new SignIn((await trial.minion()).settings)
    const message = dict({ enc: 'clear', load: signIn.request(), version: 3 })
    const reply = (await trial.requests.handle(message, { address: '' })) as Dict
    const own = dict({ signatures: 1, key: trial.secret.crypticle.id, until: 0, sig: reply.get('sig') })
    return dict({ enc: 'aes', load: reply.get('load'), brine: own })
  }

  it('drops a publication with no serial number', async () => {
    await start()
    const minion = await Listener.open()
    const [master] = await trialKeys()
    const load = sealed({ fun: 'x' })
    const context = { kind: 'publication', audience: ALL_MINIONS, bound: trial.secret.crypticle.id, until: 0 } as const
    const sig = await signContext(master!, context, load)
    const own = dict({ signatures: 1, key: context.bound, until: 0, sig })
    expect(await minion.hear(dict({ enc: 'aes', load, brine: own }))).toContain('it has no serial number')
  })

  it('drops a publication that comes too late, after one look at the clock of the master', async () => {
    await start({}, 100)
    const minion = await Listener.open()
    const packet = await publish()
    const real = performance.now.bind(performance)
    const late = vi.spyOn(performance, 'now').mockImplementation(() => real() + 200_000)
    const before = signIns()
    expect(await minion.hear(packet)).toMatch(/it was good until 20\S+Z, and by the master's clock it is 20\S+Z/)
    expect(await minion.hear(packet)).toContain('it was good until')
    expect(signIns()).toBe(before + 1)
    late.mockRestore()
  })

  it('takes a publication although its own clock jumped', async () => {
    await start({}, 100)
    const minion = await Listener.open()
    const real = Date.now
    vi.spyOn(Date, 'now').mockImplementation(() => real() + 7_200_000)
    expect(await minion.hear(await publish())).toBeUndefined()
    vi.mocked(Date.now).mockImplementation(() => real() - 7_200_000)
    expect(await minion.hear(await publish())).toBeUndefined()
  })

  it('follows a new publish key, and does not sign in twice for an old one', async () => {
    await start()
    const minion = await Listener.open()
    const old = await publish()
    trial.secret.rotate()
    const middle = await publish()
    trial.secret.rotate()
    expect(await minion.hear(await publish())).toBeUndefined()
    const before = signIns()
    for (const packet of [old, middle, old, middle]) {
      expect(await minion.hear(packet)).toContain('it was made with another publish key')
    }
    expect(signIns()).toBe(before + 2)
  })

  it('refuses a reply to a sign-in from which the request for a context was removed', async () => {
    await start()
    const { settings } = await trial.minion()
    const signIn = new SignIn(settings)
    const ask = async (changed: boolean, state: 'accepted' | 'pending' = 'accepted') => {
      trial.keys.store('m1', { state, pub: settings.key.publicKey.pem })
      const load = signIn.request()
      const sent = new Map(load) as Dict
      if (changed) sent.delete('brine')
      const message = dict({ enc: 'clear', load: sent, version: 3 })
      return signIn.read(load, (await trial.requests.handle(message, { address: '' })) as Value)
    }
    const refused = { status: 'invalid', what: 'signature', reason: expect.stringContaining('Somebody between') }
    expect(await ask(true)).toMatchObject(refused)
    expect(existsSync(signIn.pin.file)).toBe(false)
    expect(await ask(false)).toMatchObject({ status: 'accepted', credentials: { offer: { serial: 0 } } })
    expect(await ask(true)).toMatchObject(refused)
    expect(await ask(true, 'pending')).toMatchObject(refused)
    expect(await ask(false, 'pending')).toEqual({ status: 'pending' })
  })

  it('gets private answers signed for it alone, and refuses others', async () => {
    const handlers = {
      clear: (load: Dict) => load,
      aes: (_load: Dict, { id }: { id: string }) => new PrivateAnswer('pillar', id, { role: 'web' }),
    }
    await start({ channel: { handlers } })
    const minion = await trial.minion()
    expect(await minion.sendPrivate(dict({ cmd: '_pillar' }))).toEqual(dict({ role: 'web' }))
    const { key } = minion.settings
    const spied = vi.spyOn(key.constructor.prototype, 'signText').mockImplementation(function (this: never, ...args) {
      return (this as typeof key).sign(args[0] as string)
    })
    await expect(minion.sendPrivate(dict({ cmd: '_pillar' }))).rejects.toThrow('signature failed to validate')
    spied.mockRestore()
  })

  it('sends nothing that does anything when it is sent again', async () => {
    const done: string[] = []
    const aes = (load: Dict): null => {
      done.push(String(load.get('cmd')))
      return null
    }
    await start({ channel: { handlers: { clear: () => null, aes } } })
    const messages: Dict[] = []
    const handle = trial.requests.handle
    const minion = await trial.minion()
    await minion.authenticate()
    const client = (minion as unknown as { client: { request(message: Dict): Promise<Value> } }).client
    vi.spyOn(client, 'request').mockImplementation(async (message) => {
      const packed = encodeMsgpack(message, 'wire')
      messages.push(decodeMsgpack(packed, wire) as Dict)
      const answer = await handle(decodeMsgpack(packed, wire), { address: '' })
      return decodeMsgpack(encodeMsgpack(answer, 'wire'), wire)
    })
    await minion.send(dict({ cmd: '_minion_event' }))
    const recorded = messages.at(-1)!
    expect(await handle(recorded, { address: '' })).toBeInstanceOf(Uint8Array)
    expect(done).toEqual(['_minion_event'])
    const real = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => real() + 700_000)
    expect(await handle(recorded, { address: '' })).toBe('bad load')
    expect(done).toEqual(['_minion_event'])
    // the minion recovers after its clock was wrong
    vi.mocked(performance.now).mockImplementation(() => real())
    const day = Date.now
    vi.spyOn(Date, 'now').mockImplementation(() => day() + 700_000)
    await minion.send(dict({ cmd: '_mine' }))
    expect(done).toEqual(['_minion_event', '_mine'])
  })
})

describe('a minion of a master that signs as Salt does', () => {
  const unsigned = (packet: Dict): Dict => {
    const bare = new Map(packet)
    bare.delete('sig')
    return bare
  }
  beforeEach(async () => {
    await start({ asSalt: true })
    isSalt = true
  })

  it('takes unsigned publications until it saw this master sign, also after a restart', async () => {
    const minion = await Listener.open()
    expect(await minion.hear(unsigned(await publish()))).toBeUndefined()
    expect(await minion.hear(await publish())).toBeUndefined()
    const refused = 'Message signing is enabled but the payload has no signature.'
    expect(await minion.hear(unsigned(await publish()))).toContain(refused)
    expect(await (await Listener.open()).hear(unsigned(await publish()))).toContain(refused)
    const wrong = (await publish()).set('sig', Buffer.alloc(256, 1))
    expect(await minion.hear(wrong)).toContain('Message signature failed to validate.')
  })

  it('follows the options about signatures', async () => {
    const never = await Listener.open({ requireSignedPublications: false })
    expect(await never.hear(await publish())).toBeUndefined()
    expect(await never.hear(unsigned(await publish()))).toBeUndefined()
    const always = await Listener.open({ requireSignedPublications: true, cachedir: undefined })
    expect(await always.hear(unsigned(await publish()))).toContain('the payload has no signature')
  })

  it('takes each publication once, also when it restarts in between', async () => {
    const packet = await publish()
    expect(await (await Listener.open()).hear(packet)).toBeUndefined()
    const restarted = await Listener.open()
    expect(await restarted.hear(packet)).toContain('its serial number is not above 1')
    for (const name of readdirSync(join(trial.directory, 'cache', 'publications'))) {
      writeFileSync(join(trial.directory, 'cache', 'publications', name), 'broken')
    }
    expect(await (await Listener.open()).hear(await publish())).toBeUndefined()
  })

  it('drops unencrypted publications, and signs in once for one it cannot decrypt', async () => {
    const minion = await Listener.open()
    const before = signIns()
    expect(await minion.hear(dict({ enc: 'clear', load: dict({ fun: 'x' }) }))).toContain('it is not encrypted')
    expect(signIns()).toBe(before)
    for (let n = 0; n < 3; n++) {
      expect(await minion.hear(dict({ enc: 'aes', load: Buffer.alloc(80, n) }))).toContain('decryption failed')
    }
    expect(signIns()).toBe(before + 1)
    expect(await minion.hear(await publish())).toBeUndefined()
  })
})

it('a minion follows its master from Salt to Brine and back, with the same keys', async () => {
  await start({ asSalt: true })
  const minion = await Listener.open()
  isSalt = true
  expect(await minion.hear(await publish())).toBeUndefined()
  expect(minion.channel.credentials?.offer).toBeUndefined()
  const saltListener = trial.listener
  const port = (saltListener.endpoint as { port: number }).port
  const change = async (handle: typeof trial.requests.handle): Promise<void> => {
    await trial.listener.close()
    trial.listener = await trial.transport.listen({ host: '127.0.0.1', port }, handle, {})
    trial.secret.rotate()
  }
  isSalt = false
  await change(trial.requests.handle)
  expect(await minion.hear(await publish())).toBeUndefined()
  expect(minion.channel.credentials?.offer).toBeDefined()
  isSalt = true
  await change(trial.asSalt)
  expect(await minion.hear(await publish())).toBeUndefined()
  expect(minion.channel.credentials?.offer).toBeUndefined()
})

describe('a master', () => {
  const ask = async (load: Record<string, unknown>): Promise<unknown> =>
    trial.requests.handle(dict({ enc: 'clear', load: dict({ cmd: '_auth', ...load }), version: 3 }), { address: '' })

  it.each([
    ['bytes', Buffer.alloc(300, 0xff)],
    ['long text', 'x'.repeat(65)],
    ['text with other characters', 'a b'],
    ['a mapping', new Map([['a', 1]])],
    ['nothing', null],
  ])('signs nothing for a nonce of %s', async (_name, nonce) => {
    await start()
    const [, key] = await trialKeys()
    for (const id of ['..', 'm1']) expect(await ask({ id, nonce, pub: key!.publicKey.pem })).toBe('bad load')
    expect(trial.keys.keys.size).toBe(0)
  })

  it('ends whatever it signs as Salt does with bytes of its own, more than a publication ends with', async () => {
    const pillar = Buffer.alloc(5000, 0x41)
    const handlers = {
      clear: (load: Dict) => load,
      aes: (_load: Dict, { id }: { id: string }) => new PrivateAnswer('pillar', id, pillar),
    }
    await start({ channel: { handlers } })
    const [master, key] = await trialKeys()
    const signed: Uint8Array[] = []
    const sign = master!.sign.bind(master)
    vi.spyOn(master!, 'sign').mockImplementation((data, algorithm) => {
      signed.push(data as Uint8Array)
      return sign(data, algorithm)
    })
    const nonce = 'f'.repeat(64)
    const pub = key!.publicKey.pem
    await ask({ id: '..', nonce, pub })
    await ask({ id: 'new', nonce, pub })
    const minion = await trial.minion()
    await ask({ id: 'm1', nonce, pub })
    await minion.authenticate()
    const load = trial.sessions.find('m1')!.seal(dict({ id: 'm1', cmd: '_pillar', tok: key!.token(), nonce }))
    await trial.requests.handle(dict({ enc: 'aes', load, version: 3, id: 'm1' }), { address: '' })
    expect(signed).toHaveLength(4)
    for (const bytes of signed) {
      const end = Buffer.from(bytes.subarray(-32)).toString('latin1')
      expect(end).not.toMatch(/ff|AA/)
      expect(end).toContain('kind')
    }
  })

  it('escapes input of strangers into one line', async () => {
    await start()
    const id = 'x\n[ERROR   ] forged'
    await ask({ id, nonce: 'n', pub: 'x' })
    await ask({ id, nonce: Buffer.alloc(3, 0xff), pub: 'x' })
    await trial.requests.handle(dict({ enc: 'aes', load: 'x', version: 3, id }), { address: '' })
    await trial.requests.handle(dict({ enc: 'clear', load: dict({ id }), version: 1 }), { address: '' })
    expect(trial.logs.filter((line) => line.includes('forged'))).toHaveLength(4)
    expect(trial.logs.filter((line) => line.includes('\n'))).toEqual([])
  })
})

it('a minion that cannot make the directory of its record goes on', async () => {
  await start()
  mkdirSync(join(trial.directory, 'cache'))
  writeFileSync(join(trial.directory, 'cache', 'publications'), '')
  const minion = await Listener.open()
  const packet = await publish()
  expect(await minion.hear(packet)).toBeUndefined()
  await eventually(() => expect(minion.logs.join()).toContain('Cannot keep the serial number'))
  expect(await minion.hear(packet)).toContain('serial number')
})
