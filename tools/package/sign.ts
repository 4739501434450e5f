// Signatures of packages by GnuPG: a detached, armored signature beside each file, with the packager's key.
import { runCommand } from '../command.ts'

/** The signing key, as a user id of gpg: a fingerprint or an address. */
export interface Signer {
  key: string
  /** The directory of gpg's keys; by default that of the person. */
  home?: string | undefined
}

/** Refuse a key that gpg cannot sign with, before anything is built. */
export async function checkSigner(signer: Signer): Promise<void> {
  await gpg(signer, ['--list-secret-keys', '--', signer.key])
}

/** Run gpg; return its output. */
export async function gpg({ home }: Signer, words: string[]): Promise<string> {
  const more = home === undefined ? [] : ['--homedir', home]
  const { code, output } = await runCommand('.', 'gpg', [...more, '--batch', '--yes', '--quiet', ...words])
  if (code !== 0) throw new Error(`gpg exited with ${code}: ${output.trim()}`)
  return output
}

/** Sign a file into another one, detached or with the text in it. */
export async function sign(
  signer: Signer,
  file: string,
  out: string,
  kind: '--detach-sign' | '--clear-sign' = '--detach-sign',
): Promise<string> {
  await gpg(signer, ['--armor', '--local-user', signer.key, '--digest-algo', 'SHA512', '--output', out, kind, file])
  return out
}
