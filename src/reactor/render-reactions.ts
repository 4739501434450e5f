// The files of a rule rendered for an event, into high data of reactions. A file that cannot be rendered keeps the others
// from nothing.
import { readFileSync } from 'node:fs'
import { BrineError } from '../base/mod.ts'
import { type Origin, originDict } from '../bus/mod.ts'
import { globFiles, option } from '../config/mod.ts'
import { type Dict, isDict, isList, PyError, str, typeName, type Value } from '../data/mod.ts'
import { failureLine } from '../render/mod.ts'
import { positionOf } from '../yaml/mod.ts'
import type { ReactorContext } from './context.ts'

export interface RenderedFile {
  file: string
  high: Dict
  /** The line of each ID. */
  lines: Dict
  error?: string
}

export interface ReactedEvent {
  tag: string
  data: Dict
  origin: Origin
}

/** Every file that a reference means: a path, a glob of paths, or a file of the master's file server. */
export async function renderReaction(
  ctx: ReactorContext,
  reference: string,
  event: ReactedEvent,
): Promise<RenderedFile[]> {
  const local = reference.startsWith('salt://') ? await ctx.files.fetch(reference, { saltenv: 'base' }) : reference
  const files = local === false ? [] : globFiles(local)
  if (files.length === 0) {
    const path = local === false ? '' : local
    const error = `Can not render SLS ${path} for tag ${event.tag}. File missing or not found.`
    ctx.log('error', error)
    return [{ file: reference, high: new Map(), lines: new Map(), error }]
  }
  const rendered: RenderedFile[] = []
  for (const file of files) rendered.push(await renderFile(ctx, file, event))
  return rendered
}

async function renderFile(
  ctx: ReactorContext,
  file: string,
  { tag, data, origin }: ReactedEvent,
): Promise<RenderedFile> {
  let sourceLine = (line: number): number => line
  try {
    const value = await ctx.render({
      text: readFileSync(file, 'utf8'),
      path: file,
      renderer: option(ctx.opts, 'renderer'),
      saltenv: 'base',
      sls: '',
      context: new Map<string, Value>([
        ['tag', tag],
        ['data', data],
        ['origin', originDict(origin)],
      ]),
      withLines: (found) => {
        sourceLine = found
      },
    })
    return { file, high: padded(value, file), lines: linesIn(value, sourceLine) }
  } catch (error) {
    const text = failureLine(error)
    ctx.log('error', `Failed to render "${file}": \nTraceback (most recent call last):\n${text}`)
    return { file, high: new Map(), lines: new Map(), error: placed(error, file) }
  }
}

export function linesIn(value: Value, sourceLine: (line: number) => number): Dict {
  const lines: Dict = new Map()
  if (!isDict(value)) return lines
  for (const id of value.keys()) {
    const at = positionOf(value, id)
    if (at) lines.set(id, sourceLine(at.line))
  }
  return lines
}

function placed(error: unknown, file: string): string {
  const at = error instanceof BrineError ? error.at : undefined
  return `${at?.file ?? file}${at?.line === undefined ? '' : `:${at.line}`}: ${failureLine(error)}`
}

/** `local.test.ping: [...]` becomes `local: [..., test.ping]`, and each ID knows its file. */
export function padded(value: Value, file: string): Dict {
  if (value === null || value === '') return new Map()
  if (typeof value === 'string') throw new PyError('TypeError', "string indices must be integers, not 'str'")
  if (isList(value)) throw unindexable()
  if (!isDict(value)) throw new PyError('TypeError', `'${typeName(value)}' object is not iterable`)
  const high: Dict = new Map()
  for (const [id, body] of value) {
    const states = isDict(body) ? padStates(body) : shortState(body)
    states.set('__sls__', file)
    high.set(id, states)
  }
  return high
}

const unindexable = (): PyError => new PyError('TypeError', 'list indices must be integers or slices, not str')

function shortState(body: Value): Dict {
  if (isList(body)) throw unindexable()
  if (typeof body !== 'string' || !body.includes('.')) {
    throw new PyError('TypeError', `'${typeName(body)}' object does not support item assignment`)
  }
  const dot = body.indexOf('.')
  return new Map([[body.slice(0, dot), [body.slice(dot + 1)]]])
}

function padStates(body: Dict): Dict {
  const states: Dict = new Map()
  for (const [key, args] of body) {
    const name = str(key)
    const dot = name.indexOf('.')
    const kind = name.slice(0, dot)
    if (dot < 0 || name.startsWith('_') || !isList(args) || states.has(kind)) states.set(name, args)
    else states.set(kind, [...args, name.slice(dot + 1)])
  }
  return states
}
