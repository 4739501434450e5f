// Attributes of ext file systems (`lsattr`, `chattr`) and SELinux contexts.
import { failure, misuse, splitLines, str, type Value } from '../../../../data/mod.ts'
import { exists, type FunctionContext } from '../../../../sdk/mod.ts'
import type { SelinuxContext } from '../managed-request.ts'

async function output(ctx: FunctionContext, argv: string[]): Promise<string> {
  const { stdout } = await ctx.host.run({ argv, mergeStderr: true })
  return Buffer.from(stdout).toString()
}

/** Run a command whose return code becomes that of the call. */
async function outcome(ctx: FunctionContext, argv: string[], mergeStderr = false) {
  const { retcode, stdout } = await ctx.host.run({ argv, mergeStderr })
  ctx.memory.set('retcode', retcode)
  return { retcode, text: Buffer.from(stdout).toString() }
}

/** Return a pattern of the letters that `chattr` of this machine knows; e2fsprogs 1.41.13 added some. */
async function knownLetters(ctx: FunctionContext): Promise<RegExp> {
  const few = /[acdijstuADST]/g
  const program = await ctx.host.which('tune2fs')
  if (program === undefined) return few
  const version = /tune2fs ([0-9.]+)/.exec(await output(ctx, [program]))?.[1]
  if (version === undefined) return few
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  const number = (major * 1000 + minor) * 1000 + patch
  return number > 1_041_012 ? /[aAcCdDeijPsStTu]/g : few
}

/** Return lists of letters by path, or None when the machine has no `lsattr`. */
export async function listAttributes(ctx: FunctionContext, path: string): Promise<Map<Value, Value> | null> {
  if (!(await ctx.host.which('lsattr'))) return null
  if (!(await exists(ctx, path))) {
    throw misuse(`File or directory does not exist: ${path}`)
  }
  const letters = await knownLetters(ctx)
  const found = new Map<Value, Value>()
  for (const line of splitLines(await output(ctx, ['lsattr', path]))) {
    const row = line.startsWith('lsattr: ') ? null : /^\s*(\S+)\s+(.*)$/.exec(line)
    if (row) found.set(row[2]!, row[1]!.match(letters) ?? [])
  }
  return found
}

export interface AttributeChanges {
  added: string
  removed: string
}

/** Return the attributes to add and to remove, or undefined when attributes cannot be read. */
export async function compareAttributes(
  ctx: FunctionContext,
  path: string,
  wanted: string,
): Promise<AttributeChanges | undefined> {
  const listed = await listAttributes(ctx, path)
  if (listed === null) return undefined
  const old = new Set((listed.get(path) ?? []) as string[])
  const fresh = new Set(wanted)
  // `e` can be set but not removed
  if (old.has('e')) fresh.add('e')
  return {
    added: [...fresh].filter((letter) => !old.has(letter)).join(''),
    removed: [...old].filter((letter) => !fresh.has(letter)).join(''),
  }
}

export interface AttributeChange {
  operator: Value
  attributes: Value
  flags: Value
  version: Value
}

export async function changeAttributes(
  ctx: FunctionContext,
  files: readonly Value[],
  { operator, attributes, flags, version }: AttributeChange,
): Promise<boolean> {
  if (operator !== 'add' && operator !== 'remove') {
    throw misuse("Need an operator: 'add' or 'remove' to modify attributes.")
  }
  if (attributes === null) throw misuse('Need attributes: [aAcCdDeijPsStTu]')
  const argv = ['chattr', `${operator === 'add' ? '+' : '-'}${str(attributes)}`]
  if (flags !== null) argv.push(`-${str(flags)}`)
  if (version !== null) argv.push('-v', str(version))
  const { text } = await outcome(ctx, [...argv, ...files.map((file) => str(file))], true)
  return text === ''
}

export async function selinuxContext(ctx: FunctionContext, path: string): Promise<string> {
  const { retcode, text } = await outcome(ctx, ['stat', '-c', '%C', path])
  if (retcode === 0) return text.trimEnd()
  return `No selinux context information is available for ${path}`
}

/** Set the SELinux context of a path; return the new context, or False on failure. */
export async function setSelinuxContext(
  ctx: FunctionContext,
  path: string,
  { user, role, type, range }: SelinuxContext,
  persist: boolean,
): Promise<string | false> {
  if (!(user || role || type || range)) return false
  if (persist) {
    const answer = await ctx.call('selinux.fcontext_add_policy', [path], {
      sel_type: type,
      sel_user: user,
      sel_level: range,
    })
    if (!(answer instanceof Map) || answer.get('retcode') !== 0) {
      throw failure(`Problem setting fcontext: ${str(answer)}`)
    }
  }
  const argv = ['chcon']
  for (const [flag, value] of [
    ['-u', user],
    ['-r', role],
    ['-t', type],
    ['-l', range],
  ] as const) {
    if (value) argv.push(flag, value)
  }
  const { retcode } = await outcome(ctx, [...argv, path])
  return retcode === 0 ? selinuxContext(ctx, path) : false
}
