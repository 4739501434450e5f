// Hashes, signatures and base64 of texts.
import { createHash, createHmac, getHashes, timingSafeEqual } from 'node:crypto'
import {
  decodeBase64,
  encodeText,
  PyError,
  qualifiedTypeName,
  SaltError,
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

/** Lines of 76 characters, each ended. */
const base64Lines = (value: Value): string => base64(value).replace(/.{1,76}/g, '$&\n')

const digest = (algorithm: string, value: Value): string => createHash(algorithm).update(bytesOf(value)).digest('hex')

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const signature = (algorithm: string, text: Value, secret: Value): Buffer =>
  createHmac(algorithm, bytesOf(secret)).update(bytesOf(text)).digest()

const instr = arg.any('Text or bytes')
const string = arg.any('The text')
const shared_secret = arg.any('The secret', { secret: true })
const challenge_hmac = arg.any('The signature to check')

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

const failure = (message: string): SaltError => new SaltError('CommandExecutionError', message)

function assertDigest(checksum: string): void {
  if (!DIGESTS.has(checksum)) throw failure(`Hash func '${checksum}' is not supported.`)
}

export default defineModule({
  name: 'hashutil',
  doc: 'Hashing and encoding.',
  functions: {
    digest: reads({
      doc: 'The hash of a text.',
      args: { instr, checksum: arg.string('md5, sha256 or sha512', { default: 'md5' }) },
      returns: ret.string('The hash, in hexadecimal'),
      example: "hashutil.digest 'get salted'",
      run: (_ctx, { instr, checksum }) => {
        assertDigest(checksum)
        return digest(checksum, instr)
      },
    }),
    md5_digest: transform('md5_digest', 'The MD5 hash of a text.', (value) => digest('md5', value)),
    sha256_digest: transform('sha256_digest', 'The SHA-256 hash of a text.', (value) => digest('sha256', value)),
    sha512_digest: transform('sha512_digest', 'The SHA-512 hash of a text.', (value) => digest('sha512', value)),
    digest_file: reads({
      doc: 'The hash of a file.',
      args: { infile: arg.string('Its path'), checksum: arg.string('md5, sha256 or sha512', { default: 'md5' }) },
      returns: ret.string('The hash, in hexadecimal'),
      example: 'hashutil.digest_file /path/to/file',
      run: async (ctx, { infile, checksum }) => {
        if ((await ctx.host.stat(infile))?.type !== 'file') throw failure(`File path '${infile}' not found.`)
        assertDigest(checksum)
        return ctx.host.hash(infile, checksum)
      },
    }),
    base64_encodefile: reads({
      doc: 'Base64 of a file, in lines of 76 characters.',
      args: { fname: arg.string('Its path') },
      returns: ret.string('The base64'),
      example: 'hashutil.base64_encodefile /path/to/binary_file',
      run: async (ctx, { fname }) => base64Lines(await ctx.host.read(fname)),
    }),
    base64_decodefile: changes({
      doc: 'Write what is behind base64 to a file.',
      args: { instr, outfile: arg.string('The path of the file') },
      returns: ret.boolean('True'),
      example: "hashutil.base64_decodefile instr='Z2V0IHNhbHRlZAo=' outfile='/path/to/binary_file'",
      run: async (ctx, { instr, outfile }) => {
        // the file is open before anything is decoded
        await ctx.host.write(outfile, '')
        await ctx.host.write(outfile, bytesOf(base64Decode(instr)))
        return true
      },
    }),
    base64_b64encode: transform('base64_b64encode', 'Base64 of a text, on one line.', base64),
    base64_b64decode: transform('base64_b64decode', 'The text behind base64.', base64Decode),
    base64_encodestring: transform('base64_encodestring', 'Base64 of a text, in lines of 76 characters.', base64Lines),
    base64_decodestring: transform('base64_decodestring', 'The text behind base64.', base64Decode),
    hmac_signature: reads({
      doc: 'Whether a base64 signature (HMAC of SHA-256) belongs to a text and a secret.',
      args: { string, shared_secret, challenge_hmac },
      returns: ret.boolean('Whether it does'),
      run: (_ctx, { string, shared_secret, challenge_hmac }) =>
        sameText(
          signature('sha256', string, shared_secret).toString('base64'),
          Buffer.from(bytesOf(challenge_hmac)).toString('latin1'),
        ),
    }),
    hmac_compute: reads({
      doc: 'The signature (HMAC of SHA-256) of a text by a secret.',
      args: { string, shared_secret },
      returns: ret.string('The signature, in hexadecimal'),
      run: (_ctx, { string, shared_secret }) => signature('sha256', string, shared_secret).toString('hex'),
    }),
    github_signature: reads({
      doc: "Whether the signature of GitHub's web hooks, `sha1=…`, belongs to a text and a secret.",
      args: { string, shared_secret, challenge_hmac: arg.string('The signature to check') },
      returns: ret.boolean('Whether it does'),
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
