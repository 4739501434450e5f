// Keys and certificates of OpenSSH that options name: a path, a text or bytes.
import { failure, misuse, SaltError, str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isSourceFile } from '../../../../sdk/mod.ts'
import { type Certificate, isCertificateType, isSignatureRight, parseCertificate } from '../format/certificate.ts'
import { type PrivateKey, parsePrivateKey } from '../format/private-key.ts'
import { type PublicKey, parseKey, splitLine } from '../format/public-key.ts'
import { Malformed } from '../format/wire.ts'

/** The part of a function's or state's context that reads files. */
export type Reader = Pick<FunctionContext, 'host'>

/** Far above the largest key and certificate. */
const LARGEST = 1 << 20

/** Return the bytes in an option, for options of users who may not read files here. */
export function givenBytes(value: Value): Uint8Array {
  if (typeof value === 'string') return Buffer.from(value)
  if (value instanceof Uint8Array) return value
  throw misuse('Could not load provided source. You need to pass an existing file, string or raw bytes.')
}

async function bytesOf({ host }: Reader, value: Value): Promise<Uint8Array> {
  const bytes = (await isSourceFile(host, value)) ? await host.read(str(value)) : givenBytes(value)
  if (bytes.length > LARGEST) throw failure('Could not load provided source: it is larger than 1 MiB.')
  return bytes
}

/** Return the result of a function, or throw an error with this text. */
function readOr<T>(message: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof Malformed) throw failure(message)
    throw error
  }
}

export const privateKey = async (ctx: Reader, source: Value, passphrase: Value): Promise<PrivateKey> =>
  parsePrivateKey(await bytesOf(ctx, source), passphrase === null ? null : str(passphrase))

const NO_PUBLIC_KEY = 'Could not load OpenSSH public key.'

/** Read a public key from bytes; that of a certificate counts as well. */
export const publicKeyIn = (bytes: Uint8Array): PublicKey =>
  readOr(NO_PUBLIC_KEY, () => {
    const { type, blob } = splitLine(bytes)
    return isCertificateType(type) ? parseCertificate(bytes).key : parseKey(blob)
  })

export const publicKey = async (ctx: Reader, source: Value): Promise<PublicKey> =>
  publicKeyIn(await bytesOf(ctx, source))

const NO_CERTIFICATE = 'Could not load OpenSSH certificate.'

/** Read a certificate, and verify its signature unless `check` is false. */
export async function certificate(ctx: Reader, source: Value, check = true): Promise<Certificate> {
  const bytes = await bytesOf(ctx, source)
  const { type } = readOr(NO_CERTIFICATE, () => splitLine(bytes))
  if (!isCertificateType(type)) throw misuse(`The data decoded to a key of the type ${type}, not SSHCertificate`)
  const held = readOr(NO_CERTIFICATE, () => parseCertificate(bytes))
  if (check && !readOr(NO_CERTIFICATE, () => isSignatureRight(held))) {
    throw failure('The signature on the SSH certificate was invalid')
  }
  return held
}

/** Return whether an authority signed a certificate. */
export const isSigned = (held: Certificate): boolean => readOr(NO_CERTIFICATE, () => isSignatureRight(held))

/** Return the public key of a public key, a certificate or a private key. */
export async function anyPublicKey(ctx: Reader, source: Value, passphrase: Value): Promise<PublicKey> {
  const ways = [() => publicKey(ctx, source), async () => (await privateKey(ctx, source, passphrase)).public]
  for (const way of ways) {
    try {
      return await way()
    } catch (error) {
      if (!(error instanceof SaltError)) throw error
    }
  }
  throw failure('Could not load key as certificate, public key or private key')
}
