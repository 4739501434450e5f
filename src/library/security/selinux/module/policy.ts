// Policies of files and ports, listed by semanage and applied by restorecon.
import { type Dict, dictFrom, failure, misuse, reEscape, splitLines, str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, operand, outputOf, type Result, runAll } from '../../../../sdk/mod.ts'

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

export function fileType(code: string): string {
  const found = FILE_TYPES[code]
  if (found !== undefined) return found
  const valid = Object.keys(FILE_TYPES).join(', ')
  throw misuse(`Invalid file type code '${code}'; expected one of: ${valid}`)
}

const CONTEXT_KEYS = ['sel_user', 'sel_role', 'sel_type', 'sel_level'] as const

function contextOf(text: string): Record<string, string> {
  const [, ...parts] = /^([^:]+):([^:]+):([^:]+):([^:]+)$/.exec(text) ?? []
  if (parts.length === 4) return Object.fromEntries(CONTEXT_KEYS.map((key, at) => [key, parts[at]!]))
  const expected = 'Expected "sel_user:sel_role:sel_type:sel_level"'
  throw misuse(`Invalid SELinux context string: ${text}. ${expected}`)
}

export interface FileRequest {
  name: string
  filetype: string | null
  sel_type: string | null
  sel_user: string | null
  sel_level: string | null
}

const part = (value: string | null): string => value || '[^:]+'

async function listed(ctx: FunctionContext, kind: string): Promise<string[]> {
  return splitLines(await outputOf(ctx, `semanage ${kind} --list`, { ignore_retcode: true }))
}

/** Return the matching entry of a file specification, or null. */
export async function filePolicy(ctx: FunctionContext, request: FileRequest): Promise<Result> {
  const type = request.filetype ? fileType(request.filetype) : '[A-Za-z ]+'
  const name = reEscape(request.name)
  const context = `${part(request.sel_user)}:[^:]+:${part(request.sel_type)}:${part(request.sel_level)}`
  const pattern = new RegExp(`^${name}[ ]+${type}[ ]+${context}[ |\\t]*$`)
  const line = (await listed(ctx, 'fcontext')).find((entry) => pattern.test(entry))
  if (line === undefined) return null
  const [, filespec = '', filetype = '', found = ''] = new RegExp(`^(${name}) +([a-z ]+) (.*)$`).exec(line) ?? []
  if (found === '') {
    throw failure('Output from the fcontext command did not match the expected format')
  }
  return { filespec: filespec.trim(), filetype: filetype.trim(), ...contextOf(found.trim()) }
}

export async function changeFilePolicy(
  ctx: FunctionContext,
  action: 'add' | 'delete',
  request: FileRequest,
): Promise<Value> {
  const known = action === 'add' && (await listed(ctx, 'fcontext')).some((line) => line.includes(`${request.name} `))
  const words = ['semanage', 'fcontext', `--${known ? 'modify' : action}`]
  if (request.filetype !== null && request.filetype !== 'a') {
    fileType(request.filetype)
    words.push('--ftype', request.filetype)
  }
  const options = { '--type': request.sel_type, '--seuser': request.sel_user, '--range': request.sel_level }
  for (const [option, value] of Object.entries(options)) if (value !== null) words.push(option, value)
  return ctx.call('cmd.run_all', [[...words, operand('A file specification', request.name)]], { python_shell: false })
}

const restorecon = (flags: string, recursive: boolean, name: string): string[] => [
  'restorecon',
  ...flags.split(' '),
  ...(recursive ? ['-R'] : []),
  operand('A path', name),
]

/** Return the files that restorecon would relabel; an empty text for none. */
export async function wouldRelabel(ctx: FunctionContext, name: string, recursive: boolean): Promise<string> {
  return (await runAll(ctx, restorecon('-n -v', recursive, name))).stdout
}

const RELABELS = [
  { start: 'Would relabel', line: /^Would relabel (.*) from (.*) to (.*)$/gm },
  { start: 'restorecon reset', line: /^restorecon reset (.*) context (.*)->(.*)$/gm },
]

export async function applyPolicy(ctx: FunctionContext, name: string, recursive: boolean): Promise<Dict> {
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
    changes.set(file, dictFrom({ old: only(old), new: only(fresh) }))
  }
  return changes.size > 0 ? applied.set('changes', changes) : applied
}

export interface PortRequest {
  name: string
  protocol: string | null
  port: string | null
}

function portOf({ name, protocol, port }: PortRequest): { protocol: string; port: string } {
  const pattern = /^(tcp|udp)\/(\d+(?:-\d+)?)$/
  const found = pattern.exec(name) ?? pattern.exec(`${protocol}/${port}`)
  if (found) return { protocol: found[1]!, port: found[2]! }
  const given = `"${str(protocol)}" "${str(port)}"`
  throw misuse(`Invalid name "${name}" format and protocol and port not provided or invalid: ${given}.`)
}

export async function portPolicy(ctx: FunctionContext, request: PortRequest, type: string | null): Promise<Result> {
  const { protocol, port } = portOf(request)
  const pattern = new RegExp(`^${type ? reEscape(type) : '\\w+'}[ ]+${protocol}[ ]+.*[ ]?${port}(?:$|,)`)
  const line = (await listed(ctx, 'port')).find(
    (entry) => pattern.test(entry) && new RegExp(`[ ]${port}(?:$|,)`).test(entry),
  )
  if (line === undefined) return null
  const [, sel_type, found, ports] = /^(\w+)[ ]+(\w+)[ ]+([\d\-, ]+)/.exec(line) ?? []
  if (ports === undefined) {
    throw failure(`Port policy ${line} did not match expected format`)
  }
  return { sel_type, protocol: found, port: ports.trim() }
}

export function changePortPolicy(
  ctx: FunctionContext,
  action: 'add' | 'modify' | 'delete',
  request: PortRequest,
  type: string | null,
  range: string | null,
): Value | Promise<Value> {
  if (action === 'add' && !type) {
    throw misuse('SELinux Type is required to add a policy')
  }
  const { protocol, port } = portOf(request)
  const words = ['semanage', 'port', `--${action}`, '--proto', protocol]
  if (type) words.push('--type', type)
  if (range) words.push('--range', range)
  return ctx.call('cmd.run_all', [[...words, port]], { python_shell: false })
}
