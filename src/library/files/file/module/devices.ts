// Device nodes and named pipes.
import { type Dict, dictFrom, misuse, str, type Value } from '../../../../data/mod.ts'
import { expandUser, type FileType, type FunctionContext, systemError } from '../../../../sdk/mod.ts'
import { makeParents, type Ownership } from './directories.ts'
import { checkPermissions, inTestMode } from './permissions.ts'

/** Return whether a path is of a type; False when it does not exist. */
export async function hasType(ctx: FunctionContext, path: string, type: FileType): Promise<boolean> {
  return (await ctx.host.stat(await expandUser(ctx, path)))?.type === type
}

export async function deviceNumbers(ctx: FunctionContext, path: string): Promise<[number, number]> {
  const stat = await ctx.host.stat(await expandUser(ctx, path))
  return stat?.type === 'char' || stat?.type === 'block' ? [stat.major, stat.minor] : [0, 0]
}

const KINDS = {
  c: { title: 'Character device', letter: 'c' },
  b: { title: 'Block device', letter: 'b' },
  p: { title: 'Fifo pipe', letter: 'p' },
} as const

export interface Node extends Ownership {
  kind: keyof typeof KINDS
  major?: Value
  minor?: Value
}

export async function makeNode(ctx: FunctionContext, path: string, node: Node): Promise<Dict> {
  const name = await expandUser(ctx, path)
  const { title, letter } = KINDS[node.kind]
  const ret = dictFrom({ name, changes: new Map(), comment: '', result: false })
  const created = dictFrom({ new: `${title} ${name} created.` })
  if (inTestMode(ctx)) {
    ret.set('changes', created).set('result', null)
  } else if (await ctx.host.lstat(name)) {
    ret.set('comment', `File ${name} exists and cannot be overwritten`)
  } else {
    const numbers = node.kind === 'p' ? [] : [str(node.major ?? 0), str(node.minor ?? 0)]
    const mode = str(node.mode).replace(/^[0Oo]+/, '') || '0'
    const { retcode } = await ctx.host.run({ argv: ['mknod', '-m', mode, name, letter, ...numbers] })
    if (retcode !== 0) {
      throw systemError((await ctx.host.stat(name.replace(/\/[^/]*$/, '') || '/')) ? 'EPERM' : 'ENOENT', name)
    }
    ret.set('changes', created).set('result', true)
  }
  const mode = str(node.mode) === '' || node.mode === null ? null : Number(str(node.mode))
  await checkPermissions(ctx, name, null, { user: node.user, group: node.group, mode })
  return ret
}

export async function makeAnyNode(
  ctx: FunctionContext,
  path: string,
  kind: string,
  node: Omit<Node, 'kind'>,
): Promise<Dict> {
  await makeParents(ctx, path, { user: node.user, group: node.group, mode: null })
  if (kind === 'c' || kind === 'b' || kind === 'p') return makeNode(ctx, path, { ...node, kind })
  throw misuse(
    `Node type unavailable: '${kind}'. Available node types are character ('c'), block ('b'), and pipe ('p').`,
  )
}
