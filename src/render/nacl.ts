// The `nacl` renderer: replaces `NACL[…]` texts in data by the content of the box, which `nacl.dec` opens. Also used
// for `decrypt_pillar`.
import { isDict, isList, textOrBytes, type Value } from '../data/mod.ts'
import { renderError } from './errors.ts'
import type { RenderContext, Renderer } from './renderer.ts'

const BOX = /^NACL\[(.*)\]\n?$/

/** Dicts and lists are changed in place, so that their positions remain known. */
export async function openBoxes(value: Value, ctx: Pick<RenderContext, 'functions'>): Promise<Value> {
  if (typeof value === 'string') return openedText(value, ctx)
  if (isDict(value)) for (const [key, item] of value) value.set(key, await openBoxes(item, ctx))
  else if (isList(value)) for (const [index, item] of value.entries()) value[index] = await openBoxes(item, ctx)
  return value
}

async function openedText(text: string, { functions }: Pick<RenderContext, 'functions'>): Promise<Value> {
  const box = BOX.exec(text)?.[1]
  if (box === undefined) return text
  if (!functions?.has('nacl.dec')) throw renderError('The nacl renderer needs nacl.dec, which cannot be called here')
  const found = await functions.call('nacl.dec', [box], new Map())
  return found instanceof Uint8Array ? textOrBytes(found) : found
}

export const nacl: Renderer = {
  name: 'nacl',
  render: async (input, _args, ctx) => ({ value: await openBoxes(input, ctx) }),
}
