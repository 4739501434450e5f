// Hashes, signatures and Base64 of texts.
import { createHash, createHmac, getHashes, timingSafeEqual } from 'node:crypto'
import {
  decodeBase64,
  encodeText,
  failure,
  PyError,
  qualifiedTypeName,
  textOf,
  textOrBytes,
  typeError,
  type Value,
  valueError,
} from '../../../data/mod.ts'
import { arg, changes, defineModule, reads, ret } from '../../../sdk/mod.ts'

function bytesOf(value: Value): Uint8Array {
  if (value instanceof Uint8Array) return value
  const text = textOf(value)
  if (text === undefined) {
    throw typeError(`expected str, bytes, or bytearray not <class '${qualifiedTypeName(value)}'>`)
  }
  return encodeText(text)
}

const base64Decode = (value: Value): Value => textOrBytes(decodeBase64(bytesOf(value)))

const base64 = (value: Value): string => Buffer.from(bytesOf(value)).toString('base64')

/** Return Base64 in lines of 76 characters. */
const base64Lines = (value: Value): string => base64(value).replace(/.{1,76}/g, '$&\n')

const digest = (algorithm: string, value: Value): string => createHash(algorithm).update(bytesOf(value)).digest('hex')

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const signature = (algorithm: string, text: Value, secret: Value): Buffer =>
  createHmac(algorithm, bytesOf(secret)).update(bytesOf(text)).digest()

const instr = arg.any('Text or bytes; another type is refused')
const string = arg.any('Text or bytes to sign')
const shared_secret = arg.any('Secret as text or bytes', { secret: true })
const challenge_hmac = arg.any('Signature to check, as text or bytes')

function transform(name: string, doc: string, run: (value: Value) => Value) {
  return reads({
    doc,
    args: { instr },
    returns: ret.any('The result'),
    example: `hashutil.${name} 'get salted'`,
    run: (_ctx, { instr }) => run(instr),
  })
}

const DIGESTS = new Set(['md5', 'sha256', 'sha512'])

function assertDigest(checksum: string): void {
  if (!DIGESTS.has(checksum)) throw failure(`Hash func '${checksum}' is not supported.`)
}

export default defineModule({
  name: 'hashutil',
  doc: 'Hash, sign and encode data.',
  functions: {
    digest: reads({
      doc: 'Return the hash of a text.',
      args: { instr, checksum: arg.string('Hash type: `md5`, `sha256` or `sha512`', { default: 'md5' }) },
      returns: ret.string('The hash in hexadecimal'),
      example: "hashutil.digest 'get salted'",
      run: (_ctx, { instr, checksum }) => {
        assertDigest(checksum)
        return digest(checksum, instr)
      },
    }),
    md5_digest: transform('md5_digest', 'Return the MD5 hash of a text.', (value) => digest('md5', value)),
    sha256_digest: transform('sha256_digest', 'Return the SHA-256 hash of a text.', (value) => digest('sha256', value)),
    sha512_digest: transform('sha512_digest', 'Return the SHA-512 hash of a text.', (value) => digest('sha512', value)),
    digest_file: reads({
      doc: 'Return the hash of a file.',
      args: {
        infile: arg.string('Path of the file'),
        checksum: arg.string('Hash type: `md5`, `sha256` or `sha512`', { default: 'md5' }),
      },
      returns: ret.string('The hash in hexadecimal'),
      example: 'hashutil.digest_file /path/to/file',
      run: async (ctx, { infile, checksum }) => {
        if ((await ctx.host.stat(infile))?.type !== 'file') throw failure(`File path '${infile}' not found.`)
        assertDigest(checksum)
        return ctx.host.hash(infile, checksum)
      },
    }),
    base64_encodefile: reads({
      doc: 'Encode a file in Base64, in lines of 76 characters.',
      args: { fname: arg.string('Path of the file') },
      returns: ret.string('The encoded content'),
      example: 'hashutil.base64_encodefile /path/to/binary_file',
      run: async (ctx, { fname }) => base64Lines(await ctx.host.read(fname)),
    }),
    base64_decodefile: changes({
      doc: 'Decode Base64 and write the data to a file.',
      args: { instr, outfile: arg.string('Path of the file') },
      returns: ret.boolean('True'),
      example: "hashutil.base64_decodefile instr='Z2V0IHNhbHRlZAo=' outfile='/path/to/binary_file'",
      run: async (ctx, { instr, outfile }) => {
        // as in Salt, the file is truncated even if the decoding fails
        await ctx.host.write(outfile, '')
        await ctx.host.write(outfile, bytesOf(base64Decode(instr)))
        return true
      },
    }),
    base64_b64encode: transform('base64_b64encode', 'Encode a text in Base64, on one line.', base64),
    base64_b64decode: transform('base64_b64decode', 'Decode Base64 to a text.', base64Decode),
    base64_encodestring: transform(
      'base64_encodestring',
      'Encode a text in Base64, in lines of 76 characters.',
      base64Lines,
    ),
    base64_decodestring: transform('base64_decodestring', 'Decode Base64 to a text.', base64Decode),
    hmac_signature: reads({
      doc: 'Verify a signature (HMAC with SHA-256 in Base64) of a text.',
      args: { string, shared_secret, challenge_hmac },
      returns: ret.boolean('Whether the signature is valid'),
      run: (_ctx, { string, shared_secret, challenge_hmac }) =>
        sameText(
          signature('sha256', string, shared_secret).toString('base64'),
          Buffer.from(bytesOf(challenge_hmac)).toString('latin1'),
        ),
    }),
    hmac_compute: reads({
      doc: 'Return the signature (HMAC with SHA-256) of a text.',
      args: { string, shared_secret },
      returns: ret.string('The signature in hexadecimal'),
      example: "hashutil.hmac_compute 'get salted' 'shared secret'",
      run: (_ctx, { string, shared_secret }) => signature('sha256', string, shared_secret).toString('hex'),
    }),
    github_signature: reads({
      doc: 'Verify the signature of a web hook of GitHub, such as `sha1=…`.',
      args: { string, shared_secret, challenge_hmac: arg.string('Signature to check, as `type=signature`') },
      returns: ret.boolean('Whether the signature is valid'),
      run: (_ctx, { string, shared_secret, challenge_hmac }) => {
        const parts = challenge_hmac.split('=')
        if (parts.length < 2) throw valueError('not enough values to unpack (expected 2, got 1)')
        if (parts.length > 2) throw valueError('too many values to unpack (expected 2)')
        const [algorithm = '', challenge = ''] = parts
        if (!getHashes().includes(algorithm)) {
          throw new PyError('AttributeError', `module 'hashlib' has no attribute '${algorithm}'`)
        }
        return sameText(signature(algorithm, string, shared_secret).toString('hex'), challenge)
      },
    }),
  },
})
