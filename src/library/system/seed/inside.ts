// Paths inside of an image. A link is followed as the running image would follow it, so that no link leads to files of
// this machine.
import { dirname, join, normalize } from 'node:path/posix'
import { failure } from '../../../data/mod.ts'
import type { FunctionContext } from '../../../sdk/mod.ts'

/** Links after which a path leads nowhere. */
const MOST_LINKS = 40

/** Return the path on this machine for a path of the image. Missing parts are taken literally. */
export async function inside({ host }: FunctionContext, root: string, path: string): Promise<string> {
  let [done, waiting, links] = ['/', normalize(`/${path}`).split('/').filter(Boolean), 0]
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (name === '..') {
      done = dirname(done)
      continue
    }
    const next = join(done, name)
    if ((await host.lstat(join(root, next)))?.type !== 'link') {
      done = next
      continue
    }
    links++
    if (links > MOST_LINKS) throw failure(`${path} of the image leads through too many links`)
    const target = await host.readLink(join(root, next))
    if (target.startsWith('/')) done = '/'
    waiting = [...target.split('/').filter((part) => part !== '' && part !== '.'), ...waiting]
  }
  return join(root, done)
}

/** Write a file of the image, with the folders above it. */
export async function writeInside(
  ctx: FunctionContext,
  root: string,
  file: { path: string; content: string; mode: number },
): Promise<void> {
  const place = await inside(ctx, root, file.path)
  await ctx.host.makeDirectory(dirname(place), { parents: true })
  await ctx.host.write(place, file.content, { mode: file.mode })
  await ctx.host.chmod(place, file.mode)
}

/** Create a link in the image, replacing an existing file. */
export async function linkInside(ctx: FunctionContext, root: string, target: string, path: string): Promise<void> {
  const place = join(await inside(ctx, root, dirname(path)), path.slice(path.lastIndexOf('/') + 1))
  await ctx.host.makeDirectory(dirname(place), { parents: true })
  if (await ctx.host.lstat(place)) await ctx.host.remove(place)
  await ctx.host.symlink(target, place)
}
