// Trees of directories, walked from the top as os.walk does: links to directories are listed and not entered.
import { isDirectory, isHostError, isLink, joinPaths, type StateContext } from '../../../../sdk/mod.ts'

export interface Step {
  root: string
  dirs: string[]
  files: string[]
}

/** Return the content of a directory, or undefined when it cannot be read. */
async function parted(ctx: StateContext, root: string): Promise<Step | undefined> {
  let names: string[]
  try {
    names = await ctx.host.list(root)
  } catch (error) {
    if (isHostError(error)) return undefined
    throw error
  }
  const step: Step = { root, dirs: [], files: [] }
  for (const name of names) {
    const list = (await isDirectory(ctx, joinPaths(root, name))) ? step.dirs : step.files
    list.push(name)
  }
  return step
}

export interface WalkOptions {
  bottomUp?: boolean
  followLinks?: boolean
}

export async function walk(ctx: StateContext, top: string, options: WalkOptions = {}): Promise<Step[]> {
  const step = await parted(ctx, top)
  if (!step) return []
  const below: Step[] = []
  for (const name of step.dirs) {
    const path = joinPaths(top, name)
    if (options.followLinks || !(await isLink(ctx, path))) below.push(...(await walk(ctx, path, options)))
  }
  return options.bottomUp ? [...below, step] : [step, ...below]
}

const depthOf = (path: string): number => path.replace(/\/+$/, '').split('/').length

export async function depthLimitedWalk(ctx: StateContext, top: string, maxDepth: number | null): Promise<Step[]> {
  const steps = await walk(ctx, top)
  if (maxDepth === null) return steps
  return steps.filter(({ root }) => depthOf(root) - depthOf(top) < maxDepth)
}
