// `state.pkg`: a state run packed as a tarball. It holds `lowstate.json`, optionally `pillar.json` and
// `roster_grains.json`, and one folder for each environment with the files that the states use. For a tarball that is
// missing, has another hash or has members outside of its folder, the function returns an empty dict, as Salt does.
import { type Dict, decodeBytes, failure, isDict, loadJson, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { type Further, openRun } from './options.ts'
import { setRetcode } from './retcode.ts'

export interface StatePackage {
  pkg_path: string
  pkg_sum: string
  hash_type: string
  test: Value
  kwargs: Further
}

export async function applyPackage(ctx: FunctionContext, state: StatePackage): Promise<Value> {
  // states of a machine over SSH are rendered here, and the tarball is on that machine
  if (ctx.host.remote) throw failure('state.pkg does not run over SSH: the target could put anything into the tarball')
  if (!(await isSound(ctx, state))) return new Map()
  const root = await ctx.host.tempDirectory()
  try {
    await ctx.call('archive.tar', ['xzf', state.pkg_path], { dest: root })
    return await applyUnpacked(ctx, root, state)
  } finally {
    await ctx.host.removeDirectory(root, { recursive: true })
  }
}

async function isSound(ctx: FunctionContext, { pkg_path, pkg_sum, hash_type }: StatePackage): Promise<boolean> {
  if ((await ctx.host.stat(pkg_path))?.type !== 'file') return false
  if ((await ctx.call('file.get_hash', [pkg_path, hash_type])) !== pkg_sum) return false
  const [first, second] = await ctx.host.read(pkg_path, { offset: 0, length: 2 })
  if (first !== 0x1f || second !== 0x8b) throw failure('not a gzip file')
  const members = (await ctx.call('archive.list', [pkg_path], { archive_format: 'tar' })) as string[]
  return !members.some((path) => path.startsWith('/') || path.includes('../'))
}

async function applyUnpacked(ctx: FunctionContext, root: string, { test, kwargs }: StatePackage): Promise<Value> {
  const lowstate = await jsonOf(ctx, `${root}/lowstate.json`)
  if (!Array.isArray(lowstate) || !lowstate.every(isDict)) return lowstate
  const pillar = (await jsonIfThere(ctx, `${root}/pillar.json`)) ?? null
  const grains = (await jsonIfThere(ctx, `${root}/roster_grains.json`)) ?? null
  const run = await openRun(ctx, {
    kwargs,
    test,
    own: { roots: await rootsIn(ctx, root), pillar, ...(isDict(grains) && { grains }) },
  })
  const { chunks, errors } = await run.orderLow(lowstate)
  const ret = errors.length > 0 ? errors : await run.callChunks(chunks)
  setRetcode(ctx, ret)
  return ret
}

const jsonOf = async (ctx: FunctionContext, path: string): Promise<Value> =>
  loadJson(decodeBytes(await ctx.host.read(path)))

async function jsonIfThere(ctx: FunctionContext, path: string): Promise<Value | undefined> {
  return (await ctx.host.stat(path))?.type === 'file' ? jsonOf(ctx, path) : undefined
}

/** Return the file roots: each folder of the tarball is an environment. */
async function rootsIn(ctx: FunctionContext, root: string): Promise<Dict> {
  const roots: Dict = new Map()
  for (const name of await ctx.host.list(root)) {
    const path = `${root}/${name}`
    if ((await ctx.host.stat(path))?.type === 'directory') roots.set(name, [path])
  }
  return roots
}
