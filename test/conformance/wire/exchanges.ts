// Vectors of whole exchanges. A recorded request goes to our master's channel, and its answer must say what the
// recorded one says; the recorded answer goes to our minion's, which must understand it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Dict, decodeMsgpack, encodeMsgpack, isDict, MsgpackError, type Value } from '../../../src/data/mod.ts'
import { openPrivateReply } from '../../../src/wire/client/private-reply.ts'
import { bytesOf, dictOf, isValidId, textField } from '../../../src/wire/envelope.ts'
import {
  Crypticle,
  type MasterChannel,
  MemoryKeyStore,
  masterIdentity,
  PrivateAnswer,
  PublicationReceiver,
  PublishSecret,
  RequestChannel,
  RsaPrivateKey,
  SessionKeys,
  SignIn,
  type Transport,
} from '../../../src/wire/mod.ts'
import type { Json } from '../area.ts'
import { differs, fromTagged, toTagged } from './tagged.ts'
import type { WireCase } from './vectors.ts'

type Fields = Record<string, Json>

const bytes = (hex: Json | undefined): Buffer => Buffer.from(String(hex), 'hex')
const field = (map: Json | undefined, name: string): Json | undefined =>
  (map as { $map?: Array<[string, Json]> } | undefined)?.$map?.find(([key]) => key === name)?.[1]
const wire = { dialect: 'wire' } as const

/** A recorded request and answer, and the keys in use. */
interface Exchange {
  request: Buffer
  reply: Buffer
  /** The content of the answer: the fields of `reply` in the vector. */
  says: Fields
  session?: string | undefined
  aes?: string | undefined
  /** The master signs its key. */
  signedKey: boolean
  salt: string
  /** The minion's key was deleted before. */
  revoked: boolean
}

export async function checkExchange(testCase: WireCase): Promise<string[]> {
  const exchange = testCase.kind === 'auth' ? fromAuth(testCase.vector) : fromSession(testCase.vector)
  if (exchange === undefined) return []
  const scratch = mkdtempSync(join(tmpdir(), 'brine-wire-'))
  try {
    return [...(await checkMaster(testCase, exchange, scratch)), ...(await checkMinion(testCase, exchange, scratch))]
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

function fromAuth(vector: Fields): Exchange | undefined {
  if (vector['reply_hex'] === null) return undefined
  const says = vector['reply'] as Fields
  return {
    request: bytes(vector['request_hex']),
    reply: bytes(vector['reply_hex']),
    says: typeof says['value'] === 'string' && says['value'].startsWith('bad load') ? { text: says['value'] } : says,
    session: vector['session'] as string | undefined,
    aes: vector['aes'] as string | undefined,
    signedKey: vector['signed'] === true,
    salt: String(vector['salt']),
    revoked: false,
  }
}

function fromSession(vector: Fields): Exchange {
  const { request, reply } = vector as unknown as { request: Fields; reply: Fields }
  const last = (message: Fields): Buffer => bytes((message['frames_hex'] as string[]).at(-1))
  return {
    request: last(request),
    reply: last(reply),
    says: (reply['auth'] as Fields | undefined) ?? reply,
    session: vector['session'] as string | undefined,
    aes: vector['aes'] as string | undefined,
    signedKey: false,
    salt: '3008.2',
    // nothing else is refused in the recorded sessions
    revoked: reply['text'] !== undefined,
  }
}

/** Our master in the state that the recorded one was in, as far as its answer tells. */
async function checkMaster({ keys }: WireCase, exchange: Exchange, scratch: string): Promise<string[]> {
  const { says, salt } = exchange
  let request: Value
  try {
    request = decodeMsgpack(exchange.request, wire)
  } catch (error) {
    // the transport answers invalid MessagePack, from 3008 on in these words
    if (!(error instanceof MsgpackError)) throw error
    return salt.startsWith('3008') ? differs('answer', { $map: [['error', 'Routing error']] }, says['value']) : []
  }
  const store = new MemoryKeyStore()
  const load = isDict(request) ? dictOf(request.get('load')) : undefined
  const opened = says['opened'] as Fields | undefined
  const id = isDict(request) ? (textField(request, 'id') ?? (load && textField(load, 'id'))) : undefined
  if (id !== undefined) prepareKey(store, id, load, exchange, keys['minion']!.public_clean, keys['other']!.public_clean)
  const session = exchange.session ?? (opened?.['session'] as string | undefined)
  if (isValidId(id) && session !== undefined) {
    mkdirSync(join(scratch, 'sessions'))
    writeFileSync(join(scratch, 'sessions', id), session)
  }
  const master = new RsaPrivateKey(keys['master']!.private_pem)
  const signKey = exchange.signedKey ? new RsaPrivateKey(keys['sign']!.private_pem) : undefined
  const aes = (opened?.['aes'] as string | undefined) ?? exchange.aes
  const publishPort = field(says['inner'], 'publish_port')
  const channel = new RequestChannel({
    identity: masterIdentity(master, { signKey }),
    keys: store,
    secret: new PublishSecret(aes),
    sessions: new SessionKeys({ cachedir: scratch }),
    ...(publishPort === undefined ? {} : { publishPort: Number(publishPort) }),
    // the answer to an old minion shows the settings of the master
    minimumVersion: says['text'] === undefined ? 0 : 3,
    policy: { isFull: () => field(says['inner'], 'ret') === 'full' },
    handlers: { clear: () => fromTagged(says['value']!), aes: (_load, sender) => handlerAnswer(says, sender.id) },
  })
  const answer = encodeMsgpack(await channel.handle(request, { address: '' }), 'wire')
  return compareAnswers(exchange, Buffer.from(answer), keys, request)
}

function handlerAnswer(says: Fields, id: string): unknown {
  const sealed = says['private'] as Fields | undefined
  if (sealed === undefined) return fromTagged(says['value'] ?? null)
  return new PrivateAnswer('pillar', id, fromTagged((sealed['inner'] as Fields)['pillar']!))
}

/** Stores the key in the state that leads to the recorded answer. */
function prepareKey(
  store: MemoryKeyStore,
  id: string,
  load: Dict | undefined,
  { says, revoked }: Exchange,
  minion: string,
  other: string,
): void {
  const offered = (load && textField(load, 'pub')) ?? minion
  const ret = field(says['inner'], 'ret')
  if (revoked) return
  if (load === undefined) store.store(id, { state: 'accepted', pub: minion })
  else if (ret === false) store.store(id, { state: 'accepted', pub: offered.trim() === minion ? other : minion })
  else if (ret === undefined) store.store(id, { state: 'accepted', pub: offered })
}

async function compareAnswers(
  { reply, says, session }: Exchange,
  answer: Buffer,
  keys: WireCase['keys'],
  request: Value,
): Promise<string[]> {
  const recorded = decodeMsgpack(reply, wire)
  const ours = decodeMsgpack(answer, wire)
  if (says['text'] !== undefined) return differs('refusal', toTagged(recorded), refusalOf(ours))
  if (says['inner'] !== undefined) {
    const sent = (request as Dict).get('load') as Dict
    return differs('auth reply', await authReply(recorded, sent, keys), await authReply(ours, sent, keys))
  }
  if (says['private'] !== undefined || session === undefined || !(bytesOf(ours)?.length ?? 0)) {
    return says['private'] !== undefined
      ? checkPrivate(ours, request, session!, says, keys)
      : differs('answer', toTagged(recorded), toTagged(ours))
  }
  return differs(
    'value',
    says['value'],
    toTagged(new Crypticle(session).open(bytesOf(ours)!, { nonce: nonceOf(request, session) })),
  )
}

/** Our master refuses with the same text; encrypted answers mean that it did not. */
function refusalOf(ours: Value): Json {
  return typeof ours === 'string' ? ours : 'no refusal'
}

function nonceOf(request: Value, session: string): string {
  const load = new Crypticle(session).open(bytesOf((request as Dict).get('load'))!) as Dict
  return load.get('nonce') as string
}

/** A signed reply with everything opened that is random in it. */
async function authReply(reply: Value, request: Dict, keys: WireCase['keys']): Promise<Json> {
  const outer = reply as Dict
  const data = bytesOf(outer.get('load'))!
  const master = new RsaPrivateKey(keys['master']!.private_pem).publicKey
  const valid = master.verify(data, bytesOf(outer.get('sig'))!, textField(request, 'sig_algo'))
  const inner = decodeMsgpack(data, wire) as Dict
  // the one field that Salt does not send, and does not read
  inner.delete('brine')
  const minion = new RsaPrivateKey(keys['minion']!.private_pem)
  for (const name of ['aes', 'session', 'token']) {
    const sealed = bytesOf(inner.get(name))
    if (sealed !== undefined)
      inner.set(name, (await minion.decrypt(sealed, textField(request, 'enc_algo'))).toString('latin1'))
  }
  return [valid, toTagged(inner)]
}

async function checkPrivate(
  reply: Value,
  request: Value,
  session: string,
  says: Fields,
  keys: WireCase['keys'],
): Promise<string[]> {
  const sealed = says['private'] as Fields
  const opened = await openPrivateReply(reply, 'pillar', nonceOf(request, session), {
    key: new RsaPrivateKey(keys['minion']!.private_pem),
    masterKey: new RsaPrivateKey(keys['master']!.private_pem).publicKey,
    encryption: textField(request as Dict, 'enc_algo') ?? 'OAEP-SHA1',
    signing: textField(request as Dict, 'sig_algo') ?? 'PKCS1v15-SHA1',
  })
  return differs('pillar', (sealed['inner'] as Fields)['pillar'], toTagged(opened))
}

/** Our minion reads the recorded answer. */
async function checkMinion(
  { keys }: WireCase,
  { request, reply, says, session, signedKey }: Exchange,
  scratch: string,
): Promise<string[]> {
  const answer = decodeMsgpack(reply, wire)
  if (says['inner'] !== undefined || says['unsigned'] === true)
    return checkSignIn(keys, request, answer, says, signedKey, scratch)
  if (session === undefined || says['text'] !== undefined) return []
  const asked = decodeMsgpack(request, wire)
  if (says['private'] !== undefined) return checkPrivate(answer, asked, session, says, keys)
  return differs(
    'opened',
    says['value'],
    toTagged(new Crypticle(session).open(bytesOf(answer)!, { nonce: nonceOf(asked, session) })),
  )
}

async function checkSignIn(
  keys: WireCase['keys'],
  request: Buffer,
  answer: Value,
  says: Fields,
  signedKey: boolean,
  scratch: string,
): Promise<string[]> {
  const load = (decodeMsgpack(request, wire) as Dict).get('load') as Dict
  // only its maker can decrypt a token, so the minion has not met the master
  load.delete('token')
  const pkiDir = join(scratch, 'pki')
  mkdirSync(pkiDir)
  writeFileSync(join(pkiDir, 'master_sign.pub'), keys['sign']!.public_pem)
  const signIn = new SignIn({
    id: String(load.get('id')),
    key: new RsaPrivateKey(keys['minion']!.private_pem),
    pkiDir,
    verifyMasterPubkeySign: signedKey,
    encryptionAlgorithm: textField(load, 'enc_algo') ?? 'OAEP-SHA1',
    signingAlgorithm: textField(load, 'sig_algo') ?? 'PKCS1v15-SHA1',
  })
  const outcome = await signIn.read(load as Map<string, unknown>, answer)
  const opened = says['opened'] as Fields | undefined
  if (opened !== undefined) {
    const { aes, session } = outcome.status === 'accepted' ? outcome.credentials : { aes: '', session: '' }
    return [...differs('aes', opened['aes'], aes), ...differs('session', opened['session'], session)]
  }
  const ret = field(says['inner'] ?? field(says['value'], 'load'), 'ret')
  const wanted = ret === true ? 'pending' : ret === false ? 'rejected' : ret
  return differs('outcome', wanted, outcome.status)
}

/** A recorded publication through our minion's receiver. */
export async function checkPublication({ vector, keys }: WireCase): Promise<string[]> {
  const packet = bytes((vector['frames_hex'] as string[]).at(-1))
  const master = new RsaPrivateKey(keys['master']!.private_pem).publicKey
  let deliver: (packet: Uint8Array) => void = () => {}
  const transport = {
    subscribe: (_endpoint: unknown, options: { onMessage: typeof deliver }) => void (deliver = options.onMessage),
  }
  const channel = {
    settings: { id: 'm1', requireSignedPublications: true },
    publications: new Crypticle(String(vector['aes'])),
    signIn: { pin: { key: () => master } },
  }
  const got = await new Promise<Dict>((resolve, reject) => {
    new PublicationReceiver({
      channel: channel as unknown as MasterChannel,
      transport: transport as unknown as Transport,
      endpoint: { path: '' },
      onLoad: resolve,
      log: (_level, text) => reject(new Error(text)),
    })
    deliver(packet)
  })
  const wanted = (vector['load'] as { $map: Array<[string, Json]> }).$map.filter(([key]) => key !== 'serial')
  return differs('load', { $map: wanted }, toTagged(got))
}
