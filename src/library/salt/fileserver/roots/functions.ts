// Files below the directories that an option names for each environment. Paths that lead out of their root are refused.
import { dirname, isAbsolute, join, normalize } from 'node:path/posix'
import { type Dict, isDict, isList, numberOf, str, type Value } from '../../../../data/mod.ts'
import { arg, type MasterContext, type MasterFunction, masterFn, rawOption } from '../../../../sdk/mod.ts'

type Option = 'file_roots' | 'pillar_roots'

/** The directories of an environment; undefined when there is no such environment. */
function rootsOf({ opts }: MasterContext, option: Option, saltenv: Value): string[] | undefined {
  const all = rawOption(opts, option)
  const own = isDict(all) ? all.get(saltenv) : undefined
  return own !== undefined && isList(own) ? own.map(str) : undefined
}

function inside(root: string, path: string): string | undefined {
  const full = normalize(join(root, path))
  return full.startsWith(`${normalize(root).replace(/\/$/, '')}/`) ? full : undefined
}

/** As Salt tells text from other bytes: no zero bytes, and UTF-8. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
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

interface Writing {
  data: Value
  path: Value
  saltenv: Value
  index: Value
}

async function write(ctx: MasterContext, option: Option, { data, path, saltenv, index }: Writing): Promise<string> {
  const roots = rootsOf(ctx, option, saltenv)
  const [env, name] = [str(saltenv), str(path)]
  if (!roots) return `Named environment ${env} is not present`
  const root = roots[numberOf(index) ?? 0]
  if (root === undefined) return `Specified index ${str(index)} in environment ${env} is not present`
  if (isAbsolute(name)) return `The path passed in ${name} is not relative to the environment ${env}`
  const full = inside(root, name)
  if (full === undefined) return option === 'file_roots' ? `Invalid path: ${name}` : 'Invalid path'
  await ctx.host.makeDirectory(dirname(full), { parents: true })
  await ctx.host.write(full, str(data))
  return `Wrote data to file ${full}`
}

const saltenv = arg.any('The environment', { default: 'base' })
const path = arg.text('A path below the root')

export function rootFunctions(option: Option): Record<string, MasterFunction> {
  return {
    find: masterFn({
      doc: 'Where a path is a file, and whether it is text.',
      args: { path, saltenv },
      run: async (ctx, { path, saltenv }) =>
        (await find(ctx, option, path, saltenv)).map(
          (file) => new Map<Value, Value>([[file.path, isText(file.bytes) ? 'txt' : 'bin']]),
        ),
    }),
    list_env: masterFn({
      doc: 'The files of an environment, as trees below its roots.',
      args: { saltenv },
      run: (ctx, { saltenv }) => environment(ctx, option, saltenv),
    }),
    list_roots: masterFn({
      doc: 'The files of all environments.',
      args: {},
      run: async (ctx) => {
        const all = rawOption(ctx.opts, option)
        const found: Dict = new Map()
        for (const env of isDict(all) ? all.keys() : []) found.set(env, [await environment(ctx, option, env)])
        return found
      },
    }),
    read: masterFn({
      doc: 'What text files of that path say.',
      args: { path, saltenv },
      run: async (ctx, { path, saltenv }) =>
        (await find(ctx, option, path, saltenv))
          .filter(({ bytes }) => isText(bytes))
          .map((file) => new Map<Value, Value>([[file.path, new TextDecoder().decode(file.bytes)]])),
    }),
    write: masterFn({
      doc: 'Writes a file.',
      args: {
        data: arg.any('What it is to say'),
        path,
        saltenv,
        index: arg.any('Which of the roots, from 0', { default: 0 }),
      },
      run: (ctx, wish) => write(ctx, option, wish),
    }),
  }
}
