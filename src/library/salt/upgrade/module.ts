// Upgrades of a minion beside the running version. The minion itself does the work (DaemonAccess.upgrade); the return of the job comes from
// the version that runs afterwards.
import { failure, str } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, option, ret, type UpgradePackage } from '../../../sdk/mod.ts'

const SHA256 = /^(?:sha256=)?([0-9a-f]{64})$/i

/** More packages than a machine can have. */
const MOST_PACKAGES = 8

/** Return the file of this machine that a source is. */
async function fileOf(ctx: FunctionContext, source: string, saltenv: string): Promise<string> {
  const file = source.startsWith('/') ? source : str(await ctx.call('cp.cache_file', [source, saltenv]))
  if (file === '' || file === 'False') throw failure(`The package ${source} was not found`)
  return file
}

/** Fetch the signature beside a package. */
async function signatureFile(ctx: FunctionContext, source: string, saltenv: string): Promise<string> {
  const beside = `${source}.asc`
  if (source.startsWith('/')) return beside
  const file = str(await ctx.call('cp.cache_file', [beside, saltenv]))
  if (file !== '' && file !== 'False') return file
  throw failure(`The package ${source} has no signature: ${beside} was not found, and package_keyring is set`)
}

async function fetchPackages(
  ctx: FunctionContext,
  sources: readonly string[],
  hashes: readonly string[],
  { saltenv, isSigned }: { saltenv: string; isSigned: boolean },
): Promise<UpgradePackage[]> {
  if (sources.length === 0 || sources.length > MOST_PACKAGES) throw failure('source must name the packages')
  if (sources.length !== hashes.length)
    throw failure(`source names ${sources.length} packages, and source_hash has ${hashes.length} hashes`)
  const wanted = hashes.map((hash) => {
    const [, sha256] = SHA256.exec(hash) ?? []
    if (sha256 === undefined) throw failure(`'${hash}' is not a SHA-256 in hexadecimal digits`)
    return sha256
  })
  const packages: UpgradePackage[] = []
  for (const [index, source] of sources.entries()) {
    const file = await fileOf(ctx, source, saltenv)
    const signature = isSigned ? { signature: await signatureFile(ctx, source, saltenv) } : {}
    packages.push({ file, sha256: wanted[index]!, ...signature })
  }
  return packages
}

export default defineModule({
  name: 'brine',
  doc: 'Upgrade Brine itself.',
  functions: {
    upgrade: changes({
      doc: 'Upgrade this minion to another version of Brine, and return to the present one when the new one does not report to the master in time.',
      example:
        'brine.upgrade salt://brine-0.2.0.tgz source_hash=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      args: {
        source: arg.words(
          'Package: a URL of the file server, such as salt://brine-0.2.0.tgz, or an absolute path on the minion. For a minion that Debian packages installed, a list of the new files of all installed packages of Brine',
        ),
        source_hash: arg.words('SHA-256 of the package in hexadecimal digits, or a list with one for each package'),
        timeout: arg.count('Seconds that the new version may take to report to the master', { default: 120 }),
        saltenv: arg.text('Environment of the file server', { default: 'base' }),
      },
      returns: ret.dict('`result`, `from`, `to` and `comment`; `log` has the last lines of a new version that failed'),
      run: async (ctx, { source, source_hash, timeout, saltenv }) => {
        if (!ctx.daemon?.upgrade) throw failure('Only a job of a running minion can upgrade it')
        const others = ctx.daemon.running().map((load) => str(load.get('fun') ?? ''))
        if (others.length > 0)
          throw failure(`Other jobs run on this minion: ${others.join(', ')}; try again when they are done`)
        if (timeout < 5 || timeout > 3600) throw failure('timeout must be between 5 and 3600 seconds')
        const keyring = option(ctx.opts, 'package_keyring')
        const isSigned = keyring !== ''
        const packages = await fetchPackages(ctx, source, source_hash, { saltenv, isSigned })
        return await ctx.daemon.upgrade({ packages, seconds: timeout, ...(isSigned && { keyring }) })
      },
    }),
  },
})
