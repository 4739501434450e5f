// Device nodes and named pipes.
import { type Dict, str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, expandUser, type StateContext, state } from '../../../../sdk/mod.ts'
import { asDict, begin, fail } from './answer.ts'

interface Node {
  name: string
  ntype: string
  major: Value
  minor: Value
  user: string | null
  group: string | null
  mode: Value
}

const KINDS = new Map<string, { noun: string; check: string }>([
  ['c', { noun: 'character device', check: 'file.is_chrdev' }],
  ['b', { noun: 'block device', check: 'file.is_blkdev' }],
  ['p', { noun: 'fifo pipe', check: 'file.is_fifo' }],
])

async function make(ctx: StateContext, { name, ntype, major, minor, user, group, mode }: Node): Promise<Dict> {
  const path = await expandUser(ctx, name)
  const answer = { ...begin(path), result: false }
  const failed = (comment: string): Dict => asDict(fail(answer, comment))
  if (path === '') return failed('Must provide name to file.mknod')
  const kind = KINDS.get(ntype)
  if (kind === undefined) {
    return failed(
      `Node type unavailable: '${ntype}'. Available node types are character ('c'), block ('b'), and pipe ('p')`,
    )
  }
  if (truthy(await ctx.call('file.file_exists', [path]))) {
    return failed(`File ${path} exists and is not a ${kind.noun}. Refusing to continue`)
  }
  const noun = kind.noun[0]!.toUpperCase() + kind.noun.slice(1)
  if (!truthy(await ctx.call(kind.check, [path]))) {
    if (ctx.test) return asDict({ ...answer, result: null, comment: `${noun} ${path} is set to be created` })
    return ctx.call('file.mknod', [path, ntype, major, minor, user, group, mode])
  }
  if (ntype !== 'p') {
    const [haveMajor = null, haveMinor = null] = await ctx.call('file.get_devmm', [path])
    if (haveMajor !== major || haveMinor !== minor) {
      const numbers = `${str(haveMajor)}/${str(haveMinor)}`
      return failed(`${noun} ${path} exists and has a different major/minor ${numbers}. Refusing to continue`)
    }
  }
  const [ret] = (await ctx.call('file.check_perms', [path, null, user, group, mode])) as [Dict, Dict]
  if (!truthy(ret.get('changes') ?? null)) ret.set('comment', `${noun} ${path} is in the correct state`)
  return ret
}

export const mknod = state({
  doc: 'Ensure that a device node or a named pipe exists.',
  args: {
    name: arg.string('Path of the node'),
    ntype: arg.text('Type: `c` for a character device, `b` for a block device, `p` for a pipe'),
    major: arg.any('Major number', { default: 0 }),
    minor: arg.any('Minor number', { default: 0 }),
    user: arg.text('Owner', { optional: true }),
    group: arg.text('Group', { optional: true }),
    mode: arg.textOrNumber('Mode in octal: text or a number', { default: '0600' }),
  },
  run: make,
})
