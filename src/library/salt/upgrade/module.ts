// Upgrades of a minion beside the running version. The minion itself does the work (DaemonAccess.upgrade); the return of the job comes from
// the version that runs afterwards.
import { failure, str } from '../../../data/mod.ts'
import { arg, changes, defineModule, ret } from '../../../sdk/mod.ts'

const SHA256 = /^(?:sha256=)?([0-9a-f]{64})$/i

export default defineModule({
  name: 'brine',
  doc: 'Upgrade Brine itself.',
  functions: {
    upgrade: changes({
      doc: 'Upgrade this minion to another version of Brine, and return to the present one when the new one does not report to the master in time.',
      example:
        'brine.upgrade salt://brine-0.2.0.tgz source_hash=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      args: {
        source: arg.text(
          'Package: a URL of the file server, such as salt://brine-0.2.0.tgz, or an absolute path on the minion',
        ),
        source_hash: arg.text('SHA-256 of the package, in hexadecimal digits'),
        timeout: arg.count('Seconds that the new version may take to report to the master', { default: 120 }),
        saltenv: arg.text('Environment of the file server', { default: 'base' }),
      },
      returns: ret.dict('`result`, `from`, `to` and `comment`; `log` has the last lines of a new version that failed'),
      run: async (ctx, { source, source_hash, timeout, saltenv }) => {
        const [, sha256] = SHA256.exec(source_hash) ?? []
        if (sha256 === undefined) throw failure(`'${source_hash}' is not a SHA-256 in hexadecimal digits`)
        if (!ctx.daemon?.upgrade) throw failure('Only a job of a running minion can upgrade it')
        const others = ctx.daemon.running().map((load) => str(load.get('fun') ?? ''))
        if (others.length > 0)
          throw failure(`Other jobs run on this minion: ${others.join(', ')}; try again when they are done`)
        if (timeout < 5 || timeout > 3600) throw failure('timeout must be between 5 and 3600 seconds')
        const file = source.startsWith('/') ? source : str(await ctx.call('cp.cache_file', [source, saltenv]))
        if (file === '' || file === 'False') throw failure(`The package ${source} was not found`)
        return await ctx.daemon.upgrade({ file, sha256, seconds: timeout })
      },
    }),
  },
})
