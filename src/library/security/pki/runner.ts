// Counts of minion keys by state. This master keeps keys as files of `pki_dir`; it does not have Salt's index of keys in one
// file.
import { SaltError } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn, option } from '../../../sdk/mod.ts'

const FOLDERS = [
  ['Accepted', 'minions'],
  ['Pending', 'minions_pre'],
  ['Rejected', 'minions_rejected'],
  ['Denied', 'minions_denied'],
] as const

async function keysIn(ctx: MasterContext, folder: string): Promise<number> {
  const path = `${option(ctx.opts, 'pki_dir')}/${folder}`
  if ((await ctx.host.stat(path))?.type !== 'directory') return 0
  let count = 0
  for (const name of await ctx.host.list(path)) {
    const isHidden = name.startsWith('.') && folder !== 'minions_denied'
    if (!isHidden && (await ctx.host.lstat(`${path}/${name}`))?.type === 'file') count++
  }
  return count
}

const grouped = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')

async function status(ctx: MasterContext): Promise<string> {
  const lines = ['PKI migration dry-run (no changes written):']
  let total = 0
  for (const [title, folder] of FOLDERS) {
    const count = await keysIn(ctx, folder)
    total += count
    lines.push(`  ${`${title}:`.padEnd(9)} ${grouped(count)}`)
  }
  return [...lines, `  Total:    ${grouped(total)}`].join('\n')
}

export default defineRunner({
  name: 'pki',
  doc: 'Count the keys of minions.',
  functions: {
    migrate_to_mmap: masterFn({
      doc: 'Count the keys that a migration to an index file would move. The migration itself is not supported: this master keeps keys as files.',
      args: { dry_run: arg.flag('Whether to count only; required', { default: false }) },
      examples: ['salt-run pki.migrate_to_mmap dry_run=True'],
      run: (ctx, { dry_run }) => {
        if (dry_run) return status(ctx)
        throw new SaltError(
          'SaltRunnerError',
          'Keys stay in pki_dir: this master has no cache mmap_key to move them to',
        )
      },
    }),
    status: masterFn({
      doc: 'Return the number of accepted, pending, rejected and denied keys.',
      examples: ['salt-run pki.status'],
      run: status,
    }),
  },
})
