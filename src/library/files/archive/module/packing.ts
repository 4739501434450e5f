// Creating and unpacking zip archives without a program.
import { isAbsolute, join, relative } from 'node:path/posix'
import { toError } from '../../../../base/mod.ts'
import { decodeBytes, failure, misuse } from '../../../../data/mod.ts'
import { type FunctionContext, isHostError } from '../../../../sdk/mod.ts'
import { isZipLink, readZip, type ZipMember, zipData } from './zip-reader.ts'
import { ZipWriter } from './zip-writer.ts'

export async function makeZip(
  ctx: FunctionContext,
  path: string,
  sources: string[],
  cwd: string | null,
): Promise<string[]> {
  if (!cwd) {
    if (sources.some((source) => !isAbsolute(source))) throw misuse("Relative paths require the 'cwd' parameter")
  } else if (!isAbsolute(cwd)) throw misuse('cwd must be absolute')
  const base = cwd || undefined
  const writer = new ZipWriter()
  const names: string[] = []
  try {
    for (const given of sources) {
      const source = base === undefined ? given : isAbsolute(given) ? given : join(base, given)
      const root = base !== undefined && source.startsWith(base) ? base : '/'
      await add(ctx, writer, names, source, root)
    }
    await ctx.host.write(path, writer.finish())
  } catch (error) {
    if (!isHostError(error)) throw error
    throw failure(`Exception encountered creating zipfile: ${error.message}`)
  }
  return names
}

async function add(
  ctx: FunctionContext,
  writer: ZipWriter,
  names: string[],
  path: string,
  root: string,
): Promise<void> {
  const stat = await ctx.host.stat(path)
  if (stat === undefined) return
  const name = relative(root, path) || '.'
  if (stat.type !== 'directory') {
    names.push(name)
    writer.add(name, stat, await ctx.host.read(path))
    return
  }
  names.push(`${name}/`)
  writer.add(name, stat, new Uint8Array())
  const children = await Promise.all(
    (await ctx.host.list(path)).map(async (child) => ({
      path: join(path, child),
      isDirectory: (await ctx.host.lstat(join(path, child)))?.type === 'directory',
    })),
  )
  // the files of a directory come before its directories
  for (const child of children) if (!child.isDirectory) await add(ctx, writer, names, child.path, root)
  for (const child of children) if (child.isDirectory) await add(ctx, writer, names, child.path, root)
}

export interface Unpacking {
  path: string
  target: string
  excludes: readonly string[]
  permissions: boolean
}

export async function unpackZip(
  ctx: FunctionContext,
  { path, target, excludes, permissions }: Unpacking,
): Promise<string[]> {
  const names: string[] = []
  try {
    for (const member of await readZip(ctx, path)) {
      if (excludes.includes(member.name)) continue
      await extract(ctx, path, member, target, permissions)
      names.push(member.name)
    }
  } catch (error) {
    throw failure(`Exception encountered unpacking zipfile: ${toError(error).message}`)
  }
  return names
}

/** Return the path of a member below the target; as in Python, parts that lead upwards are dropped. */
const safePath = (target: string, name: string): string =>
  join(target, ...name.split('/').filter((part) => part !== '' && part !== '.' && part !== '..'))

async function extract(
  ctx: FunctionContext,
  archive: string,
  member: ZipMember,
  target: string,
  permissions: boolean,
): Promise<void> {
  const path = safePath(target, member.name)
  if (member.encrypted) throw failure(`File '${member.name}' is encrypted, password required for extraction`)
  if (isZipLink(member)) {
    await ctx.host.symlink(decodeBytes(await zipData(ctx, archive, member)), path)
    return
  }
  if (member.name.endsWith('/')) await ctx.host.makeDirectory(path, { parents: true })
  else {
    await ctx.host.makeDirectory(join(path, '..'), { parents: true })
    await ctx.host.write(path, await zipData(ctx, archive, member))
  }
  if (!permissions) return
  const usual = (member.name.endsWith('/') ? 0o777 : 0o666) & ~(await ctx.host.umask())
  await ctx.host.chmod(path, member.mode === 0 ? usual : member.mode & 0o7777)
}
