// Downloaded package files of yum, dnf and zypper.
import { type Dict, dictFrom, isDict, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, namesIn } from '../../../../sdk/mod.ts'

import { isoTime } from './package.ts'

async function rpmFiles(ctx: FunctionContext, folder: string): Promise<string[]> {
  const found: string[] = []
  for (const name of await namesIn(ctx.host, folder)) {
    const path = `${folder}/${name}`
    if ((await ctx.host.lstat(path))?.type === 'directory') found.push(...(await rpmFiles(ctx, path)))
    else if (name.endsWith('.rpm')) found.push(path)
  }
  return found
}

/** Return the package files below a directory, by name and version. */
export async function packageFiles(ctx: FunctionContext, folder: string): Promise<Dict> {
  const found = new Map<Value, Dict>()
  for (const path of await rpmFiles(ctx, folder)) {
    const facts = await ctx.call('lowpkg.bin_pkg_info', [path])
    const stat = await ctx.host.stat(path)
    if (!isDict(facts) || stat === undefined) continue
    const seconds = Math.trunc(stat.ctime)
    const entry = { path, size: stat.size, creation_date_time_t: seconds, creation_date_time: isoTime(seconds) }
    const name = facts.get('name')!
    found.set(name, new Map([...(found.get(name) ?? []), [facts.get('version')!, dictFrom(entry)]]))
  }
  return new Map(found)
}
