// Functions of boto_kms that encrypt and decrypt.
import { type Dict, isDict, str, type Value } from '../../../data/mod.ts'
import { arg, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { request } from '../common/json-request.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { answered, cipherBytes, decoded, kmsOf, plainBytes } from './kms.ts'

const KEY = arg.text('Id, ARN or alias (`alias/…`) of the key')
const CONTEXT = arg.dict('Names and values that are needed again to decrypt', { optional: true })
const TOKENS = arg.list('Tokens of grants', { optional: true })

const contextOf = (context: Dict | null): Value =>
  isDict(context) ? new Map([...context].map(([name, value]) => [str(name), str(value)])) : null

/** Declare a function that makes a key for data, with or without its plain text. */
const dataKey = (fun: string, action: string, doc: string) =>
  reads({
    doc,
    example: `boto_kms.${fun} alias/mykey number_of_bytes=1024`,
    args: {
      key_id: KEY,
      encryption_context: CONTEXT,
      number_of_bytes: arg.count('How long the key is', { optional: true }),
      key_spec: arg.text('`AES_128` or `AES_256`, in place of a length', { optional: true }),
      grant_tokens: TOKENS,
      ...LOGIN,
    },
    returns: ret.dict('`data_key` with `KeyId` and bytes, or `error`'),
    run: (ctx, { key_id, encryption_context, number_of_bytes, key_spec, grant_tokens, ...login }) =>
      bytesReply(ctx, login, action, {
        KeyId: key_id,
        EncryptionContext: contextOf(encryption_context),
        NumberOfBytes: number_of_bytes,
        KeySpec: key_spec,
        GrantTokens: grant_tokens,
      }).then((reply) => named(reply, 'data_key')),
  })

type Reply = Record<string, Value>

const bytesReply = (ctx: FunctionContext, login: AwsLogin, action: string, parameters: Reply): Promise<Reply> =>
  answered(request(kmsOf(ctx, login), action, parameters).then((answer) => ({ answer: decoded(answer) })))

/** Return an answer, or one field of it, under the name that Salt gives it. */
function named(reply: Reply, name: string, field?: string): Reply {
  const { answer = null, ...rest } = reply
  if (!isDict(answer)) return rest
  return { [name]: field === undefined ? answer : (answer.get(field) ?? null) }
}

export const DATA = {
  encrypt: reads({
    doc: 'Encrypt a text or bytes.',
    example: 'boto_kms.encrypt alias/mykey \'myplaindata\' \'{"aws:username": "myuser"}\'',
    args: {
      key_id: KEY,
      plaintext: arg.any('Text, which is taken as UTF-8, or bytes', { secret: true }),
      encryption_context: CONTEXT,
      grant_tokens: TOKENS,
      ...LOGIN,
    },
    returns: ret.dict('`ciphertext` as bytes, or `error`'),
    run: async (ctx, { key_id, plaintext, encryption_context, grant_tokens, ...login }) => {
      const reply = await bytesReply(ctx, login, 'Encrypt', {
        KeyId: key_id,
        Plaintext: plainBytes(plaintext),
        EncryptionContext: contextOf(encryption_context),
        GrantTokens: grant_tokens,
      })
      return named(reply, 'ciphertext', 'CiphertextBlob')
    },
  }),
  decrypt: reads({
    doc: 'Decrypt what KMS encrypted.',
    example: 'boto_kms.decrypt AQICAHh…',
    args: {
      ciphertext_blob: arg.any('Bytes, or base64 of them'),
      encryption_context: CONTEXT,
      grant_tokens: TOKENS,
      ...LOGIN,
    },
    returns: ret.dict('`plaintext` as bytes, or `error`'),
    run: async (ctx, { ciphertext_blob, encryption_context, grant_tokens, ...login }) => {
      const reply = await bytesReply(ctx, login, 'Decrypt', {
        CiphertextBlob: cipherBytes(ciphertext_blob),
        EncryptionContext: contextOf(encryption_context),
        GrantTokens: grant_tokens,
      })
      return named(reply, 'plaintext', 'Plaintext')
    },
  }),
  re_encrypt: reads({
    doc: 'Encrypt with another key what KMS encrypted.',
    example: 'boto_kms.re_encrypt AQICAHh… alias/mynewkey',
    args: {
      ciphertext_blob: arg.any('Bytes, or base64 of them'),
      destination_key_id: KEY,
      source_encryption_context: CONTEXT,
      destination_encryption_context: CONTEXT,
      grant_tokens: TOKENS,
      ...LOGIN,
    },
    returns: ret.dict('`ciphertext` with `CiphertextBlob` as bytes, or `error`'),
    run: async (ctx, given) => {
      const reply = await bytesReply(ctx, given, 'ReEncrypt', {
        CiphertextBlob: cipherBytes(given.ciphertext_blob),
        DestinationKeyId: given.destination_key_id,
        SourceEncryptionContext: contextOf(given.source_encryption_context),
        DestinationEncryptionContext: contextOf(given.destination_encryption_context),
        GrantTokens: given.grant_tokens,
      })
      return named(reply, 'ciphertext')
    },
  }),
  generate_data_key: dataKey('generate_data_key', 'GenerateDataKey', 'Return a new key for data, plain and encrypted.'),
  generate_data_key_without_plaintext: dataKey(
    'generate_data_key_without_plaintext',
    'GenerateDataKeyWithoutPlaintext',
    'Return a new key for data, encrypted only.',
  ),
  generate_random: reads({
    doc: 'Return random bytes.',
    example: 'boto_kms.generate_random number_of_bytes=1024',
    args: { number_of_bytes: arg.count('How many', { optional: true }), ...LOGIN },
    returns: ret.dict('`random` as bytes, or `error`'),
    run: async (ctx, { number_of_bytes, ...login }) =>
      named(await bytesReply(ctx, login, 'GenerateRandom', { NumberOfBytes: number_of_bytes }), 'random', 'Plaintext'),
  }),
}
