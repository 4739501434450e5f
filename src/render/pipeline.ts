// Runs a text through its pipe of renderers. As in Salt, a pipe with an unknown renderer is logged and gives an empty
// dict; a renderer that `renderer_whitelist` or `renderer_blacklist` excludes is skipped.
import { isUtf8 } from 'node:buffer'
import { readFile, stat } from 'node:fs/promises'
import { didYouMean, isAskedByTarget } from '../base/mod.ts'
import { contains, decodeBytes, PyError, type Value } from '../data/mod.ts'
import type { LineMap } from '../jinja/mod.ts'
import { absentRenderers } from './absent-renderers.ts'
import { dataRenderers } from './data-renderers.ts'
import { firstLine, RenderError } from './errors.ts'
import { gpg } from './gpg.ts'
import { jinja } from './jinja-renderer.ts'
import { tellRendered, timing } from './logged-text.ts'
import { nacl } from './nacl.ts'
import { pythonRenderers, userRenderer } from './python/py-renderer.ts'
import type { RenderContext, Renderer } from './renderer.ts'
import { parsePipe, parseShebang, type Stage } from './shebang.ts'
import { stateconf } from './stateconf.ts'

export interface RenderOptions extends Omit<RenderContext, 'sls' | 'saltenv'> {
  /** The pipe for a text without a shebang line; the `renderer` option when not given. */
  renderer?: string
  saltenv?: string
  sls?: string
  /** Renderers in addition to the built-in ones, such as those of users. */
  renderers?: Iterable<Renderer>
  /** Throw for a renderer that does not exist, which Salt only logs. */
  strict?: boolean
}

export interface Rendered {
  /** The result of the last renderer; text if no renderer parsed data. */
  value: Value
  /** Map a line of the text that was parsed to a line of the original; both count from 1. */
  sourceLine(line: number): number
}

const PLAIN: readonly Renderer[] = [jinja, ...dataRenderers, gpg, nacl, ...pythonRenderers, ...absentRenderers]
const BUILT_IN: readonly Renderer[] = [...PLAIN, stateconf(PLAIN)]

/** The renderers that work here. */
export const rendererNames: readonly string[] = BUILT_IN.filter((one) => !absentRenderers.includes(one)).map(
  ({ name }) => name,
)

export async function renderText(text: string, options: RenderOptions): Promise<Rendered> {
  const ctx: RenderContext = { ...options, saltenv: options.saltenv ?? 'base', sls: options.sls ?? '' }
  const named = options.asFile ? undefined : parseShebang(text)
  const pipe = named ?? options.renderer ?? pipeOption(ctx)
  const renderers = new Map([...BUILT_IN, ...(options.renderers ?? [])].map((r) => [r.name, r]))
  const stages = resolve(pipe, ctx, renderers)
  if (stages instanceof RenderError) {
    if (named !== undefined) stages.at = firstLine(ctx)
    if (options.strict) throw stages
    const { message, hint, at } = stages
    const where = at?.file === undefined ? '' : `${at.file}:${at.line}: `
    ctx.log?.('error', `${where}${hint === undefined ? message : `${message}. ${hint}`}`)
    return { value: new Map(), sourceLine: (line) => line }
  }
  refuseForTarget(stages, ctx)
  let value: Value = stages.length === 0 ? new Map() : text
  let lines: { text: string; map: LineMap } | undefined
  for (const { renderer, args } of stages) {
    const ended = timing(ctx.log, ctx)
    try {
      const output = await renderer.render(value, args, ctx)
      value = output.value
      ended(renderer.name)
      if (renderer.name === 'jinja') tellRendered(String(value), ctx)
      if (output.lines) lines = { text: String(value), map: output.lines }
    } catch (error) {
      if (error instanceof RenderError && lines && error.at && renderer.name !== 'jinja') {
        error.at.line = lines.map.lineOf(lines.text, error.at.line)
      }
      throw error
    }
  }
  if (typeof value === 'string' && text.includes('\r\n') && !value.includes('\r\n')) {
    value = value.replaceAll('\n', '\r\n')
  }
  return { value, sourceLine: (line) => (lines ? lines.map.lineOf(lines.text, line) : line) }
}

function pipeOption(ctx: RenderContext): string {
  const configured = ctx.opts.get('renderer')
  return typeof configured === 'string' ? configured : 'jinja|yaml'
}

interface ResolvedStage {
  renderer: Renderer
  args: string
}

/** Templates can read files and run code here, so a target may only have data read from its texts. */
function refuseForTarget(stages: readonly { renderer: Renderer }[], ctx: RenderContext): void {
  if (!isAskedByTarget()) return
  const other = stages.find(({ renderer }) => !dataRenderers.includes(renderer))
  if (!other) return
  const text = `The renderer '${other.renderer.name}' is refused for a text of the target, or of a caller with rights on the target alone`
  throw new RenderError('RendererUnavailable', text, { at: firstLine(ctx) })
}

function resolve(
  pipe: string,
  ctx: RenderContext,
  renderers: ReadonlyMap<string, Renderer>,
): ResolvedStage[] | RenderError {
  const resolved: ResolvedStage[] = []
  for (const stage of parsePipe(pipe)) {
    if (isExcluded(stage, ctx)) {
      ctx.log?.('warning', `The renderer "${stage.name}" is disallowed by configuration and will be skipped.`)
      continue
    }
    const renderer = renderers.get(stage.name) ?? userRenderer(stage.name, ctx.opts)
    if (!renderer) {
      const hint = didYouMean(stage.name, renderers.keys())
      return new RenderError('RendererUnavailable', `The renderer "${pipe}" is not available`, { hint })
    }
    resolved.push({ renderer, args: stage.args })
  }
  return resolved
}

function isExcluded({ name }: Stage, { opts }: RenderContext): boolean {
  const allowed = opts.get('renderer_whitelist')
  const refused = opts.get('renderer_blacklist')
  return (isFilled(allowed) && !contains(allowed, name)) || (isFilled(refused) && contains(refused, name))
}

/** A text contains all names that are substrings of it, like Python's `in`. */
const isFilled = (value: Value | undefined): value is Value[] | string =>
  (Array.isArray(value) || typeof value === 'string') && value.length > 0

/** Render a file on disk; as in Salt, a missing or blank file gives an empty dict. */
export async function renderFile(path: string, options: RenderOptions): Promise<Rendered> {
  const text = await textOf(path)
  if (text === undefined) options.log?.('error', `Template does not exist: ${path}`)
  else if (text.trim() === '') options.log?.('error', `Template is nothing but whitespace: ${path}`)
  else return renderText(text, { ...options, path: options.path ?? path })
  return { value: new Map(), sourceLine: (line) => line }
}

/** Read a file with Python's universal line breaks. */
async function textOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (!found?.isFile()) return undefined
  const bytes = await readFile(path)
  // packed data is no text, but has a line of text before it
  if (/^#!\s*msgpack\b/.test(bytes.toString('latin1', 0, 64))) return bytes.toString('latin1')
  try {
    return decodeBytes(bytes).replace(/\r\n?/g, '\n')
  } catch (error) {
    if (error instanceof PyError) error.at = { file: path, line: firstUnreadableLine(bytes) }
    throw error
  }
}

function firstUnreadableLine(bytes: Buffer): number {
  let line = 1
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf('\n', start)
    const next = end < 0 ? bytes.length : end + 1
    if (!isUtf8(bytes.subarray(start, next))) return line
    start = next
  }
  return line
}
