// Keys and certificates that options name.
import type { KeyObject } from 'node:crypto'
import { failure, SaltError, str, type Value } from '../../../../data/mod.ts'
import {
  type Certificate,
  encodedBytes,
  type FunctionContext,
  isSourceFile,
  sourceBytes,
  sourceCertificate,
  sourceKey,
  x509,
} from '../../../../sdk/mod.ts'

export const isFile = ({ host }: FunctionContext, value: Value): Promise<boolean> => isSourceFile(host, value)
export const givenBytes = encodedBytes
export const bytesOf = ({ host }: FunctionContext, value: Value): Promise<Uint8Array> => sourceBytes(host, value)
export const certificate = ({ host }: FunctionContext, source: Value): Promise<Certificate> =>
  sourceCertificate(host, source)
export const privateKey = ({ host }: FunctionContext, source: Value, passphrase: Value): Promise<KeyObject> =>
  sourceKey(host, source, passphrase)

const passphraseOf = (value: Value): string | null => (value === null ? null : str(value))

/** Return the public key of a public or private key, a certificate or a request. */
export async function publicKey(ctx: FunctionContext, source: Value, passphrase: Value): Promise<KeyObject> {
  const tools = await x509()
  const unusable = (): never => {
    throw failure('Could not load key as certificate, public key, private key or CSR')
  }
  const bytes = await bytesOf(ctx, source).catch((error: unknown) => {
    if (error instanceof SaltError) return unusable()
    throw error
  })
  const fromDer = (der: Uint8Array): KeyObject => tools.loadPublicKey(der)
  const ways = [
    (): KeyObject => tools.loadPublicKey(bytes),
    () => fromDer(tools.loadCertificate(bytes).certificate.publicKey),
    () => fromDer(tools.publicBytes(tools.loadPrivateKey(bytes, passphraseOf(passphrase)).key)),
    () => fromDer(tools.loadRequest(bytes).value.publicKey),
  ]
  for (const way of ways) {
    try {
      return way()
    } catch (error) {
      if (!(error instanceof tools.LoadError)) throw error
      if (error.fault !== 'unreadable') throw failure(error.message)
    }
  }
  return unusable()
}
