// The `py` renderer: a Python file whose `run()` gives the data. It runs in the system's Python, once per rendering, and
// calls our functions through the pipe; a machine without Python is told so.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { BrineError } from '../../base/mod.ts'
import type { Dict, Value } from '../../data/mod.ts'
import { RenderError, renderError } from '../errors.ts'
import { inputText, withoutShebang } from '../input-text.ts'
import type { RenderContext, Renderer } from '../renderer.ts'
import { script } from './script.ts'
import { type Packed, pack, unpack } from './wire.ts'

export const py: Renderer = {
  name: 'py',
  render: async (input, _args, ctx) => ({ value: await runPython(inputText(input, 'py'), ctx) }),
}

interface Answer {
  call?: string
  args?: Packed
  kwargs?: Packed
  value?: Packed
  error?: string
}

function variables(ctx: RenderContext): Dict {
  const plain = new Map([...ctx.opts].filter(([name]) => name !== 'pillar' && name !== 'grains'))
  const all: Array<[string, Value]> = [
    ['opts', plain],
    ['grains', ctx.grains],
    ['pillar', ctx.pillar],
    ['saltenv', ctx.saltenv],
    ['env', ctx.saltenv],
    ['sls', ctx.sls],
    ['proxy', new Map()],
  ]
  return new Map([
    ...all,
    ...all.map(([name, value]): [string, Value] => [`__${name}__`, value]),
    ...(ctx.context ?? []),
  ])
}

function runPython(source: string, ctx: RenderContext): Promise<Value> {
  const child = spawn('python3', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'] })
  const say = (message: unknown): void => void child.stdin.write(`${JSON.stringify(message)}\n`)
  const answers = createInterface({ input: child.stdout })
  return new Promise<Value>((resolve, reject) => {
    child.once('error', () => reject(noPython(ctx)))
    child.once('close', () => reject(renderError('Python ended before the file was rendered')))
    // a file that ends Python early leaves the rest of its input unread
    child.stdin.on('error', () => {})
    answers.on('line', (line) => {
      const answer = JSON.parse(line) as Answer
      if (answer.call !== undefined) void called(answer, ctx).then(say)
      else if (answer.error !== undefined) reject(renderError(answer.error))
      else resolve(unpack(answer.value ?? null))
    })
    // line numbers stay those of the file
    const text = source.startsWith('#!') ? `\n${withoutShebang(source)}` : source
    const functions = [...(ctx.functions?.names() ?? [])]
    say({ source: text, path: ctx.path ?? '', functions, variables: pack(variables(ctx)) })
  }).finally(() => child.stdin.end())
}

async function called({ call, args, kwargs }: Answer, ctx: RenderContext): Promise<unknown> {
  try {
    const keywords = unpack(kwargs ?? { d: [] }) as Map<string, Value>
    return { value: pack(await ctx.functions!.call(call!, unpack(args ?? []) as Value[], keywords)) }
  } catch (error) {
    return { error: error instanceof BrineError ? error.message : String(error) }
  }
}

function noPython(ctx: RenderContext): RenderError {
  const at = ctx.path === undefined ? {} : { at: { file: ctx.path, line: 1 } }
  return new RenderError('RendererUnavailable', "The renderer 'py' needs python3, which is not on this machine", at)
}
