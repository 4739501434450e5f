// Shared parts of the builders of packages for Debian and rpm: parameters, source files, and the signing key.
import {
  type Dict,
  float,
  isDict,
  isList,
  misuse,
  splitLines,
  str,
  textOf,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  baseName,
  exists,
  type FunctionContext,
  fileIn,
  operand,
  outputOf,
  ret,
  retcodeOf,
} from '../../../sdk/mod.ts'
import { saltenv } from '../common/params.ts'

const env = arg.any('Dict of environment variables', { optional: true })
const user = arg.text('User who builds', { default: 'root' })
const template = arg.text('Template engine of the definition; it is not used', { optional: true })

const spec = arg.text('Path or URL of the package definition')
const sources = arg.textOrList('Paths or URLs of source files, as list or text with commas')
const SOURCE = { dest_dir: arg.text('Directory for the source package'), spec, sources, env }

/** Parameters of `make_src_pkg` for Debian. */
export const DEBIAN_SOURCE = { ...SOURCE, saltenv, runas: user }
/** Parameters of `make_src_pkg` for rpm. */
export const RPM_SOURCE = { ...SOURCE, template, saltenv, runas: user }

export const BUILD = {
  runas: arg.text('User who builds'),
  tgt: arg.text('System to build for, such as `epel-9-x86_64`'),
  dest_dir: arg.text('Directory for the built packages'),
  spec,
  sources,
  deps: arg.any('List of packages that the build needs', { optional: true }),
  env,
  template,
  saltenv,
  log_dir: arg.text('Directory for log files', { default: '/var/log/salt/pkgbuild' }),
}

export const REPO = {
  repodir: arg.text('Directory of the packages'),
  keyid: arg.text('Last 8 digits of the id of the key that signs', { optional: true }),
  env,
  use_passphrase: arg.flag('Take the passphrase of the key from the pillar `gpg_passphrase`', { default: false }),
  gnupghome: arg.text('Directory of the keys', { default: '/etc/salt/gpgkeys' }),
  runas: arg.text('User who makes the repository', { default: 'root' }),
  timeout: arg.any('Seconds for a prompt; no prompt appears, so it has no effect', { default: float(15) }),
}

export const FILES = ret.texts('Paths of the files of the source package')
export const BUILT = ret.dict('Paths of the built files by kind, such as `Packages`')
export const OUTCOME = ret.dict('`retcode`, `stdout` and `stderr` of the last command')

/** Return the variables of a call. */
export function variables(env: Value): Dict {
  if (env === null) return new Map()
  if (!isDict(env)) throw misuse("'env' must be a Python dictionary")
  return new Map([...env].map(([name, value]) => [str(name), str(value)]))
}

/** Return source files: a list, or a text with commas. */
export const sourceList = (sources: Value): string[] => (isList(sources) ? sources.map(str) : str(sources).split(','))

/** Copy or download a file into a directory; return its path. */
export async function bring(ctx: FunctionContext, source: string, directory: string, saltenv: string): Promise<string> {
  const path = fileIn(directory, operand('A file', baseName(source)))
  if (!/^[a-z][\w+.-]*:\/\//i.test(source)) {
    await ctx.host.copy(source, path)
    return path
  }
  const saved = await ctx.call('cp.get_url', [source, path], { saltenv })
  if (!truthy(saved)) throw misuse(`The file ${source} could not be fetched`)
  return path
}

/** Give a directory and all below it to a user, or end with an error that names the directory. */
export async function giveTo(ctx: FunctionContext, user: string, path: string): Promise<void> {
  const code = await retcodeOf(ctx, ['chown', '-R', `${operand('A user', user)}:${user}`, path], { runas: 'root' })
  if (code !== 0) throw misuse(`The owner of '${path}' could not be set, return error '${code}'`)
}

/** A key of the key ring. */
export interface SigningKey {
  readonly id: string
  readonly fingerprint: string
  readonly uid: string | undefined
  readonly publicFile: string
}

interface SigningOptions {
  readonly keyid: string | null
  readonly use_passphrase: boolean
  readonly gnupghome: string
  readonly runas: string
}

const PRESETS = [
  '/usr/lib/gnupg2/gpg-preset-passphrase',
  '/usr/lib/gnupg/gpg-preset-passphrase',
  '/usr/libexec/gpg-preset-passphrase',
]

/** Import the key that the pillar names, and give its passphrase to the agent. Return undefined when nothing is signed. */
export async function signingKey(
  ctx: FunctionContext,
  options: SigningOptions,
  env: Dict,
): Promise<SigningKey | undefined> {
  const { keyid, gnupghome, runas } = options
  if (keyid === null) return undefined
  const files: string[] = []
  for (const name of ['gpg_pkg_pub_keyname', 'gpg_pkg_priv_keyname']) {
    const file = textOf(await ctx.call('pillar.get', [name, ''])) ?? ''
    if (file === '') throw misuse("Pillar data should contain Public and Private keys associated with 'keyid'")
    files.push(fileIn(gnupghome, file))
    await ctx.call('gpg.import_key', [], { user: runas, filename: files.at(-1)!, gnupghome })
  }
  const known = await ctx.call('gpg.list_keys', [], { user: runas, gnupghome })
  const found = known.find((key) => str(key.get('keyid') ?? '').slice(8) === keyid)
  if (!found) throw misuse(`The key ID '${keyid}' was not found in GnuPG keyring at '${gnupghome}'`)
  const uids = found.get('uids') ?? []
  const key = {
    id: str(found.get('keyid') ?? ''),
    fingerprint: str(found.get('fingerprint') ?? ''),
    uid: isList(uids) && uids.length > 0 ? str(uids[0]!) : undefined,
    publicFile: files[0]!,
  }
  if (options.use_passphrase) await presetPassphrase(ctx, key, runas, env)
  return key
}

/** Give the passphrase of a key to the agent, through the standard input of the program that does it. */
async function presetPassphrase(ctx: FunctionContext, key: SigningKey, runas: string, env: Dict): Promise<void> {
  let program: string | undefined
  for (const path of PRESETS) if (program === undefined && (await exists(ctx, path))) program = path
  if (program === undefined) throw misuse("utility 'gpg-preset-passphrase' needs to be installed")
  const listed = await outputOf(ctx, ['gpg', '--with-keygrip', '--list-secret-keys'], { runas, env })
  const grip = keygrip(listed, key.fingerprint)
  if (grip === undefined) {
    throw misuse(`unable to find keygrip associated with fingerprint '${key.fingerprint}' for keyid '${key.id}'`)
  }
  const stdin = textOf(await ctx.call('pillar.get', ['gpg_passphrase', ''])) ?? ''
  const code = await retcodeOf(ctx, [program, '--verbose', '--preset', grip], { runas, env, stdin })
  if (code !== 0) throw misuse(`Failed to preset passphrase, error ${code}`)
}

/** Return the keygrip that follows the line of a fingerprint. */
function keygrip(listed: string, fingerprint: string): string | undefined {
  const lines = splitLines(listed).map((line) => line.trim())
  const at = lines.indexOf(fingerprint)
  return at < 0 ? undefined : lines[at + 1]?.split('=')[1]?.trim()
}
