// Key pairs on disk, in Salt's layout: `<name>.pem`, readable only by its owner, and `<name>.pub`. Files are written
// under another name first, so that no reader sees a half-written key.
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { toError } from '../../base/mod.ts'
import { WireError } from '../errors.ts'
import { generateRsaKeys, RsaPrivateKey } from './rsa.ts'

export interface KeyFileOptions {
  bits?: number
  passphrase?: string | undefined
}

/** Return the pair of this name; generate it if it does not exist, and rewrite a missing public half. */
export async function loadOrMakeKeys(
  directory: string,
  name: string,
  options: KeyFileOptions = {},
): Promise<RsaPrivateKey> {
  const privateFile = join(directory, `${name}.pem`)
  const publicFile = join(directory, `${name}.pub`)
  const stored = readIfThere(privateFile)
  if (stored !== undefined) {
    const key = readKey(stored, privateFile, options.passphrase)
    if (readIfThere(publicFile) === undefined) writeKeyFile(publicFile, key.publicKey.pem, 0o644)
    return key
  }
  const { privatePem, publicPem } = await generateRsaKeys(options.bits ?? 2048, options.passphrase)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeKeyFile(privateFile, privatePem, 0o400)
  writeKeyFile(publicFile, publicPem, 0o644)
  return new RsaPrivateKey(privatePem, options.passphrase)
}

function readKey(pem: string, file: string, passphrase?: string): RsaPrivateKey {
  try {
    return new RsaPrivateKey(pem, passphrase)
  } catch (error) {
    throw new WireError('InvalidKeyError', `Unable to read the private key ${file}: ${toError(error).message}`, {
      cause: error,
    })
  }
}

/** Return the text of a file; undefined if it does not exist. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export function writeKeyFile(file: string, text: string, mode: number): void {
  mkdirSync(dirname(file), { recursive: true })
  const temporary = `${file}.${process.pid}.new`
  writeFileSync(temporary, text, { mode })
  // the mask of the process took bits away
  chmodSync(temporary, mode)
  renameSync(temporary, file)
}
