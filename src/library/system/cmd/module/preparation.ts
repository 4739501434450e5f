// Preparation of commands: templates, and the lists of commands that operators may run.
import { toError } from '../../../../base/mod.ts'
import {
  failure,
  fnmatch,
  isList,
  qualifiedTypeName,
  SaltError,
  str,
  textOf,
  truthy,
  typeError,
  type Value,
} from '../../../../data/mod.ts'
import { type FunctionContext, option } from '../../../../sdk/mod.ts'
import { type Given, given } from './given.ts'

const ENGINES = new Set(['cheetah', 'genshi', 'jinja', 'mako', 'py', 'wempy'])

/** Render the command and its directory with `template`. */
export async function renderCommand(
  ctx: FunctionContext,
  args: Given,
  cwd: string,
): Promise<{ cmd: Value; cwd: string }> {
  const cmd = given(args, 'cmd')
  const template = given(args, 'template')
  if (!truthy(template)) return { cmd, cwd }
  const renderer = str(template)
  if (!ENGINES.has(renderer)) {
    throw failure(`Attempted to render file paths with unavailable engine ${renderer}`)
  }
  const saltenv = str(given(args, 'saltenv') ?? option(ctx.opts, 'saltenv') ?? 'base')
  const context = await pillarContext(ctx, args)
  const render = async (value: Value): Promise<string> => {
    const text = textOf(value)
    if (text === undefined) {
      throw typeError(`expected str, bytes, or bytearray not <class '${qualifiedTypeName(value)}'>`)
    }
    try {
      return str(await ctx.render({ text, renderer, saltenv, context, asFile: true }))
    } catch (error) {
      if (toError(error).name === 'SaltRenderError') throw error
      const reason = toError(error).message
      throw new SaltError('CommandExecutionError', `Failed to execute cmd with error: ${reason}`, { cause: error })
    }
  }
  return { cmd: await render(cmd), cwd: await render(cwd) }
}

/** Return a fresh pillar if the caller names another environment or gives values. */
export async function pillarContext(ctx: FunctionContext, args: Given): Promise<Map<string, Value>> {
  const pillarenv = given(args, 'pillarenv')
  const override = given(args, 'pillar_override') ?? given(args, 'pillar')
  if (pillarenv === null && override === null) return new Map()
  const pillar = await ctx.freshPillar({
    pillarenv: textOf(pillarenv ?? option(ctx.opts, 'pillarenv')) ?? null,
    override: override instanceof Map ? override : null,
    overrideEncoding: null,
  })
  return new Map<string, Value>([['pillar', pillar]])
}

/** Return whether `cmd_blacklist_glob` and `cmd_whitelist_glob` permit the command. */
export async function isPermitted(ctx: FunctionContext, cmd: Value): Promise<boolean> {
  const line = isList(cmd) ? cmd.map(str).join(' ') : str(cmd)
  const globs = async (option: string): Promise<string[]> => {
    const value = ctx.has('config.get') ? await ctx.call('config.get', [option, []]) : (ctx.opts.get(option) ?? [])
    return isList(value) ? value.map(str) : []
  }
  const refused = await globs('cmd_blacklist_glob')
  const allowed = await globs('cmd_whitelist_glob')
  const matches = (glob: string): boolean => fnmatch(line, glob)
  return !refused.some(matches) && (allowed.length === 0 || allowed.some(matches))
}
