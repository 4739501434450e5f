// Templates of `cp`: in the names of files, and in what is fetched.
import { toError } from '../../../../base/mod.ts'
import { decodeBytes, SaltError, str, textOf, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, option } from '../../../../sdk/mod.ts'

const ENGINES = new Set(['cheetah', 'genshi', 'jinja', 'mako', 'py', 'wempy'])

interface NameOptions {
  template: Value
  saltenv: string
  options: ReadonlyMap<string, Value>
}

/** Names with the template applied to each, when there is one. */
export async function renderNames(
  ctx: FunctionContext,
  names: readonly Value[],
  { template, saltenv, options }: NameOptions,
): Promise<string[]> {
  if (!truthy(template)) return names.map((name) => str(name))
  const renderer = str(template)
  if (!ENGINES.has(renderer)) {
    throw new SaltError('CommandExecutionError', `Attempted to render file paths with unavailable engine ${renderer}`)
  }
  const context = await pillarContext(ctx, options)
  const rendered: string[] = []
  for (const name of names) {
    try {
      rendered.push(str(await ctx.render({ text: str(name), renderer, saltenv, context, asFile: true })))
    } catch (error) {
      const reason = toError(error).message
      throw new SaltError('CommandExecutionError', `Failed to render file path with error: ${reason}`, { cause: error })
    }
  }
  return rendered
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
  /** Where the template is, or False. */
  source: Value
  dest: string
  template: string
  saltenv: string
  makedirs: boolean
  options: ReadonlyMap<string, Value>
}

/** Where the rendered file is; empty when it could not be made, and the log says why. */
export async function renderTemplate(ctx: FunctionContext, request: TemplateRequest): Promise<string> {
  const { dest, template, saltenv, makedirs, options } = request
  const source = textOf(request.source)
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
    text = str(await ctx.render({ text: raw, renderer: template, saltenv, context, asFile: true }))
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
