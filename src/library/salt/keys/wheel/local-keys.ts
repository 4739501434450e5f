// The keys of the master by their file names. Salt 3008 stores them under the name of the master, with `master.pem` and
// `master.pub` as links; keys stored under these two names are shown with the name of the master.
import { join } from 'node:path/posix'
import { type MasterContext, option } from '../../../../sdk/mod.ts'

export const masterName = (ctx: MasterContext): string => (option(ctx.opts, 'id') || 'master').replace(/_master$/, '')

/** Return the paths of the key files by name, sorted by name. */
export async function localKeys(ctx: MasterContext): Promise<Map<string, string>> {
  const folder = option(ctx.opts, 'pki_dir')
  const files = (await ctx.host.list(folder)).filter((name) => /\.(pem|pub)$/.test(name))
  const shown = (file: string): string => file.replace(/^master(?=\.\w+$)/, masterName(ctx))
  const found = new Map(files.map((file) => [shown(file), join(folder, file)]))
  const byName = [...found].sort(([one], [other]) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))
  return new Map(byName)
}
