// Signatures of packages: detached OpenPGP signatures as by `gpg --detach-sign`, verified by a program of the system
// against a file of trusted keys. Debian's apt depends on gpgv or sqv; other systems have gpg.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PRIVATE_FILE, shownText } from '../base/mod.ts'
import { UpkeepError } from './errors.ts'
import { runTool, type ToolOutcome } from './programs.ts'

/** The largest file of keys and the largest signature that are read, in bytes. */
const LARGEST_KEYS = 4 << 20
const LARGEST_SIGNATURE = 64 << 10

/** How long a verifier may take, in milliseconds. */
const PATIENCE_MS = 300_000

/** The conditions for a package, besides being one of Brine. */
export interface Proof {
  /** Its SHA-256; undefined if the caller gave none. */
  sha256: string | undefined
  /** The file with the trusted keys; undefined when signatures are not checked. */
  keyring: string | undefined
  /** The file with the signature; by default the package's name with `.asc`. */
  signature?: string | undefined
}

export const signaturePath = (file: string): string => `${file}.asc`

/** Refuse a file without a valid signature of a trusted key; errors call it `name`. */
export async function checkSignature(file: string, signature: string, keyring: string, name = file): Promise<void> {
  const refuse = (reason: string): never => {
    throw new UpkeepError('BadSignature', `${name}: ${reason}`, {
      hint: `Sign the package with a key that ${keyring} has (the option package_keyring names that file)`,
    })
  }
  const found = statSync(signature, { throwIfNoEntry: false })
  if (!found?.isFile()) return refuse(`the package has no signature: ${signature} is missing`)
  if (found.size > LARGEST_SIGNATURE) return refuse(`${signature} is too large for a signature`)
  const home = mkdtempSync(join(tmpdir(), 'brine-signature-'))
  try {
    const keys = join(home, 'keys.gpg')
    writeFileSync(keys, readKeyring(keyring), { mode: PRIVATE_FILE })
    const reason = judge(await verify(home, keys, signature, file))
    if (reason !== undefined) refuse(reason)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Read trusted keys, armored or binary, as the binary keys that verifiers take. */
function readKeyring(path: string): Buffer {
  const fail = (reason: string): never => {
    throw new UpkeepError('BadSignature', `The trusted keys in ${path} cannot be used: ${reason}`, {
      hint: 'Export public keys with gpg --export, and name the file in the option package_keyring',
    })
  }
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile()) return fail('there is no such file')
  if (stat.size > LARGEST_KEYS) return fail('the file is too large')
  const own = process.geteuid?.() ?? 0
  if ((stat.uid !== own && stat.uid !== 0) || (stat.mode & 0o022) !== 0)
    return fail('other users of this machine can change the file')
  const bytes = readFileSync(path)
  const keys = bytes[0] !== undefined && bytes[0] >= 0x80 ? bytes : unarmored(bytes.toString('latin1'))
  // the first packet of a public key has the tag 6, in the old or the new form
  const [first = 0] = keys
  const tag = (first & 0x40) !== 0 ? first & 0x3f : (first & 0x3f) >> 2
  if (tag !== 6) return fail('the file has no public OpenPGP key')
  return keys
}

/** The bytes of all armored blocks of public keys. */
function unarmored(text: string): Buffer {
  const blocks = text.matchAll(
    /^-----BEGIN PGP PUBLIC KEY BLOCK-----\r?\n([\s\S]*?)^-----END PGP PUBLIC KEY BLOCK-----/gm,
  )
  const parts = [...blocks].map(([, body]) => {
    // headers end with an empty line; a line that begins with `=` is a checksum
    const lines = body!.split(/\r?\n/)
    const start = lines.indexOf('') + 1
    return Buffer.from(
      lines
        .slice(start)
        .filter((line) => !line.startsWith('='))
        .join(''),
      'base64',
    )
  })
  return Buffer.concat(parts)
}

interface Verified extends ToolOutcome {
  program: string
}

/** Run the first verifier that is installed. */
async function verify(home: string, keys: string, signature: string, file: string): Promise<Verified> {
  const files = [signature, file]
  const gpg = ['--homedir', home, '--status-fd', '1', '--weak-digest', 'SHA1', '--keyring', keys]
  const verifiers: readonly (readonly [program: string, words: readonly string[]])[] = [
    ['gpgv', [...gpg, ...files]],
    ['sqv', ['--keyring', keys, ...files]],
    ['gpg', [...gpg, '--batch', '--no-default-keyring', '--trust-model', 'always', '--verify', ...files]],
  ]
  for (const [program, words] of verifiers) {
    const ended = await runTool(program, words, { milliseconds: PATIENCE_MS, env: { LC_ALL: 'C' } })
    if (ended) return { ...ended, program }
  }
  throw new UpkeepError('ProgramFailed', 'Signatures of packages cannot be checked: there is no gpgv, sqv or gpg', {
    hint: 'Install the package gpgv, or gnupg',
  })
}

/** Why a signature does not count; undefined when it does. */
function judge({ program, code, stdout, stderr }: Verified): string | undefined {
  if (program === 'sqv') return code === 0 ? undefined : `the signature is not valid: ${lastLine(stderr)}`
  const statuses = [...stdout.matchAll(/^\[GNUPG:\] (\w+)/gm)].map(([, word]) => word!)
  if (code === 0 && statuses.includes('GOODSIG') && statuses.includes('VALIDSIG')) return undefined
  const known = Object.entries(FAILURES).find(([word]) => statuses.includes(word))
  return known?.[1] ?? `the signature is not valid: ${lastLine(stderr)}`
}

const FAILURES: Readonly<Record<string, string>> = {
  BADSIG: 'the signature is of another file, or the package was changed',
  EXPKEYSIG: 'the key of the signature has expired',
  REVKEYSIG: 'the key of the signature was revoked',
  EXPSIG: 'the signature has expired',
  NO_PUBKEY: 'the signature is not of a trusted key',
}

const lastLine = (text: string): string =>
  shownText(text.trim().split('\n').at(-1)?.trim() || 'the verifier does not say why')
