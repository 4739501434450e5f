// Reads and writes files below the roots of an environment. Paths that lead out of their root are refused.
import { dirname, isAbsolute, join, normalize } from 'node:path/posix'
import { isA, recover } from '../../../../base/mod.ts'
import { type Dict, isDict, isList, str, type Value } from '../../../../data/mod.ts'
import { arg, type Bound, type MasterContext, type MasterFunction, masterFn, rawOption } from '../../../../sdk/mod.ts'

type Option = 'file_roots' | 'pillar_roots'

/** Return the roots of an environment; undefined if there is no such environment. */
function rootsOf({ opts }: MasterContext, option: Option, saltenv: Value): string[] | undefined {
  const all = rawOption(opts, option)
  const own = isDict(all) ? all.get(saltenv) : undefined
  return own !== undefined && isList(own) ? own.map(str) : undefined
}

function inside(root: string, path: string): string | undefined {
  const full = normalize(join(root, path))
  return full.startsWith(`${normalize(root).replace(/\/$/, '')}/`) ? full : undefined
}

/** Return whether bytes are text, by Salt's rule: UTF-8 without zero bytes. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false
  return recover(isA(TypeError), false, () => {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  })
}

interface Found {
  path: string
  bytes: Uint8Array
}

async function find(ctx: MasterContext, option: Option, path: string, saltenv: Value): Promise<Found[]> {
  const found: Found[] = []
  for (const root of rootsOf(ctx, option, saltenv) ?? []) {
    const full = inside(root, path)
    if (full === undefined || (await ctx.host.stat(full))?.type !== 'file') continue
    found.push({ path: full, bytes: await ctx.host.read(full) })
  }
  return found
}

async function tree(ctx: MasterContext, directory: string): Promise<Dict> {
  const found: Dict = new Map()
  if ((await ctx.host.stat(directory))?.type !== 'directory') return found
  for (const name of (await ctx.host.list(directory)).sort()) {
    const path = join(directory, name)
    const isDirectory = (await ctx.host.stat(path))?.type === 'directory'
    found.set(name, isDirectory ? await tree(ctx, path) : 'f')
  }
  return found
}

async function environment(ctx: MasterContext, option: Option, saltenv: Value): Promise<Dict> {
  const found: Dict = new Map()
  for (const root of rootsOf(ctx, option, saltenv) ?? []) found.set(root, await tree(ctx, root))
  return found
}

const saltenv = arg.text('Environment', { default: 'base' })
const path = arg.text('Path below the root')
const writeArgs = {
  data: arg.text('Content of the file'),
  path,
  saltenv,
  index: arg.count('Index of the root, from 0', { default: 0 }),
}

async function write(ctx: MasterContext, option: Option, request: Bound<typeof writeArgs>): Promise<string> {
  const { data, path, saltenv, index } = request
  const roots = rootsOf(ctx, option, saltenv)
  if (!roots) return `Named environment ${saltenv} is not present`
  const root = roots[index]
  if (root === undefined) return `Specified index ${index} in environment ${saltenv} is not present`
  if (isAbsolute(path)) return `The path passed in ${path} is not relative to the environment ${saltenv}`
  const full = inside(root, path)
  if (full === undefined) return option === 'file_roots' ? `Invalid path: ${path}` : 'Invalid path'
  await ctx.host.makeDirectory(dirname(full), { parents: true })
  await ctx.host.write(full, data)
  return `Wrote data to file ${full}`
}

export function rootFunctions(option: Option): Record<string, MasterFunction> {
  return {
    find: masterFn({
      doc: 'Return the files with a path in the roots, and whether each is text.',
      args: { path, saltenv },
      run: async (ctx, { path, saltenv }) =>
        (await find(ctx, option, path, saltenv)).map(
          (file) => new Map<Value, Value>([[file.path, isText(file.bytes) ? 'txt' : 'bin']]),
        ),
    }),
    list_env: masterFn({
      doc: 'Return the files of an environment as trees below its roots.',
      args: { saltenv },
      run: (ctx, { saltenv }) => environment(ctx, option, saltenv),
    }),
    list_roots: masterFn({
      doc: 'Return the files of all environments.',
      run: async (ctx) => {
        const all = rawOption(ctx.opts, option)
        const found: Dict = new Map()
        for (const env of isDict(all) ? all.keys() : []) found.set(env, [await environment(ctx, option, env)])
        return found
      },
    }),
    read: masterFn({
      doc: 'Return the contents of the text files with a path in the roots.',
      args: { path, saltenv },
      run: async (ctx, { path, saltenv }) =>
        (await find(ctx, option, path, saltenv))
          .filter(({ bytes }) => isText(bytes))
          .map((file) => new Map<Value, Value>([[file.path, new TextDecoder().decode(file.bytes)]])),
    }),
    write: masterFn({
      doc: 'Write a file.',
      args: writeArgs,
      run: (ctx, request) => write(ctx, option, request),
    }),
  }
}
