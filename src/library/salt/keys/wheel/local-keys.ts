// The keys of the master itself, by the names of their files. Salt 3008 keeps its pair under the master's name, with
// `master.pem` and `master.pub` as links; a pair that lies under these names still is shown as the other.
import { join } from 'node:path/posix'
import { type MasterContext, option } from '../../../../sdk/mod.ts'

export const masterName = (ctx: MasterContext): string => (option(ctx.opts, 'id') || 'master').replace(/_master$/, '')

/** Their files by name, in the order of the names. */
export async function localKeys(ctx: MasterContext): Promise<Map<string, string>> {
  const folder = option(ctx.opts, 'pki_dir')
  const files = (await ctx.host.list(folder)).filter((name) => /\.(pem|pub)$/.test(name))
  const shown = (file: string): string => file.replace(/^master(?=\.\w+$)/, masterName(ctx))
  const found = new Map(files.map((file) => [shown(file), join(folder, file)]))
  const byName = [...found].sort(([one], [other]) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))
  return new Map(byName)
}
