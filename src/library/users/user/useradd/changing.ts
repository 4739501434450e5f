// Changing users through usermod. The account itself shows whether a change worked, not the answer of usermod.
import { equals, failure, iterate, PyError, PySet, str, textOf, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, requiredProgram } from '../../../../sdk/mod.ts'
import { GECOS, type GecosField, gecosOf, groupsOf, info, kernelIs, rootOption, userOf } from './passwd.ts'

const PLAINLY = { python_shell: false }

export async function changeAttribute(
  ctx: FunctionContext,
  name: string,
  { key, option, root, move = false }: { key: string; option: string; root: string | null; move?: boolean },
  value: Value,
): Promise<boolean> {
  const before = await info(ctx, name, root)
  if (before.size === 0) throw failure(`User '${name}' does not exist`)
  if (equals(value, before.get(key) ?? null)) return true
  const moving = move && !kernelIs(ctx, 'OpenBSD') ? ['-m'] : []
  const command = [await requiredProgram(ctx, 'usermod'), ...rootOption(ctx, root), ...moving, option, value, name]
  await ctx.call('cmd.run', [command], PLAINLY)
  const after = (await info(ctx, name, root)).get(key)
  return after !== undefined && equals(after, value)
}

export async function changeGecos(
  ctx: FunctionContext,
  name: string,
  field: GecosField,
  value: string,
  root: string | null,
): Promise<boolean> {
  const before = gecosOf(await existing(ctx, name, root))
  if (before[field] === value) return true
  const fields: Record<GecosField, string> = { ...before, [field]: value }
  const text = GECOS.map((key) => fields[key])
    .join(',')
    .replace(/,+$/, '')
  const command = [await requiredProgram(ctx, 'usermod'), ...rootOption(ctx, root), '-c', text, name]
  await ctx.call('cmd.run', [command], PLAINLY)
  return gecosOf(await existing(ctx, name, root))[field] === value
}

async function existing(ctx: FunctionContext, name: string, root: string | null) {
  const user = await userOf(ctx, name, root)
  if (user === undefined) throw new PyError('KeyError', `"getpwnam(): name not found: '${name}'"`)
  return user
}

export async function changeGroups(
  ctx: FunctionContext,
  name: string,
  given: Value,
  append: boolean,
  root: string | null,
): Promise<boolean> {
  const groups: Value[] = textOf(given)?.split(',') ?? [...iterate(given)]
  const held = await groupsOf(ctx, name)
  if (equals(new PySet(held), new PySet(groups))) return true
  const wanted = groups.map(str).join(',')
  const isAix = kernelIs(ctx, 'AIX')
  const options = kernelIs(ctx, 'OpenBSD') ? [append ? '-G' : '-S'] : append && !isAix ? ['-a', '-G'] : ['-G']
  const list = append && isAix ? `${held.join(',')},${wanted}` : wanted
  const command = [await requiredProgram(ctx, 'usermod'), ...options, list, name, ...rootOption(ctx, root)]
  const outcome = await ctx.call('cmd.run_all', [command], PLAINLY)
  const unknownUser = str(outcome.get('stderr') ?? '').includes('not found in')
  if (outcome.get('retcode') === 0 || !unknownUser || kernelIs(ctx, 'OpenBSD', 'AIX')) {
    return outcome.get('retcode') === 0
  }
  // usermod does not change users of a directory service, but they may be in local groups
  let done = true
  for (const group of groups) {
    if ((await ctx.call('cmd.retcode', [['gpasswd', '-a', name, group]], PLAINLY)) !== 0) done = false
  }
  return done
}

export async function loginClass(ctx: FunctionContext, name: string): Promise<string | false> {
  if (!kernelIs(ctx, 'OpenBSD')) return false
  const text = await ctx.call('cmd.run_stdout', [['userinfo', name]], PLAINLY)
  return /^class\S*[^\S\n]+(\S.*)$/m.exec(text)?.[1] ?? ''
}

export async function changeLoginClass(
  ctx: FunctionContext,
  name: string,
  loginclass: string,
  root: string | null,
): Promise<boolean> {
  if (!kernelIs(ctx, 'OpenBSD')) return false
  if ((await loginClass(ctx, name)) === loginclass) return true
  const command = [await requiredProgram(ctx, 'usermod'), '-L', loginclass, name, ...rootOption(ctx, root)]
  await ctx.call('cmd.run', [command], PLAINLY)
  return (await loginClass(ctx, name)) === loginclass
}
