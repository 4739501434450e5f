// Vectors of single parts: encodings, keys, encryption, signatures, frames. Each check returns the problems.
import { createHash } from 'node:crypto'
import { type Dict, decodeMsgpack, encodeMsgpack, MsgpackStream, type Value } from '../../../src/data/mod.ts'
import { signedPart } from '../../../src/wire/client/mod.ts'
import { Crypticle, cleanKey, pemFingerprint, RsaPrivateKey, RsaPublicKey } from '../../../src/wire/crypto/mod.ts'
import {
  decodeEvent,
  EventFrames,
  encodeEvent,
  frameBody,
  frameFiredEvent,
  minionSocketNames,
} from '../../../src/wire/event-frame.ts'
import { encodeFrame } from '../../../src/wire/transport/framed/stream.ts'
import { topicOf } from '../../../src/wire/transport/zmtp/publisher.ts'
import type { Json } from '../area.ts'
import { differs, fromTagged, toTagged } from './tagged.ts'
import type { KeyVector, WireCase } from './vectors.ts'

type Check = (vector: Record<string, Json>, keys: Record<string, KeyVector>) => Promise<string[]> | string[]

const bytes = (hex: Json | undefined): Buffer => Buffer.from(String(hex), 'hex')
const hex = (data: Uint8Array): string => Buffer.from(data).toString('hex')
const privateKey = (keys: Record<string, KeyVector>, name: Json | undefined): RsaPrivateKey =>
  new RsaPrivateKey(keys[String(name)]!.private_pem)

function msgpack(vector: Record<string, Json>): string[] {
  const repeated = vector['wire_hex'] === undefined ? /^'(.)' \* (\d+)$/.exec(String(vector['value'])) : null
  if (repeated !== null) {
    const value = repeated[1]!.repeat(Number(repeated[2]))
    const sha = (dialect: 'wire' | 'bus') => createHash('sha256').update(encodeMsgpack(value, dialect)).digest('hex')
    return [...differs('wire', vector['wire_sha256'], sha('wire')), ...differs('bus', vector['bus_sha256'], sha('bus'))]
  }
  const value = fromTagged(vector['value']!)
  return (['wire', 'bus'] as const).flatMap((dialect) => [
    ...differs(`encoding for ${dialect}`, vector[`${dialect}_hex`], hex(encodeMsgpack(value, dialect))),
    ...differs(
      `decoding from ${dialect}`,
      vector[`${dialect}_decoded`],
      toTagged(decodeMsgpack(bytes(vector[`${dialect}_hex`]), { dialect })),
    ),
  ])
}

function keyPair(vector: Record<string, Json>): string[] {
  const { private_pem, public_pem, public_clean, finger } = vector as unknown as KeyVector
  const key = new RsaPrivateKey(private_pem)
  return [
    ...differs('public half', public_clean, key.publicKey.pem),
    ...differs('cleaned', public_clean, cleanKey(public_pem)),
    ...differs('read', public_clean, new RsaPublicKey(public_pem).pem),
    ...Object.entries(finger).flatMap(([hash, wanted]) => differs(hash, wanted, pemFingerprint(public_pem, hash))),
  ]
}

function crypticle(vector: Record<string, Json>): string[] {
  const tampered = vector['tampered'] as Record<string, Json> | undefined
  if (tampered !== undefined) {
    try {
      new Crypticle(String(tampered['key_string'])).open(bytes(tampered['ciphertext_hex']))
      return ['a changed message was opened']
    } catch (error) {
      return differs('error', 'AuthenticationError', (error as { code: string }).code)
    }
  }
  const key = new Crypticle(String(vector['key_string']))
  const message = bytes(vector['ciphertext_hex'])
  const nonce = vector['nonce'] === null ? {} : { nonce: String(vector['nonce']) }
  return [
    ...differs(
      'encrypted',
      vector['ciphertext_hex'],
      hex(key.encrypt(bytes(vector['plaintext_hex']), bytes(vector['iv']))),
    ),
    ...differs('decrypted', vector['plaintext_hex'], hex(key.decrypt(message))),
    ...differs('value', withoutSerial(vector['value']!), toTagged(key.open(message, nonce))),
  ]
}

/** A serial number is taken out on opening. */
function withoutSerial(value: Json): Json {
  const map = (value as { $map?: Array<[Json, Json]> } | null)?.$map
  return map === undefined ? value : { $map: map.filter(([key]) => key !== 'serial') }
}

async function x931(vector: Record<string, Json>, keys: Record<string, KeyVector>): Promise<string[]> {
  const key = privateKey(keys, vector['key'])
  const made = await key.sealX931(String(vector['message']))
  return [
    ...differs('made', vector['x931_hex'], hex(made)),
    ...differs('opened', vector['message'], key.publicKey.openX931(made)?.toString()),
  ]
}

async function signature(vector: Record<string, Json>, keys: Record<string, KeyVector>): Promise<string[]> {
  const key = privateKey(keys, vector['key'])
  const message = bytes(vector['message_hex'])
  const algorithm = String(vector['algorithm'])
  const valid = key.publicKey.verify(message, bytes(vector['signature_hex']), algorithm)
  return [
    ...differs('signed', vector['signature_hex'], hex(await key.sign(message, algorithm))),
    ...differs('verified', true, valid),
  ]
}

async function oaep(vector: Record<string, Json>, keys: Record<string, KeyVector>): Promise<string[]> {
  const key = privateKey(keys, vector['key'])
  const algorithm = String(vector['algorithm'])
  const again = key.publicKey.encrypt(bytes(vector['plaintext_hex']), algorithm)
  return [
    ...differs(
      'decrypted',
      vector['plaintext_hex'],
      hex(await key.decrypt(bytes(vector['ciphertext_hex']), algorithm)),
    ),
    ...differs('both ways', vector['plaintext_hex'], hex(await key.decrypt(again, algorithm))),
  ]
}

async function masterSignature(vector: Record<string, Json>, keys: Record<string, KeyVector>): Promise<string[]> {
  const signed = await privateKey(keys, vector['sign_key']).sign(
    keys['master']!.public_clean,
    String(vector['algorithm']),
  )
  return differs('signature', String(vector['pub_sig']).trim(), signed.toString('base64'))
}

function event(vector: Record<string, Json>): string[] {
  const body = bytes(vector['body_hex'])
  const read = decodeEvent(body)
  const bodies = (name: string): string[] => new EventFrames().push(bytes(vector[name])).map(hex)
  return [
    ...differs('body', vector['body_hex'], hex(encodeEvent(String(vector['tag']), fromTagged(vector['data']!)))),
    ...differs('tag', vector['tag'], read.tag),
    ...differs('data', vector['data'], toTagged(read.data)),
    ...differs('frame', vector['pub_frame_hex'], hex(frameBody(body))),
    ...differs('fired frame', vector['pull_frame_3008_2_hex'], hex(frameFiredEvent(body))),
    ...['pub_frame_hex', 'pull_frame_3008_2_hex', 'pull_frame_unprefixed_hex'].flatMap((name) =>
      differs(name, [vector['body_hex']!], bodies(name)),
    ),
  ]
}

const tcpFrame: Check = (vector) => {
  const header = new Map(Object.entries(vector['header'] as Record<string, Json>))
  return differs('frame', vector['frame_hex'], hex(encodeFrame(header, fromTagged(vector['value']!))))
}

const tcpExchange: Check = (vector) => {
  const [frame] = new MsgpackStream({ dialect: 'bus' }).push(bytes(vector['reply_frame_hex'])) as [Dict]
  const body = frame.get('body') as Value
  return [
    ...differs('reply', vector['reply'], toTagged(frame)),
    ...differs('frame', vector['reply_frame_hex'], hex(encodeFrame(new Map([['mid', vector['mid']]]), body))),
  ]
}

const socketNames: Check = (vector) => {
  const { pub, pull } = minionSocketNames(String(vector['id']), String(vector['hash_type']))
  const hash = String(vector['hash10'])
  return [
    ...differs('pub', `minion_event_${hash}_pub.ipc`, pub),
    ...differs('pull', `minion_event_${hash}_pull.ipc`, pull),
  ]
}

const signedReturn: Check = async (vector, keys) => {
  const part = signedPart(fromTagged(vector['load']!) as Dict)
  const sig = await privateKey(keys, vector['key']).sign(part, String(vector['algorithm']))
  return [
    ...differs('signed part', vector['serialized_hex'], hex(part)),
    ...differs('signature', vector['sig_hex'], hex(sig)),
  ]
}

const CHECKS: Record<string, Check> = {
  msgpack,
  keys: keyPair,
  crypticle,
  x931,
  signatures: signature,
  oaep,
  master_pubkey_signature: masterSignature,
  events: event,
  tcp: tcpFrame,
  'tcp-exchange': tcpExchange,
  minion_ipc_names: socketNames,
  zmq_topics: (vector) => differs('topic', vector['topic'], topicOf(String(vector['id']))),
  'signed-return': signedReturn,
}

export function checkSmall({ kind, vector, keys }: WireCase): Promise<string[]> | string[] | undefined {
  return CHECKS[kind]?.(vector, keys)
}
