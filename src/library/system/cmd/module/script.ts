// Scripts: fetched or rendered to a temporary file that only its user can run, and removed afterwards.
import { hasCode, recover } from '../../../../base/mod.ts'
import {
  type Dict,
  dictFrom,
  PyError,
  SaltError,
  shlexSplit,
  str,
  textOf,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import { type FunctionContext, option } from '../../../../sdk/mod.ts'
import { execute, shellChoice } from './execute.ts'
import { type Given, given, optionsOf } from './given.ts'
import { pillarContext } from './preparation.ts'

/** Return the extension of a path or URL, with the dot. */
function extensionOf(source: string): string {
  const path = source.replace(/\?saltenv=.*$/, '')
  return /[^/.][^/]*?(\.[^./]*)$/.exec(path)?.[1] ?? ''
}

const FAILED = { pid: 0, retcode: 1, stdout: '', stderr: '', cache_error: true }

export async function runScript(ctx: FunctionContext, args: Given): Promise<Dict> {
  const source = str(given(args, 'source'))
  const saltenv = given(args, 'saltenv') ?? option(ctx.opts, 'saltenv') ?? 'base'
  const cwd = textOf(given(args, 'cwd'))
  const path = await ctx.host.tempFile({
    prefix: '__salt.tmp.',
    suffix: extensionOf(source),
    ...(cwd && { directory: cwd }),
  })
  try {
    if (!(await place(ctx, args, { source, path, saltenv }))) return dictFrom(FAILED)
    const uid = await ownerOf(ctx, given(args, 'runas'))
    await ctx.host.chmod(path, 0o500)
    await ctx.host.chown(path, uid, -1)
    const words = wordsOf(given(args, 'args'))
    const python_shell = words.length > 0 ? false : shellChoice(ctx, args)
    return await attempt(ctx, { ...args, cmd: [path, ...words], python_shell, template: null })
  } finally {
    await ctx.host.remove(path)
  }
}

/** Return the uid of the owner of the script; a missing user is an error. */
async function ownerOf(ctx: FunctionContext, runas: Value): Promise<number> {
  const user = textOf(runas)
  if (user === undefined) return -1
  const found = await ctx.host.user(user)
  if (!found) throw new PyError('TypeError', 'uid should be integer, not str')
  return found.uid
}

function wordsOf(args: Value): Value[] {
  if (!truthy(args)) return []
  if (Array.isArray(args)) return args as Value[]
  return shlexSplit(str(args))
}

interface Script {
  source: string
  path: string
  saltenv: Value
}

/** Write the script to its temporary file; return false if it cannot be fetched. */
async function place(ctx: FunctionContext, args: Given, { source, path, saltenv }: Script): Promise<boolean> {
  const template = given(args, 'template')
  if (truthy(template)) {
    const context = await pillarContext(ctx, args)
    const kwargs = new Map(
      [...optionsOf(args), ...context].filter(([name, value]) => name !== 'pillar' || value !== null),
    )
    return truthy(await ctx.call('cp.get_template', [source, path, template, saltenv], kwargs))
  }
  const cached = textOf(await ctx.call('cp.cache_file', [source, saltenv]))
  if (!cached) return false
  return recover(hasCode('ENOENT'), false, async () => {
    await ctx.host.copy(cached, path)
    return true
  })
}

/** Run the script; if it cannot start, return nothing and log the reason. */
async function attempt(ctx: FunctionContext, args: Given): Promise<Dict> {
  try {
    return await execute(ctx, args, 'apart')
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    ctx.log('error', `cmd.script: Unable to run script '${str(given(args, 'cmd'))}': ${error.message}`)
    return new Map()
  }
}
