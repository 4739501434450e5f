// The plug-in vault-gpg-plugin: keys of GnuPG in Vault, signatures and decryption with them.
import {
  type Dict,
  decodeBase64,
  failure,
  fromPlain,
  isDict,
  markSecret,
  misuse,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  isSourceFile,
  optionalText,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import { dataOf, type VaultAccess } from './access.ts'
import { listed } from './approles.ts'
import { asking, dataAt, given } from './asking.ts'
import { isVaultError } from './errors.ts'

const mount = arg.text('Mount of the engine', { default: 'gpg' })
const name = arg.text('Name of the key')
const data = (doc: string) => arg.any(doc, { optional: true })
const exportable = arg.flag('Whether the private key can be exported', { default: false })
const keyring = {
  user: optionalText('User whose keyring is used. Default: the user that runs Salt'),
  gnupghome: optionalText('Directory of the keyring'),
  keyring: optionalText('File of the keyring'),
}
const destination = {
  path: optionalText('File to write the key to'),
  gnupg: arg.flag('Import the key into a keyring', { default: false }),
  ...keyring,
}
const input = {
  message: data('The data, as text or bytes. Exactly one of the sources is needed'),
  message_encoded: optionalText('The data in base64'),
  path: optionalText('File of the minion that has the data'),
}

function oneOf(sources: Readonly<Record<string, Value>>, least = 1): void {
  const count = Object.values(sources).filter((value) => value !== null).length
  if (count > 1 || count < least)
    throw misuse(`${least === 1 ? 'Exactly' : 'At most'} one of ${Object.keys(sources).join(', ')} can be given`)
}

/** Return the bytes of a base64 text; undefined if it is invalid. */
function fromBase64(bytes: Uint8Array): Uint8Array | undefined {
  const text = Buffer.from(bytes).toString('latin1').replace(/\s/g, '')
  if (text === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0) return undefined
  return decodeBase64(Buffer.from(text))
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** Return the bytes of a value, or of a file. */
async function bytesOf(ctx: FunctionContext, value: Value, path: string | null, encoded: string | null = null) {
  if (value !== null) return value instanceof Uint8Array ? value : Buffer.from(str(value))
  if (encoded !== null) {
    const decoded = fromBase64(Buffer.from(encoded))
    if (decoded === undefined) throw misuse('message_encoded is not base64')
    return decoded
  }
  if (!(await isSourceFile(ctx.host, path))) throw failure(`Specified path ${path} does not exist`)
  return ctx.host.read(path!)
}

/** Return signatures and messages in the form that the plugin takes, and the name of the form. */
function formed(bytes: Uint8Array, block: string): { text: string; format: string } {
  const text = Buffer.from(bytes).toString()
  if (text.trim().startsWith(`-----BEGIN ${block}`)) return { text, format: 'ascii-armor' }
  return { text: base64(fromBase64(bytes) ?? bytes), format: 'base64' }
}

/** Return a key with its armor; base64 without armor gets one. */
function armored(bytes: Uint8Array, block: string): string {
  const text = Buffer.from(bytes).toString().trim()
  if (text.startsWith(`-----BEGIN ${block}-----\n`) && text.endsWith(`\n-----END ${block}-----`)) return text
  if (fromBase64(bytes) === undefined) throw failure('The key is neither ASCII-armored nor base64')
  const lines = text.replace(/\s/g, '').match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${block}-----`, '', '', ...lines, `-----END ${block}-----`].join('\n')
}

const keyPath = (mount: string, name: string): string => `${mount}/keys/${name}`

const write = async (access: VaultAccess, path: string, fields: Readonly<Record<string, Value>>): Promise<true> => {
  await access.post(path, given(fields))
  return true
}

interface Destination {
  path: string | null
  gnupg: boolean
  user: string | null
  gnupghome: string | null
  keyring: string | null
}

/** Return a key, or write it to a file or a keyring and say so. */
async function deliver(ctx: FunctionContext, key: string, kind: string, to: Destination): Promise<string> {
  const { path, gnupg, ...where } = to
  if (path) {
    await ctx.call('file.makedirs', [path])
    await ctx.host.write(path, Buffer.from(key), { mode: 0o600 })
    return `${kind} key written to ${path}`
  }
  if (!gnupg) return key
  const answer = await ctx.call('gpg.import_key', [], { text: key, ...where })
  if (!isDict(answer) || !truthy(answer.get('res') ?? false)) {
    throw failure(isDict(answer) ? str(answer.get('message') ?? '') : str(answer))
  }
  return `${kind} key exported to GnuPG keyring`
}

const keys = {
  create_key: changes({
    doc: 'Let Vault make a key.',
    args: {
      name,
      real_name: optionalText('Name of the owner'),
      email: optionalText('E-mail address of the owner'),
      comment: optionalText('Comment of the identity'),
      key_bits: arg.count('Length of the key in bits', { optional: true }),
      exportable,
      mount,
    },
    returns: ret.boolean('True'),
    example: 'vault_gpg.create_key release real_name="Release" email=release@example.com key_bits=4096',
    run: (ctx, { name, mount, ...fields }) =>
      asking(ctx, (access) => write(access, keyPath(mount, name), { generate: true, ...fields })),
  }),
  import_key: changes({
    doc: 'Give Vault a private key: a text, a file of the minion, or a key of a keyring.',
    args: {
      name,
      text: arg.text('Private key, ASCII-armored or in base64', { optional: true, secret: true }),
      path: optionalText('File of the minion that has the key'),
      fingerprint: optionalText('Fingerprint of the key in a keyring'),
      exportable,
      ...keyring,
      use_passphrase: arg.flag('Whether the key has a passphrase, which is in the pillar as `gpg_passphrase`', {
        default: false,
      }),
      mount,
    },
    returns: ret.boolean('True'),
    example: 'vault_gpg.import_key release path=/root/release.asc',
    run: (ctx, { name, text, path, fingerprint, exportable, mount, ...where }) =>
      asking(ctx, async (access) => {
        oneOf({ text, path, fingerprint })
        const key = fingerprint
          ? str(await ctx.call('gpg.export_key', [fingerprint], { secret: true, bare: true, ...where }))
          : armored(await bytesOf(ctx, text, path), 'PGP PRIVATE KEY BLOCK')
        if (key === '') throw failure('Failed exporting the secret key from GnuPG, see minion log for details')
        markSecret(fromPlain({ private_key: key }))
        return write(access, keyPath(mount, name), { generate: false, key, exportable })
      }),
  }),
  list_keys: reads({
    doc: 'Return the names of the keys.',
    args: { mount },
    returns: ret.texts('The names'),
    run: (ctx, { mount }) => asking(ctx, (access) => listed(access, `${mount}/keys`)),
  }),
  read_key: reads({
    doc: 'Return a key without its private part.',
    args: { name, mount },
    returns: ret.optional(ret.dict('`fingerprint`, `public_key` and `exportable`')),
    example: 'vault_gpg.read_key release',
    run: (ctx, { name, mount }) => asking(ctx, (access) => dataAt(access, keyPath(mount, name))),
  }),
  delete_key: changes({
    doc: 'Delete a key.',
    args: { name, mount },
    returns: ret.boolean('True'),
    example: 'vault_gpg.delete_key release',
    run: (ctx, { name, mount }) => asking(ctx, async (access) => (await access.delete(keyPath(mount, name))) && true),
  }),
  export_private_key: changes({
    doc: 'Return a private key, or write it to a file or a keyring.',
    args: { name, ...destination, mount },
    returns: ret.string('The key, or where it is'),
    example: 'vault_gpg.export_private_key release path=/root/release.asc',
    run: (ctx, { name, mount, ...to }) =>
      asking(ctx, async (access) => {
        const key = str(dataOf(await access.get(`${mount}/export/${name}`)).get('key') ?? '')
        markSecret(fromPlain({ private_key: key }))
        return deliver(ctx, key, 'Private', to)
      }),
  }),
  export_public_key: changes({
    doc: 'Return a public key, or write it to a file or a keyring.',
    args: { name, ...destination, mount },
    returns: ret.string('The key, or where it is'),
    example: 'vault_gpg.export_public_key release gnupg=True',
    run: (ctx, { name, mount, ...to }) =>
      asking(ctx, async (access) => {
        const key = await dataAt(access, keyPath(mount, name))
        if (key === null) throw failure(`No key named '${name}' present on mount '${mount}'`)
        return deliver(ctx, str(key.get('public_key') ?? ''), 'Public', to)
      }),
  }),
}

const signatures = {
  sign: reads({
    doc: 'Return a detached signature of data.',
    args: {
      name,
      ...input,
      algorithm: optionalText('`sha2-224`, `sha2-256`, `sha2-384` or `sha2-512`. Default: sha2-256'),
      encoding: optionalText('`base64` or `ascii-armor`. Default: base64'),
      mount,
    },
    returns: ret.string('The signature'),
    example: 'vault_gpg.sign release path=/srv/release.tar.gz encoding=ascii-armor',
    run: (ctx, { name, message, message_encoded, path, algorithm, encoding, mount }) =>
      asking(ctx, async (access) => {
        oneOf({ message, message_encoded, path })
        const text = base64(await bytesOf(ctx, message, path, message_encoded))
        const fields = { format: encoding, input: text }
        const ask = async (where: string, more: Readonly<Record<string, Value>>): Promise<string> =>
          str(dataOf(await access.post(`${mount}/sign/${where}`, given(more))).get('signature') ?? '')
        try {
          return await ask(name, { ...fields, algorithm })
        } catch (error) {
          // a policy may allow the path of one algorithm only
          if (!isVaultError(error, 'VaultPermissionDeniedError')) throw error
          return ask(`${name}/${algorithm ?? 'sha2-256'}`, fields)
        }
      }),
  }),
  verify: reads({
    doc: 'Return whether a detached signature is right.',
    args: {
      name,
      message: input.message,
      sig: data('Signature: ASCII-armored, in base64, or as bytes'),
      message_encoded: input.message_encoded,
      path: input.path,
      sig_path: optionalText('File of the minion that has the signature'),
      mount,
    },
    returns: ret.boolean('Whether it is'),
    example: 'vault_gpg.verify release path=/srv/release.tar.gz sig_path=/srv/release.tar.gz.asc',
    run: (ctx, { name, message, sig, message_encoded, path, sig_path, mount }) =>
      asking(ctx, async (access) => {
        oneOf({ message, message_encoded, path })
        oneOf({ sig, sig_path })
        const { text, format } = formed(await bytesOf(ctx, sig, sig_path), 'PGP SIGNATURE')
        const signed = base64(await bytesOf(ctx, message, path, message_encoded))
        const answer = await access.post(`${mount}/verify/${name}`, given({ signature: text, format, input: signed }))
        return truthy(dataOf(answer).get('valid') ?? false)
      }),
  }),
}

interface Encrypted {
  message: Value
  path: string | null
  signer_key: Value
  signer_key_path: string | null
  signer_key_fingerprint: string | null
  user: string | null
  gnupghome: string | null
  keyring: string | null
}

/** Ask for the parts of an encrypted message. */
async function opened(ctx: FunctionContext, access: VaultAccess, where: string, from: Encrypted): Promise<Dict> {
  const { message, path, signer_key, signer_key_path, signer_key_fingerprint, ...ring } = from
  oneOf({ message, path })
  oneOf({ signer_key, signer_key_path, signer_key_fingerprint }, 0)
  const { text, format } = formed(await bytesOf(ctx, message, path), 'PGP MESSAGE')
  let signer: string | null = null
  if (signer_key_fingerprint) {
    signer = str(await ctx.call('gpg.export_key', [signer_key_fingerprint], { bare: true, ...ring }))
  } else if (signer_key !== null || signer_key_path !== null) {
    signer = armored(await bytesOf(ctx, signer_key, signer_key_path), 'PGP PUBLIC KEY BLOCK')
  }
  return dataOf(await access.post(where, given({ signer_key: signer, format, ciphertext: text })))
}

const ciphertext = {
  message: data('The message: ASCII-armored, in base64, or as bytes'),
  signer_key: data('Public key of the signer. A message that this key did not sign is refused'),
  path: optionalText('File of the minion that has the message'),
  signer_key_path: optionalText('File of the minion that has the public key of the signer'),
}

const messages = {
  decrypt: reads({
    doc: 'Return the text of an encrypted message.',
    args: {
      name,
      ...ciphertext,
      signer_key_fingerprint: optionalText('Fingerprint of the key of the signer in a keyring'),
      ...keyring,
      decode: arg.flag('Decode the base64 of the answer', { default: true }),
      decode_utf8: arg.flag('With `decode`, return a text in place of bytes', { default: true }),
      mount,
    },
    returns: ret.any('The text, or bytes'),
    example: 'vault_gpg.decrypt release path=/srv/secret.asc',
    run: (ctx, { name, decode, decode_utf8, mount, ...from }) =>
      asking(ctx, async (access) => {
        const plain = str((await opened(ctx, access, `${mount}/decrypt/${name}`, from)).get('plaintext') ?? '')
        const bytes = decodeBase64(Buffer.from(plain))
        const text = Buffer.from(bytes).toString()
        markSecret(fromPlain({ secret: [plain, text] }))
        if (!decode) return plain
        return decode_utf8 ? text : bytes
      }),
  }),
  show_session_key: reads({
    doc: 'Return the session key of an encrypted message.',
    args: { name, ...ciphertext, mount },
    returns: ret.string('The key'),
    example: 'vault_gpg.show_session_key release path=/srv/secret.asc',
    run: (ctx, { name, mount, ...from }) =>
      asking(ctx, async (access) => {
        const none = { signer_key_fingerprint: null, user: null, gnupghome: null, keyring: null }
        const answer = await opened(ctx, access, `${mount}/show-session-key/${name}`, { ...from, ...none })
        const key = str(answer.get('session_key') ?? '')
        markSecret(fromPlain({ secret: key }))
        return key
      }),
  }),
}

export default defineModule({
  name: 'vault_gpg',
  doc: 'Keys of GnuPG that Vault keeps, by the plugin vault-gpg-plugin.',
  functions: { ...keys, ...signatures, ...messages },
})
