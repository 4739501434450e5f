// Policies of files and ports, as semanage lists them and restorecon applies them.
import { type Dict, reEscape, SaltError, splitLines, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, outputOf, type Result, runAll } from '../../../../sdk/mod.ts'

const FILE_TYPES: Readonly<Record<string, string>> = {
  a: 'all files',
  f: 'regular file',
  d: 'directory',
  c: 'character device',
  b: 'block device',
  s: 'socket',
  l: 'symbolic link',
  p: 'named pipe',
}

export function fileType(code: Value): string {
  const found = FILE_TYPES[str(code)]
  if (found !== undefined) return found
  const valid = Object.keys(FILE_TYPES).join(', ')
  throw new SaltError('SaltInvocationError', `Invalid file type code '${str(code)}'; expected one of: ${valid}`)
}

const CONTEXT_KEYS = ['sel_user', 'sel_role', 'sel_type', 'sel_level'] as const

function contextOf(text: string): Record<string, string> {
  const [, ...parts] = /^([^:]+):([^:]+):([^:]+):([^:]+)$/.exec(text) ?? []
  if (parts.length === 4) return Object.fromEntries(CONTEXT_KEYS.map((key, at) => [key, parts[at]!]))
  const expected = 'Expected "sel_user:sel_role:sel_type:sel_level"'
  throw new SaltError('SaltInvocationError', `Invalid SELinux context string: ${text}. ${expected}`)
}

export interface FileWish {
  name: Value
  filetype: Value
  sel_type: Value
  sel_user: Value
  sel_level: Value
}

const part = (value: Value): string => (truthy(value) ? str(value) : '[^:]+')

async function listed(ctx: FunctionContext, kind: string): Promise<string[]> {
  return splitLines(await outputOf(ctx, `semanage ${kind} --list`, { ignore_retcode: true }))
}

/** The entry of a file specification that matches, or none. */
export async function filePolicy(ctx: FunctionContext, wish: FileWish): Promise<Result> {
  const type = truthy(wish.filetype) ? fileType(wish.filetype) : '[A-Za-z ]+'
  const name = reEscape(str(wish.name))
  const context = `${part(wish.sel_user)}:[^:]+:${part(wish.sel_type)}:${part(wish.sel_level)}`
  const pattern = new RegExp(`^${name}[ ]+${type}[ ]+${context}[ |\\t]*$`)
  const line = (await listed(ctx, 'fcontext')).find((entry) => pattern.test(entry))
  if (line === undefined) return null
  const [, filespec = '', filetype = '', found = ''] = new RegExp(`^(${name}) +([a-z ]+) (.*)$`).exec(line) ?? []
  if (found === '') {
    throw new SaltError('CommandExecutionError', 'Output from the fcontext command did not match the expected format')
  }
  return { filespec: filespec.trim(), filetype: filetype.trim(), ...contextOf(found.trim()) }
}

export async function changeFilePolicy(ctx: FunctionContext, action: 'add' | 'delete', wish: FileWish): Promise<Value> {
  const known = action === 'add' && (await listed(ctx, 'fcontext')).some((line) => line.includes(`${str(wish.name)} `))
  const words = ['semanage', 'fcontext', `--${known ? 'modify' : action}`]
  if (wish.filetype !== null && wish.filetype !== 'a') {
    fileType(wish.filetype)
    words.push('--ftype', str(wish.filetype))
  }
  const options = { '--type': wish.sel_type, '--seuser': wish.sel_user, '--range': wish.sel_level }
  for (const [option, value] of Object.entries(options)) if (value !== null) words.push(option, str(value))
  return ctx.call('cmd.run_all', [[...words, wish.name]], { python_shell: false })
}

const restorecon = (flags: string, recursive: boolean, name: Value): Value[] => [
  'restorecon',
  ...flags.split(' '),
  ...(recursive ? ['-R'] : []),
  name,
]

/** What restorecon would relabel; an empty text when nothing. */
export async function wouldRelabel(ctx: FunctionContext, name: Value, recursive: boolean): Promise<string> {
  return (await runAll(ctx, restorecon('-n -v', recursive, name))).stdout
}

const RELABELS = [
  { start: 'Would relabel', line: /^Would relabel (.*) from (.*) to (.*)$/gm },
  { start: 'restorecon reset', line: /^restorecon reset (.*) context (.*)->(.*)$/gm },
]

export async function applyPolicy(ctx: FunctionContext, name: Value, recursive: boolean): Promise<Dict> {
  const foreseen = await wouldRelabel(ctx, name, recursive)
  const words = restorecon('-v -F', recursive, name)
  const applied = new Map(await ctx.call('cmd.run_all', [words], { python_shell: false }))
  if (applied.get('retcode') !== 0) return applied
  const shape = RELABELS.find(({ start }) => foreseen.startsWith(start))
  if (!shape) {
    return applied.set('retcode', 1).set('error', 'Unrecognized response from restorecon command.')
  }
  const changes: Dict = new Map()
  for (const [, file = '', before = '', after = ''] of foreseen.matchAll(shape.line)) {
    const [old, fresh] = [contextOf(before), contextOf(after)]
    const differing = CONTEXT_KEYS.filter((key) => old[key] !== fresh[key])
    const only = (context: Record<string, string>): Dict => new Map(differing.map((key) => [key, context[key]!]))
    changes.set(
      file,
      new Map<Value, Value>([
        ['old', only(old)],
        ['new', only(fresh)],
      ]),
    )
  }
  return changes.size > 0 ? applied.set('changes', changes) : applied
}

export interface PortWish {
  name: Value
  protocol: Value
  port: Value
}

function portOf({ name, protocol, port }: PortWish): { protocol: string; port: string } {
  const pattern = /^(tcp|udp)\/((?:[\d]+)-?[\d]+)$/
  const found = pattern.exec(str(name)) ?? pattern.exec(`${str(protocol)}/${str(port)}`)
  if (found) return { protocol: found[1]!, port: found[2]! }
  const given = `"${str(protocol)}" "${str(port)}"`
  throw new SaltError(
    'SaltInvocationError',
    `Invalid name "${str(name)}" format and protocol and port not provided or invalid: ${given}.`,
  )
}

export async function portPolicy(ctx: FunctionContext, wish: PortWish, type: string | null): Promise<Result> {
  const { protocol, port } = portOf(wish)
  const pattern = new RegExp(`^${type ? type : '\\w+'}[ ]+${protocol}[ ]+.*[ ]?${port}(?:$|,)`)
  const line = (await listed(ctx, 'port')).find(
    (entry) => pattern.test(entry) && new RegExp(`[ ]${port}(?:$|,)`).test(entry),
  )
  if (line === undefined) return null
  const [, sel_type, found, ports] = /^(\w+)[ ]+(\w+)[ ]+([\d\-, ]+)/.exec(line) ?? []
  if (ports === undefined) {
    throw new SaltError('CommandExecutionError', `Port policy ${line} did not match expected format`)
  }
  return { sel_type, protocol: found, port: ports.trim() }
}

export function changePortPolicy(
  ctx: FunctionContext,
  action: 'add' | 'modify' | 'delete',
  wish: PortWish,
  type: string | null,
  range: string | null,
): Value | Promise<Value> {
  if (action === 'add' && !type) {
    throw new SaltError('SaltInvocationError', 'SELinux Type is required to add a policy')
  }
  const { protocol, port } = portOf(wish)
  const words = ['semanage', 'port', `--${action}`, '--proto', protocol]
  if (type) words.push('--type', type)
  if (range) words.push('--range', range)
  return ctx.call('cmd.run_all', [[...words, port]], { python_shell: false })
}
