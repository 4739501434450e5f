// Templates of `cp`: in the paths of files, and in their contents.
import { toError } from '../../../../base/mod.ts'
import { decodeBytes, failure, SaltError, str, textOf, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, option } from '../../../../sdk/mod.ts'

const ENGINES = new Set(['cheetah', 'genshi', 'jinja', 'mako', 'py', 'wempy'])

interface NameOptions {
  template: string | null
  saltenv: string
  options: ReadonlyMap<string, Value>
}

/** Render a pair of paths, if there is a template engine. */
export async function renderNames(
  ctx: FunctionContext,
  paths: readonly [string, string],
  { template, saltenv, options }: NameOptions,
): Promise<readonly [string, string]> {
  if (!template) return paths
  if (!ENGINES.has(template)) {
    throw failure(`Attempted to render file paths with unavailable engine ${template}`)
  }
  const context = await pillarContext(ctx, options)
  const render = async (text: string): Promise<string> =>
    str(await ctx.render({ text, renderer: template, saltenv, context, asFile: true }))
  try {
    return [await render(paths[0]), await render(paths[1])]
  } catch (error) {
    const reason = toError(error).message
    throw new SaltError('CommandExecutionError', `Failed to render file path with error: ${reason}`, { cause: error })
  }
}

async function pillarContext(ctx: FunctionContext, options: ReadonlyMap<string, Value>): Promise<Map<string, Value>> {
  if (!options.has('pillarenv') && !options.has('pillar')) return new Map()
  const override = options.get('pillar')
  const pillar = await ctx.freshPillar({
    pillarenv: textOf(options.get('pillarenv') ?? option(ctx.opts, 'pillarenv')) ?? null,
    override: override instanceof Map ? override : null,
    overrideEncoding: null,
  })
  return new Map<string, Value>([['pillar', pillar]])
}

interface TemplateRequest {
  /** Path of the template, or False. */
  source: string | false
  dest: string
  template: string
  saltenv: string
  makedirs: boolean
  options: ReadonlyMap<string, Value>
}

/** Return the path of the rendered file; if rendering fails, log the reason and return an empty text. */
export async function renderTemplate(ctx: FunctionContext, request: TemplateRequest): Promise<string> {
  const { source, dest, template, saltenv, makedirs, options } = request
  if (!source || !(await ctx.host.stat(source))) return ''
  if (!ENGINES.has(template)) {
    ctx.log('error', `Attempted to render template with unavailable engine ${template}`)
    return ''
  }
  const given = options.get('context')
  const context = new Map<string, Value>(options)
  if (given instanceof Map) for (const [name, value] of given) context.set(str(name), value)
  let text: string
  try {
    const raw = decodeBytes(await ctx.host.read(source))
    text = str(await ctx.render({ text: raw, from: source, renderer: template, saltenv, context, asFile: true }))
  } catch (error) {
    if (toError(error).name === 'SaltRenderError') throw error
    ctx.log('error', `Failed to render template with error: ${toError(error).message}`)
    return ''
  }
  const directory = dest.slice(0, dest.lastIndexOf('/')) || '/'
  if ((await ctx.host.stat(directory))?.type !== 'directory') {
    if (!makedirs) return ''
    await ctx.host.makeDirectory(directory, { parents: true })
  }
  await ctx.host.write(dest, text, { mode: 0o600 })
  return dest
}
