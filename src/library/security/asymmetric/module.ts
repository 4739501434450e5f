// Signatures with private keys (RSA, ECDSA, Ed25519, Ed448), and their verification: the backend of `sig_backend: asymmetric`
// in file states. RSA uses PSS with the maximum salt length.
import { constants, createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { toError } from '../../../base/mod.ts'
import { failure, isList, misuse, SaltError, str, textOf, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, changes, defineModule, type FunctionContext, reads } from '../../../sdk/mod.ts'

const HASHED = new Set(['rsa', 'rsa-pss', 'ec'])
const PSS = constants.RSA_PKCS1_PSS_PADDING

/** Return the hash for keys that need one. */
const hashFor = (key: KeyObject, digest: string | null): string | null =>
  HASHED.has(key.asymmetricKeyType ?? '') ? digest || 'sha256' : null

const isFile = async (ctx: FunctionContext, path: string): Promise<boolean> =>
  !path.includes('\n') && (await ctx.host.stat(path))?.type === 'file'

/** Return the bytes of a file, or of the text itself. */
async function bytesOf(ctx: FunctionContext, given: Value): Promise<Uint8Array> {
  if (given instanceof Uint8Array) return given
  const text = str(given)
  return (await isFile(ctx, text)) ? ctx.host.read(text) : Buffer.from(text)
}

/** Decode bytes that may be in base64. */
function unpacked(bytes: Uint8Array): Buffer {
  const text = Buffer.from(bytes).toString('latin1').replaceAll('\n', '')
  const decoded = Buffer.from(text, 'base64')
  return decoded.toString('base64') === text ? decoded : Buffer.from(bytes)
}

/** Return the key format: PEM, or DER as is or in base64. */
const keyParts = <Type extends string>(bytes: Uint8Array, type: Type) => {
  const text = Buffer.from(bytes).toString('latin1')
  if (text.includes('-----BEGIN')) return { key: text, format: 'pem' as const }
  return { key: unpacked(bytes), format: 'der' as const, type }
}

async function privateKeyOf(ctx: FunctionContext, given: Value, passphrase: string | null): Promise<KeyObject> {
  const secret = passphrase === null ? {} : { passphrase }
  try {
    return createPrivateKey({ ...keyParts(await bytesOf(ctx, given), 'pkcs8'), ...secret })
  } catch (error) {
    throw failure(`Could not load the private key: ${toError(error).message}`)
  }
}

/** Fetch a key or signature from a URL. */
async function fetched(ctx: FunctionContext, given: Value): Promise<Value> {
  const [, scheme, path = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(textOf(given) ?? '') ?? []
  if (scheme === undefined) return given
  const cached = scheme === 'file' ? path : await ctx.call('cp.cache_file', [given])
  if (!truthy(cached) || !(await isFile(ctx, str(cached)))) throw failure(`Failed fetching '${str(given)}'`)
  return cached
}

async function publicKeyOf(ctx: FunctionContext, given: Value): Promise<KeyObject> {
  try {
    return createPublicKey(keyParts(await bytesOf(ctx, await fetched(ctx, given)), 'spki'))
  } catch (error) {
    if (error instanceof SaltError) throw error
    throw failure(`Could not load the public key: ${toError(error).message}`)
  }
}

const fingerprint = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')

interface Checked {
  data: Uint8Array
  digest: string | null
}

/** Return the signatures that a key made of the data; none is an error. */
async function madeBy(ctx: FunctionContext, signer: Value, signatures: readonly Buffer[], { data, digest }: Checked) {
  const key = await publicKeyOf(ctx, signer)
  const options = { key, padding: PSS, saltLength: constants.RSA_PSS_SALTLEN_AUTO }
  const padded = key.asymmetricKeyType?.startsWith('rsa') ? options : key
  const made = signatures.filter((signature) => verify(hashFor(key, digest), data, padded, signature))
  if (made.length === 0) throw failure(`Invalid signature for key ${fingerprint(key)}`)
  return made
}

type Request = Bound<typeof verifyArgs>

const listed = (given: Value): Value[] => (truthy(given) ? (isList(given) ? [...given] : [given]) : [])

/** Check the arguments, and return the signed data. */
async function dataOf(ctx: FunctionContext, request: Request, isCompound: boolean): Promise<Uint8Array> {
  const { text, filename, pubkey, signature } = request
  if (truthy(text) && filename) throw misuse('`text` and `filename` arguments are mutually exclusive')
  if (!truthy(signature)) throw misuse('Missing `signature` parameter')
  if (isCompound && truthy(pubkey)) throw misuse('Either specify pubkey + signature or signed_by_(any|all)')
  if (!isCompound && !truthy(pubkey)) throw misuse('Missing pubkey(s) to check against')
  if (!isCompound && isList(signature)) {
    throw misuse('`signature` must be a string or bytes when verifying a single signing `pubkey`')
  }
  if (truthy(text)) return text instanceof Uint8Array ? text : Buffer.from(str(text))
  if (!filename) throw misuse('Missing data to verify. Either specify `text` or `filename`')
  if ((await ctx.host.stat(filename)) === undefined) throw failure(`Path '${filename}' does not exist`)
  return ctx.host.read(filename)
}

type Answer = { res: boolean; message: string }

async function check(ctx: FunctionContext, request: Request): Promise<Answer> {
  const [any, all] = [listed(request.signed_by_any), listed(request.signed_by_all)]
  const isCompound = any.length + all.length > 0
  const checked = { data: await dataOf(ctx, request, isCompound), digest: request.digest }
  const signatures: Buffer[] = []
  for (const given of listed(request.signature)) {
    try {
      signatures.push(unpacked(await bytesOf(ctx, await fetched(ctx, given))))
    } catch (error) {
      if (!isCompound) return { res: false, message: toError(error).message }
      ctx.log('error', toError(error).message)
    }
  }
  if (signatures.length === 0) throw failure('Unable to locate any of the provided signatures')
  if (any.length > 0 && !(await hasOne(ctx, any, signatures, checked))) {
    const message = 'None of the public keys listed in signed_by_any provided a valid signature'
    return { res: false, message }
  }
  let left = signatures
  for (const signer of isCompound ? all : [request.pubkey]) {
    try {
      const made = await madeBy(ctx, signer, left, checked)
      left = left.filter((signature) => !made.includes(signature))
    } catch (error) {
      const what = isCompound ? 'Failed while checking `signed_by_all`' : 'Failed checking signature'
      return { res: false, message: `${what}: ${toError(error).message}` }
    }
  }
  return { res: true, message: isCompound ? 'All required keys have provided a signature' : 'The signature is valid' }
}

async function hasOne(
  ctx: FunctionContext,
  signers: readonly Value[],
  signatures: readonly Buffer[],
  checked: Checked,
) {
  for (const signer of signers) {
    try {
      await madeBy(ctx, signer, signatures, checked)
      return true
    } catch (error) {
      ctx.log('info', toError(error).message)
    }
  }
  return false
}

const text = arg.any('Text or bytes to sign or verify', { optional: true })
const filename = arg.text('Path of the file to sign or verify, instead of a text', { optional: true })
const digest = arg.text('Hash for RSA and ECDSA; default sha256', { optional: true })

const verifyArgs = {
  text,
  filename,
  pubkey: arg.any('Public key: path, URL, text or bytes', { optional: true }),
  signature: arg.any('Signature: path, URL, text or bytes; a list with `signed_by_any` or `signed_by_all`', {
    optional: true,
  }),
  digest,
  signed_by_any: arg.any('Public key or list of public keys, one of which must have signed', { optional: true }),
  signed_by_all: arg.any('Public key or list of public keys, all of which must have signed', { optional: true }),
  kwargs: arg.ignored(),
}

export default defineModule({
  name: 'asymmetric',
  doc: 'Sign data with private keys, and verify signatures.',
  functions: {
    sign: changes({
      doc: 'Sign a text or a file.',
      example: "asymmetric.sign /root/my_privkey.pem text='I like you'",
      args: {
        privkey: arg.any('Private key: path, text or bytes'),
        passphrase: arg.text('Passphrase of the private key', { optional: true, secret: true }),
        text,
        filename,
        digest,
        raw: arg.flag('Whether the signature is bytes instead of base64; default: bytes when written to a file', {
          optional: true,
        }),
        path: arg.text('Path of the file to write the signature to', { optional: true }),
      },
      run: async (ctx, given) => {
        if (given.text === null && !given.filename) throw misuse('Either `text` or `filename` is required')
        const data = given.text === null ? await ctx.host.read(str(given.filename)) : await plain(given.text)
        const key = await privateKeyOf(ctx, given.privkey, given.passphrase)
        const options = { key, padding: PSS, saltLength: constants.RSA_PSS_SALTLEN_MAX_SIGN }
        const signature = sign(hashFor(key, given.digest), data, key.asymmetricKeyType === 'rsa' ? options : key)
        const isRaw = given.raw ?? Boolean(given.path)
        const written = isRaw ? signature : signature.toString('base64')
        if (!given.path) return typeof written === 'string' ? written : new Uint8Array(written)
        await ctx.host.write(given.path, written)
        return `Signature written to '${given.path}'`
      },
    }),
    verify: reads({
      doc: 'Verify signatures of a text or file.',
      example: "asymmetric.verify pubkey=/root/my_pubkey.pem text='I like you' signature=/root/ilikeyou.sig",
      args: verifyArgs,
      run: check,
    }),
  },
})

const plain = async (given: Value): Promise<Uint8Array> =>
  given instanceof Uint8Array ? given : Buffer.from(str(given))
