// Sends files to the master in chunks. The master stores them below a directory of this minion.
import { basename, isAbsolute, join, normalize } from 'node:path/posix'
import { dictFrom, fnmatch, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, option } from '../../../../sdk/mod.ts'

interface PushRequest {
  path: string
  keep_symlinks: boolean
  upload_path: string | null
  remove_source: boolean
}

const leadsUp = (path: string): boolean => path.includes('../') || !isAbsolute(path)

export async function pushFile(ctx: FunctionContext, request: PushRequest): Promise<Value> {
  if (leadsUp(request.path)) return false
  const { host, opts } = ctx
  if ((await host.stat(request.path))?.type !== 'file') return false
  const path = request.keep_symlinks ? request.path : await host.realPath(request.path)
  const given = request.upload_path || path
  if (given.includes('../')) return false
  const words = normalize(given.replace(/^\/+/, ''))
    .split('/')
    .filter((word) => word !== '')
  const { size } = (await host.stat(path))!
  const length = option(opts, 'file_buffer_size')
  for (let offset = 0; offset === 0 || offset < size; offset += length) {
    const data = await host.read(path, { offset, length })
    const load = { cmd: '_file_recv', id: option(opts, 'id'), path: words, size, loc: offset, data }
    const taken = (await ctx.daemon?.askMaster(dictFrom(load))) ?? false
    if (!truthy(taken)) {
      ctx.log(
        'error',
        "cp.push Failed transfer failed. Ensure master has 'file_recv' set to 'True' and that the file is not larger " +
          "than the 'file_recv_size_max' setting on the master.",
      )
      return taken
    }
  }
  if (request.remove_source) await host.remove(path)
  return true
}

/** Return the files below a directory. */
async function filesBelow(ctx: FunctionContext, directory: string): Promise<string[]> {
  const found: string[] = []
  for (const name of (await ctx.host.list(directory)).sort()) {
    const path = join(directory, name)
    const type = (await ctx.host.lstat(path))?.type
    if (type === 'directory') found.push(...(await filesBelow(ctx, path)))
    else found.push(path)
  }
  return found
}

interface PushDirectoryRequest {
  path: string
  glob: string | null
  upload_path: string | null
}

export async function pushDirectory(ctx: FunctionContext, request: PushDirectoryRequest): Promise<Value> {
  if (leadsUp(request.path)) return false
  const { glob, upload_path } = request
  const type = (await ctx.host.stat(request.path))?.type
  const push = (path: string, target: string | null): Promise<Value> =>
    pushFile(ctx, { path, keep_symlinks: false, upload_path: target, remove_source: false })
  if (type === 'file') return push(request.path, upload_path)
  if (type !== 'directory') return false
  const root = await ctx.host.realPath(request.path)
  const all = await filesBelow(ctx, root)
  const files = glob === null ? all : all.filter((file) => fnmatch(basename(file), glob))
  for (const file of files) {
    const target = upload_path ? join('/', upload_path, file.slice(root.length)) : null
    const pushed = await push(file, target)
    if (!truthy(pushed)) return pushed
  }
  return files.length > 0
}
